// The slide follows the voice, in a real browser over the real service and a PDF that the browser prints: what is being said is lit
// where it stands, at every size, and an answer shows what it quotes and goes back.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import type { Service } from './rig.ts'
import { assertAccessible, becomes, chromiumPath, launchBrowser, startService } from './rig.ts'

const skip = chromiumPath() === undefined ? 'no Chromium is installed' : false

/** Where the two statements of the second slide stand, in fractions of it. */
const upper = { top: 0.3, bottom: 0.42 }
const lower = { top: 0.82, bottom: 0.94 }

const deck = `<!doctype html><html lang="en"><meta charset="utf-8"><style>
  @page { size: 960px 540px; margin: 0 }
  body { margin: 0; font: 22px/1.35 sans-serif }
  section { position: relative; width: 960px; height: 540px; page-break-after: always; overflow: hidden }
  h1 { position: absolute; left: 60px; top: 40px; margin: 0; font-size: 40px } p { position: absolute; left: 60px; width: 760px; margin: 0 }
</style>
<section><h1>How pumps learned to be quiet</h1></section>
<section><h1>What makes the noise</h1>
  <p style="top: ${upper.top * 540}px">The blades cut the water, and each of them makes a pressure wave.</p>
  <p style="top: ${lower.top * 540}px">The bearing hums at full load, and the housing hands that on to the floor.</p></section>
<section><h1>What it costs</h1>
  <p style="top: 250px">A small pump costs nine hundred euros, delivery to the house included.</p></section></html>`

describe('the light on a slide', { skip, concurrency: false }, () => {
  let service: Service
  let browser: Browser
  let folder: string
  let slug: string

  before(async () => {
    browser = await launchBrowser()
    folder = await mkdtemp(join(tmpdir(), 'rostrum-light-'))
    const page = await browser.newPage()
    await page.setContent(deck)
    await writeFile(join(folder, 'pumps.pdf'), await page.pdf({ preferCSSPageSize: true, printBackground: true }))
    await page.close()
    const env = { ROSTRUM_SPEECH_WPM: '120', ROSTRUM_RATE_JOIN: '1000/1m' }
    service = await startService({ env })
    ;({ slug } = await command(service, 'session', 'create', '--title', 'Pumps', '--deck', join(folder, 'pumps.pdf'), '--publish'))
  })
  after(async () => {
    await browser.close()
    await service.close()
    await rm(folder, { recursive: true, force: true })
  })

  async function command({ url, dataDir }: Service, ...words: string[]): Promise<{ slug: string; key: string }> {
    const env = { PATH: process.env['PATH'], ROSTRUM_DATA_DIR: dataDir, ROSTRUM_BASE_URL: url }
    const { stdout } = await promisify(execFile)(join(import.meta.dirname, '../../bin/rostrum'), [...words, '--json'], { env })
    return JSON.parse(stdout) as { slug: string; key: string }
  }

  async function attend(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', ...options })
    const page = await context.newPage()
    await page.goto(`${service.url}/join/${slug}?lang=en`)
    await page.waitForSelector('html[data-ready]')
    await page.getByRole('button', { name: 'Start with captions only' }).click()
    await page.waitForSelector('main[data-state=presenting]')
    return page
  }

  /** The talk is at the sentence of these words, and stands still there. */
  async function stoppedAt(page: Page, words: string): Promise<void> {
    if ((await page.getByTestId('slide').getAttribute('data-index')) === '1') await page.getByRole('button', { name: 'Next slide' }).click()
    await page.getByTestId('caption').filter({ hasText: words }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.waitForSelector('main[data-state=paused]')
  }

  /** Top and bottom of what is lit, in fractions of the picture as it is seen. */
  const litOn = (page: Page): Promise<{ top: number; bottom: number; left: number; right: number }> =>
    page.evaluate(`(() => {
      const image = document.querySelector('[data-testid=slide] .slide-image')
      const box = image.getBoundingClientRect()
      const scale = Math.min(box.width / image.naturalWidth, box.height / image.naturalHeight)
      const [width, height] = [image.naturalWidth * scale, image.naturalHeight * scale]
      const [left, top] = [box.left + (box.width - width) / 2, box.top + (box.height - height) / 2]
      const hole = document.querySelector('[data-testid=slide] [data-testid=spotlight] mask rect + rect')
      const [x, y, wide, high] = ['x', 'y', 'width', 'height'].map((name) => Number(hole.getAttribute(name)))
      const onScreen = document.querySelector('[data-testid=slide] .light').getScreenCTM()
      const from = new DOMPoint(x, y).matrixTransform(onScreen)
      const to = new DOMPoint(x + wide, y + high).matrixTransform(onScreen)
      return { top: (from.y - top) / height, bottom: (to.y - top) / height, left: (from.x - left) / width, right: (to.x - left) / width }
    })()`)

  const styleOf = (page: Page, selector: string, name: string): Promise<string> =>
    page.evaluate(`getComputedStyle(document.querySelector('[data-testid=slide] [data-testid=spotlight] ${selector}'))['${name}']`)

  const sizes = { desktop: [1280, 800], phone: [390, 844], 'a phone on its side': [844, 390], 'a narrow window': [320, 700] } as const

  test('the block that is being said is lit where it stands on the picture, at every size', async () => {
    const page = await attend()
    await stoppedAt(page, 'blades')
    for (const [name, [width, height]] of Object.entries(sizes)) {
      await page.setViewportSize({ width, height })
      const lit = await litOn(page)
      assert.ok(lit.top > upper.top - 0.05 && lit.top < upper.top + 0.03, `${name}: from ${lit.top}`)
      assert.ok(lit.bottom < upper.bottom + 0.02 && lit.bottom > upper.top + 0.04, `${name}: to ${lit.bottom}`)
      assert.ok(lit.left > 0.03 && lit.left < 0.08, `${name}: at ${lit.left}`)
    }
    await page.context().close()
  })

  test('the light goes on with the voice, and the rest of the picture recedes', async () => {
    const page = await attend()
    await stoppedAt(page, 'bearing')
    const lit = await litOn(page)
    assert.ok(lit.top > lower.top - 0.05 && lit.bottom < lower.bottom + 0.02, JSON.stringify(lit))
    assert.equal(await page.locator('[data-testid=slide] [data-testid=spotlight]').count(), 1)
    assert.equal(await styleOf(page, '.spot-rest', 'opacity'), '0.3')
    // Words of the deck stand where captions would lie: they are below.
    const [words, slide] = await Promise.all(['.caption-words', '[data-testid=slide]'].map((each) => page.locator(each).boundingBox()))
    assert.ok(words && slide && words.y >= slide.y + slide.height)
    await page.context().close()
  })

  test('with reduced motion nothing recedes: a rule stands beside the block, and nothing moves', async () => {
    const page = await attend({ reducedMotion: 'reduce' })
    await stoppedAt(page, 'blades')
    assert.equal(await styleOf(page, '.spot-rest', 'display'), 'none')
    assert.equal(await styleOf(page, '.spot-rule', 'display'), 'block')
    await page.context().close()
  })

  test('an answer shows the slide that it quotes with the quote marked, and goes back to the slide that it interrupted', async () => {
    const page = await attend()
    await page.getByRole('button', { name: 'Next slide' }).click()
    await page.getByTestId('caption').filter({ hasText: 'blades' }).waitFor()
    await page.getByLabel('Ask a question', { exact: true }).fill('What does a small pump cost?')
    await page.keyboard.press('Enter')
    const cited = page.getByTestId('cited')
    await cited.waitFor()
    assert.equal(await cited.getAttribute('data-index'), '3')
    assert.equal(await cited.locator('.spot-quote').count(), 1)
    assert.equal(await page.getByTestId('slide').getAttribute('data-index'), '2')
    // What it says is in the answer: nothing is read out twice, and nothing in it takes the focus.
    assert.equal(await cited.getAttribute('aria-hidden'), 'true')
    const shares: number = await page.evaluate(
      `document.querySelector('[data-testid=cited]').offsetWidth / document.querySelector('[data-testid=slide]').offsetWidth`,
    )
    assert.ok(Math.abs(shares - 0.5) < 0.02, `${shares}`)
    await page.waitForSelector('[data-testid=cited][data-gone]', { state: 'attached' })
    await page.waitForSelector('main[data-state=presenting]')
    assert.equal(await page.getByTestId('slide').getAttribute('data-index'), '2')
    await becomes(() => page.locator('[data-testid=slide] [data-testid=spotlight]').count(), 1)
    await page.context().close()
  })

  test('the room with its light on is accessible in both themes and at both ends of width', async () => {
    const page = await attend({ bypassCSP: true })
    await stoppedAt(page, 'blades')
    await page.waitForSelector('[data-testid=spotlight]', { state: 'attached' })
    await assertAccessible(page, 'a lit slide')
    await page.context().close()
  })

  test('of a slide without a picture the line that is being said keeps its ink, and the others can still be read', async () => {
    const text = await startService({ env: { ROSTRUM_SPEECH_WPM: '60' } })
    try {
      const { key } = await command(text, 'key', 'create', '--name', 'test')
      const noise = 'What makes the noise\n- The blades cut the water\n- The bearing hums at full load'
      const body = JSON.stringify({ title: 'Pumps', isLive: true, slides: [{ textContent: 'Pumps' }, { textContent: noise }] })
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
      const made = await fetch(`${text.url}/api/v1/agent/sessions`, { method: 'POST', headers, body })
      const { slug: at } = (await made.json()) as { slug: string }
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, bypassCSP: true })
      const page = await context.newPage()
      await page.goto(`${text.url}/join/${at}?lang=en`)
      await page.getByRole('button', { name: 'Start with captions only' }).click()
      await page.getByRole('button', { name: 'Next slide' }).click()
      await page.waitForSelector('[data-testid=spotlight] [data-lit]')
      await page.getByRole('button', { name: 'Pause' }).click()
      await assertAccessible(page, 'a lit slide of text')
      await context.close()
    } finally {
      await text.close()
    }
  })
})
