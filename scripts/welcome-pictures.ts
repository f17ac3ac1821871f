// Draws the slides of the welcome talk anew: `node scripts/welcome-pictures.ts`. It gives a small talk on the real service, takes
// pictures of its room and of the dashboard, sets each beside the words of src/sessions/deck/welcome/deck.json, and notes where each line stands.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import type { Browser, Page } from 'playwright-core'
import type { Box } from '../src/contract/deck.ts'
import { welcomeDeck } from '../src/sessions/deck/welcome.ts'
import { joinRoom } from '../test/e2e/attendee.ts'
import type { Service } from '../test/e2e/rig.ts'
import { launchBrowser, settled, startService } from '../test/e2e/rig.ts'
import { startServer } from '../test/support/server.ts'

const root = join(import.meta.dirname, '..')
const out = join(root, 'src/sessions/deck/welcome')
const face = join(root, 'node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2')
const [width, height] = [1600, 900]

/** The letters of the dashboard everywhere: those of a system differ from machine to machine. */
const font = `@font-face { font-family: Face; font-weight: 400 700; src: url(data:font/woff2;base64,${(await readFile(face)).toString('base64')}) }`
const sameLetters = `${font} :root { --font-ui: Face, sans-serif !important }`

const sample = `<!doctype html><html lang="en"><meta charset="utf-8"><style>${font}
  @page { size: 960px 540px; margin: 0 }
  body { margin: 0; font: 30px/1.3 Face; color: #14213d }
  section { position: relative; box-sizing: border-box; width: 960px; height: 540px; padding: 56px 64px; page-break-after: always; overflow: hidden }
  h1 { margin: 0 0 30px; font-size: 52px; line-height: 1.1 } p { margin: 0 0 20px; max-width: 440px }
  .cover { background: #14213d; color: #fff } .cover h1 { font-size: 84px; margin-top: 150px; max-width: 700px } .cover p { color: #fca311 }
  .bars { position: absolute; right: 64px; bottom: 64px; display: flex; gap: 16px; align-items: end; height: 300px }
  .bars i { width: 44px; background: #c9d3e6; border-radius: 4px 4px 0 0 } .bars i.peak { background: #fca311 }
</style>
<section class="cover"><h1>Grid storage</h1><p>Northwind Energy, for cities</p></section>
<section><h1>The evening peak</h1><p>Demand rises by 38 % in the evening.</p><p>Solar output is gone by then.</p><p>A battery moves four hours of noon to the evening.</p>
  <div class="bars">${[38, 44, 52, 96, 100, 88, 50].map((share) => `<i class="${share > 80 ? 'peak' : ''}" style="height: ${share}%"></i>`).join('')}</div></section>
<section><h1>What it costs</h1><p>EUR 412 per kWh installed in 2026.</p><p>It was EUR 690 in 2021.</p><p>A battery pays back in 6.5 years.</p>
  <div class="bars">${[100, 91, 82, 72, 66, 60].map((share, at) => `<i class="${at === 5 ? 'peak' : ''}" style="height: ${share}%"></i>`).join('')}</div></section>
<section><h1>How to begin</h1><p>A site survey takes two weeks.</p><p>The permit takes three months.</p><p>We build in eight.</p></section></html>`

const question = 'What does a kWh cost?'
const asked = [question, 'When does it pay back?', 'How long does the permit take?', 'Do you recycle old cells?']

interface Shots {
  host: Page
  attend(viewport: { width: number; height: number }): Promise<Page>
  session: string
}

/** The second slide is told; what is asked is sent, and its answer shows the slide that it cites. */
async function room({ attend }: Shots, size: { width: number; height: number }, isSent: boolean): Promise<Buffer> {
  const page = await attend(size)
  await page.getByRole('button', { name: 'Next slide' }).click()
  await page.getByTestId('caption').filter({ hasText: 'Demand' }).waitFor()
  await page.getByLabel('Ask a question', { exact: true }).fill(question)
  if (isSent) {
    await page.keyboard.press('Enter')
    await page.getByTestId('cited').waitFor()
  }
  // Until what slides in stands still.
  await page.waitForTimeout(1_500)
  const shot = await page.screenshot()
  await page.context().close()
  return shot
}

async function screen({ host, session }: Shots, path: string, top: string): Promise<Buffer> {
  await host.goto(`${new URL(host.url()).origin}/dashboard/sessions/${session}${path}`)
  await settled(host)
  await host.addStyleTag({ content: sameLetters })
  await host.evaluate(`document.querySelector('${top}').scrollIntoView({ behavior: 'instant' }); scrollBy(0, -16)`)
  await host.waitForTimeout(1_200)
  return host.screenshot()
}

/** In the order of the slides: as tall as they stand beside the words. The last slide shows what the command prints. */
const pictures: readonly ((shots: Shots) => Promise<Buffer>)[] = [
  (shots) => room(shots, { width: 1240, height: 800 }, true),
  (shots) => room(shots, { width: 420, height: 560 }, false),
  (shots) => room(shots, { width: 610, height: 600 }, true),
  (shots) => screen(shots, '/script', '[data-testid=doc-slide]:nth-of-type(2)'),
  (shots) => screen(shots, '/questions', 'main input'),
]

async function photographed(browser: Browser): Promise<Buffer[]> {
  const service = await startService({ env: { ROSTRUM_SPEECH_WPM: '110', ROSTRUM_RATE_JOIN: '1000/1m' } })
  try {
    const context = await browser.newContext({
      locale: 'en-GB',
      viewport: { width: 540, height: 610 },
      deviceScaleFactor: 2,
      bypassCSP: true,
    })
    const host = await context.newPage()
    await host.goto(service.setupUrl ?? '')
    await host.getByLabel('Name', { exact: true }).fill('Nora Kessler')
    await host.getByLabel('Email').fill('nora@northwind.example')
    await host.getByLabel('Password').fill('ladder canoe violet 29')
    await host.getByLabel('Account name').fill('Northwind Energy')
    await host.getByRole('button', { name: 'Create owner' }).click()
    await host.waitForURL(/\/dashboard/)
    const { sessionId, slug } = await talk(browser, service)
    for (const text of asked) {
      const attendee = await joinRoom(service.url, slug)
      await attendee.post('questions', { text })
      attendee.leave()
    }
    const shots: Shots = {
      host,
      session: sessionId,
      async attend(viewport) {
        const own = await browser.newContext({ viewport, deviceScaleFactor: 2, locale: 'en-GB', bypassCSP: true })
        const page = await own.newPage()
        await page.goto(`${service.url}/join/${slug}?lang=en`)
        await page.waitForSelector('html[data-ready]')
        await page.addStyleTag({ content: sameLetters })
        await page.getByRole('button', { name: 'Start with captions only' }).click()
        await page.waitForSelector('main[data-state=presenting]')
        return page
      },
    }
    const taken: Buffer[] = []
    for (const take of pictures) taken.push(await take(shots))
    return taken
  } finally {
    await service.close()
  }
}

const besideWords = (shot: Buffer, at: number) =>
  `<img class="beside ${['wide', '', 'bleeds', 'bleeds', 'bleeds'][at]}" src="data:image/png;base64,${shot.toString('base64')}" alt="">`

/** Published, of the sample deck. */
async function talk(browser: Browser, { url, dataDir }: Service): Promise<{ sessionId: string; slug: string }> {
  const env = { PATH: process.env['PATH'], ROSTRUM_DATA_DIR: dataDir, ROSTRUM_BASE_URL: url }
  const { stdout } = await promisify(execFile)(join(root, 'bin/rostrum'), ['key', 'create', '--name', 'pictures', '--json'], { env })
  const headers = { Authorization: `Bearer ${(JSON.parse(stdout) as { key: string }).key}` }
  const sessions = `${url}/api/v1/agent/sessions`
  const call = async (method: string, to: string, body?: string | Buffer, type = 'application/json') =>
    (await fetch(to, { method, headers: { ...headers, 'Content-Type': type }, ...(body !== undefined && { body }) })).json()
  const { sessionId } = (await call('POST', sessions, JSON.stringify({ title: 'Grid storage', presenterName: 'Nora Kessler' }))) as {
    sessionId: string
  }
  const page = await browser.newPage()
  await page.setContent(sample)
  await call('PUT', `${sessions}/${sessionId}/deck`, await page.pdf({ preferCSSPageSize: true, printBackground: true }), 'application/pdf')
  await page.close()
  for (let isReady = false; !isReady;) {
    await new Promise((resolve) => setTimeout(resolve, 300))
    isReady = ((await call('GET', `${sessions}/${sessionId}`)) as { deckState: string }).deckState === 'ready'
  }
  const { slug } = (await call('POST', `${sessions}/${sessionId}/publish`, '{}')) as { slug: string }
  return { sessionId, slug }
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** As `npm start` prints it; links that work once are cut. */
async function printed(): Promise<string> {
  const server = await startServer({ args: ['--demo'], env: { ROSTRUM_BASE_URL: 'http://localhost:4400' } })
  const lines = server.printed()
  await server.stop()
  return `<b>$ npm start</b>\n${escaped(lines).replace(/  \(.*\)|(?<=setup\/\w{6})\w+/g, '')}`
}

interface Drawn {
  picture: Buffer
  /** Of each line of the slide's text. */
  boxes: Box[]
}

async function draw(page: Page, textContent: string, at: number, beside: string): Promise<Drawn> {
  const [title = '', ...lines] = textContent.split('\n').map((line) => escaped(line.replace(/^- /, '')))
  await page.setContent(`<!doctype html><html lang="en"><meta charset="utf-8"><style>${font}
    body { margin: 0; background: #faf8f3; color: #1d1e1a; font-family: Face; width: ${width}px; height: ${height}px; overflow: hidden; position: relative }
    main { position: absolute; left: 88px; top: 0; bottom: 0; width: 590px; display: grid; align-content: center; gap: 34px }
    h1 { margin: 0; font-size: 98px; line-height: 1; letter-spacing: -.03em; font-weight: 640; text-wrap: balance }
    p { margin: 0; font-size: 50px; line-height: 1.2; color: #4a4b44; text-wrap: balance } p:nth-of-type(n + 2) { padding-top: 30px; border-top: 3px solid #dedacf }
    h1 + p::before { content: ''; display: block; width: 112px; height: 10px; margin-bottom: 38px; background: #0f6b4f }
    .beside { position: absolute; left: 740px; top: 72px; border: 2px solid #dedacf; border-radius: 28px; box-shadow: 0 24px 70px rgb(20 20 15 / .16); display: block }
    img.beside { height: 830px } img:not(.bleeds) { height: 756px } .wide { left: 720px !important; top: 170px !important; height: 560px !important } .cover h1 { font-size: 132px }
    pre.beside { box-sizing: border-box; width: 920px; top: 200px; margin: 0; padding: 44px; background: #141512; color: #edebe4; font: 24px/1.75 'DejaVu Sans Mono', monospace; overflow: hidden } pre b { color: #63c9a1; font-size: 40px }
  </style><main class="${at === 0 ? 'cover' : ''}"><h1>${title}</h1>${lines.map((line) => `<p><span>${line.replaceAll('no ', 'no&nbsp;')}</span></p>`).join('')}</main>${beside}</html>`)
  await page.evaluate('Promise.all([document.fonts.ready, ...[...document.images].map((each) => each.decode())])')
  const boxes: Box[] = await page.evaluate(`[...document.querySelectorAll('h1, p span')].map((line) => {
    const { x, y, width, height } = line.getBoundingClientRect()
    return [x / ${width}, y / ${height}, width / ${width}, height / ${height}].map((part) => Number(part.toFixed(4)))
  })`)
  return { picture: await page.screenshot(), boxes }
}

async function asWebp(png: Buffer): Promise<Buffer> {
  const canvas = createCanvas(width, height)
  canvas.getContext('2d').drawImage(await loadImage(png), 0, 0)
  return canvas.encode('webp', 74)
}

const browser = await launchBrowser()
try {
  const shown = [...(await photographed(browser)).map(besideWords), `<pre class="beside">${await printed()}</pre>`]
  const page = await browser.newPage({ viewport: { width, height } })
  const places: Box[][] = []
  for (const [at, { textContent }] of welcomeDeck('').slides.entries()) {
    const { picture, boxes } = await draw(page, textContent, at, shown[at] ?? '')
    const bytes = await asWebp(picture)
    await writeFile(join(out, `${at + 1}.webp`), bytes)
    places.push(boxes)
    console.log(`${at + 1}.webp`, bytes.length)
  }
  await writeFile(join(out, 'places.json'), `[\n${places.map((boxes) => `  ${JSON.stringify(boxes)}`).join(',\n')}\n]\n`)
} finally {
  await browser.close()
}
