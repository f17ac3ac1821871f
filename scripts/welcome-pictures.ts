// Draws the slides of the welcome talk anew: `node scripts/welcome-pictures.ts`. It gives a small talk on the real service, takes
// pictures of its room and of the dashboard, sets each beside the words of server/decks/welcome/deck.json, and notes where each line stands.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { Box } from '@rostrum/contract/deck'
import { welcomeDeck } from '../server/decks/welcome.ts'
import { joinRoom } from '../test/e2e/attendee.ts'
import { asWebp, font, ownerPage, sameLetters, talk } from './sample-talk.ts'
import { launchBrowser, settled, startService } from '../test/e2e/rig.ts'
import { startServer } from '../test/support/server.ts'

const root = join(import.meta.dirname, '..')
const out = join(root, 'server/decks/welcome')
const [width, height] = [1600, 900]

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
    const host = await ownerPage(context, service)
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

const browser = await launchBrowser()
try {
  const shown = [...(await photographed(browser)).map(besideWords), `<pre class="beside">${await printed()}</pre>`]
  const page = await browser.newPage({ viewport: { width, height } })
  const places: Box[][] = []
  for (const [at, { textContent }] of welcomeDeck('').slides.entries()) {
    const { picture, boxes } = await draw(page, textContent, at, shown[at] ?? '')
    const bytes = await asWebp(picture, width)
    await writeFile(join(out, `${at + 1}.webp`), bytes)
    places.push(boxes)
    console.log(`${at + 1}.webp`, bytes.length)
  }
  await writeFile(join(out, 'places.json'), `[\n${places.map((boxes) => `  ${JSON.stringify(boxes)}`).join(',\n')}\n]\n`)
} finally {
  await browser.close()
}
