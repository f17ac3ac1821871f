// Ways into the room and out of it: by keyboard alone, in another language, in a frame of another site, and leaving.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Service } from './rig.ts'
import { becomes, chromiumPath, heldTimers, holds, launchBrowser, startService } from './rig.ts'

const skip = chromiumPath() === undefined ? 'no Chromium is installed' : false

/** Headless Chromium has none, and without one the room offers no sound. */
const oneVoice = `Object.defineProperty(window, 'speechSynthesis', { value: {
  getVoices: () => [{ lang: 'en-GB', name: 'Test', localService: true, default: true }],
  addEventListener() {}, speak() {}, cancel() {},
} })`

describe('reaching and leaving the room', { skip, concurrency: false }, () => {
  let service: Service
  let browser: Browser

  before(async () => {
    service = await startService({ args: ['--demo'], env: { ROSTRUM_SPEECH_WPM: '60', ROSTRUM_RATE_JOIN: '1000/1m' } })
    browser = await launchBrowser()
  })
  after(async () => {
    await browser.close()
    await service.close()
  })

  async function open(path: string, script = ''): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
    const page = await context.newPage()
    await page.addInitScript(script)
    await page.goto(service.url + path)
    await page.waitForSelector('html[data-ready]')
    return page
  }

  const focused = (page: Page): Promise<string> =>
    page.evaluate(`(() => {
      const at = document.activeElement
      return at.getAttribute('aria-label') || at.labels?.[0]?.textContent || at.textContent.trim() || at.tagName
    })()`)

  test('everything is reached by keyboard, in the order of reading, and focus never gets stuck', async () => {
    const page = await open('/join/welcome?lang=en', oneVoice)
    await page.getByRole('button', { name: 'Start with sound' }).waitFor()
    const door: string[] = []
    for (let i = 0; i < 4; i++) {
      await page.keyboard.press('Tab')
      door.push(await focused(page))
    }
    assert.deepEqual(door, ['Text of this slide', 'Your name', 'Start with sound', 'Start with captions only'])
    await page.keyboard.press('Enter')
    await page.waitForSelector('main[data-state=presenting]')
    const walked: string[] = []
    await page.locator('h1').click()
    for (let i = 0; i < 20; i++) {
      await page.keyboard.press('Tab')
      walked.push(await focused(page))
      const ringed: boolean = await page.evaluate(
        `document.activeElement === document.body || getComputedStyle(document.activeElement).outlineStyle !== 'none'`,
      )
      assert.ok(ringed, `focus is seen on ${walked.at(-1)}`)
    }
    const order = ['Sound', 'More', 'Leave', 'Pause', 'Repeat', 'Pace', 'Questions', 'Ask a question', 'Ask'].map((name) =>
      walked.findIndex((each) => each.startsWith(name)),
    )
    assert.ok(!order.includes(-1), walked.join(', '))
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
      walked.join(', '),
    )
    await page.context().close()
  })

  test('the menu opens, moves and closes by keyboard and gives focus back', async () => {
    const page = await open('/join/welcome?lang=en')
    await page.getByRole('button', { name: 'Start with captions only' }).click()
    await page.waitForSelector('main[data-state=presenting]')
    await page.getByRole('button', { name: 'More' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('ArrowDown')
    await becomes(async () => /Small captions/.test(await focused(page)), true)
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'hidden' })
    await becomes(() => focused(page), 'More')
    await page.context().close()
  })

  test('leaving can be undone for five seconds, then ends with the recap', async () => {
    const page = await open('/join/welcome?lang=en', heldTimers)
    await page.getByRole('button', { name: 'Start with captions only' }).click()
    await page.waitForSelector('main[data-state=presenting]')
    const undo = page.getByRole('button', { name: 'Undo' })
    await page.getByRole('button', { name: 'Leave' }).click()
    await undo.click()
    await undo.waitFor({ state: 'detached' })
    assert.equal(await page.getByTestId('recap').count(), 0)
    await page.getByRole('button', { name: 'Leave' }).click()
    await undo.waitFor()
    await page.evaluate('window.ring()')
    await page.getByTestId('recap').waitFor()
    await page.getByText('You have left the talk.').waitFor()
    await page.context().close()
  })

  test('the language of the address decides the words, and Arabic runs from the right', async () => {
    const german = await open('/join/welcome?lang=de')
    await german.getByRole('button', { name: 'Nur mit Untertiteln starten' }).waitFor()
    const arabic = await open('/join/welcome?lang=ar')
    assert.equal(await arabic.evaluate('document.documentElement.dir'), 'rtl')
    assert.equal(await arabic.getByTestId('slide').getAttribute('dir'), 'ltr')
    assert.equal(await arabic.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    await german.context().close()
    await arabic.context().close()
  })

  test('in a frame of another site the room plays and tells that site, and nobody else, where it stands', async () => {
    const host = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html')
      response.end(`<script>window.words = []; addEventListener('message', (event) => words.push([event.origin, event.data]))</script>
        <iframe src="${service.url}/join/welcome?embed=1&lang=en" title="Talk" width="900" height="700" allow="autoplay"></iframe>`)
    })
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
    const { port } = host.address() as AddressInfo
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${port}/`)
    const frame = page.frameLocator('iframe')
    await frame.getByRole('button', { name: 'Start with captions only' }).click()
    await frame.locator('main[data-state=presenting]').waitFor()
    await holds(page, "['ready', 'state'].every((type) => window.words.some(([, word]) => word.type === type))")
    const words: [string, { source: string }][] = await page.evaluate('window.words')
    assert.deepEqual(new Set(words.map(([origin]) => origin)), new Set([service.url]))
    assert.ok(words.every(([, word]) => word.source === 'rostrum'))
    await context.close()
    await new Promise((resolve) => host.close(resolve))
  })
})
