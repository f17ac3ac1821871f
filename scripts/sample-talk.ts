// The talk that pictures of the product are taken of, and how they are taken.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Service } from '../test/e2e/rig.ts'

const root = join(import.meta.dirname, '..')
const face = join(root, 'node_modules/@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2')

/** The letters of the dashboard everywhere: those of a system differ from machine to machine. */
export const font = `@font-face { font-family: Face; font-weight: 400 700; src: url(data:font/woff2;base64,${(await readFile(face)).toString('base64')}) }`
export const sameLetters = `${font} :root { --font-ui: Face, sans-serif !important }`

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

/** Published, of the sample deck. */
export async function talk(browser: Browser, { url, dataDir }: Service): Promise<{ sessionId: string; slug: string }> {
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

/** Signed in as the owner of the service, on the dashboard. */
export async function ownerPage(context: BrowserContext, service: Service): Promise<Page> {
  const host = await context.newPage()
  await host.goto(service.setupUrl ?? '')
  await host.getByLabel('Name', { exact: true }).fill('Nora Kessler')
  await host.getByLabel('Email').fill('nora@northwind.example')
  await host.getByLabel('Password').fill('ladder canoe violet 29')
  await host.getByLabel('Account name').fill('Northwind Energy')
  await host.getByRole('button', { name: 'Create owner' }).click()
  await host.waitForURL(/\/dashboard/)
  return host
}

/** `wide` pixels at most. */
export async function asWebp(png: Buffer, wide: number): Promise<Buffer> {
  const picture = await loadImage(png)
  const scale = Math.min(1, wide / picture.width)
  const canvas = createCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale))
  canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height)
  return canvas.encode('webp', 74)
}
