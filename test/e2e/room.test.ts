// The attendee room of the real service in a real browser: the hooks and names are those of the contract for tests.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Service } from './rig.ts'
import { axeViolations, chromiumPath, launchBrowser, startService } from './rig.ts'

const skip = chromiumPath() === undefined ? 'no Chromium is installed' : false

/** Sums what moved without the person having acted (web vitals: cumulative layout shift). */
const shiftObserver = `
  window.shifted = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
`

describe('the room', { skip, concurrency: false }, () => {
  let service: Service
  let browser: Browser
  const contexts: BrowserContext[] = []

  before(async () => {
    service = await startService({ args: ['--demo'], env: { ROSTRUM_SPEECH_WPM: '2500', ROSTRUM_RATE_JOIN: '1000/1m' } })
    browser = await launchBrowser()
  })
  after(async () => {
    await browser.close()
    await service.close()
  })

  async function open(
    options: Parameters<Browser['newContext']>[0] = {},
    path = '/join/welcome?lang=en',
  ): Promise<Page & { problems: string[] }> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', ...options })
    contexts.push(context)
    const page = await context.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) problems.push(message.text())
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(service.url) && !/^(data|blob):/.test(request.url())) problems.push(`foreign request ${request.url()}`)
    })
    await page.addInitScript(shiftObserver)
    await page.goto(service.url + path)
    if (options.javaScriptEnabled !== false) await page.waitForSelector('html[data-ready]')
    return Object.assign(page, { problems })
  }

  const main = (page: Page, state: string) => page.waitForSelector(`main[data-state="${state}"]`)
  const startCaptions = (page: Page) => page.getByRole('button', { name: 'Start with captions only' }).click()

  /** Looks at the last slide and goes on from there, so that a test need not hear the whole talk. */
  async function toTheEnd(page: Page): Promise<void> {
    await page.locator('h1').click()
    for (let i = 1; i < Number(await page.getByTestId('slide').getAttribute('data-count')); i++) await page.keyboard.press('ArrowRight')
    await page.getByRole('button', { name: 'Go on from here' }).click()
    await main(page, 'closing')
  }

  async function axe(page: Page): Promise<string[]> {
    // A slide that is fading in has no contrast of its own yet.
    await page.evaluate('document.getAnimations().forEach((animation) => animation.finish())')
    return axeViolations(page)
  }

  test('opening the page is no attendance; starting plays the talk to its end with transcript, question, citation and recap', async () => {
    const page = await open()
    assert.equal(await page.getByTestId('connection').getAttribute('data-state'), 'idle')
    assert.equal(await page.getByTestId('slide').getAttribute('data-index'), '1')
    await page.getByLabel('Your name').fill('Maya')
    await startCaptions(page)
    await main(page, 'presenting')
    await page.waitForSelector('[data-testid=connection][data-state=live]')
    const question = page.getByLabel('Ask a question', { exact: true })
    await question.fill('What does an answer quote?')
    await question.press('Enter')
    await page.waitForSelector('[data-testid=question][data-status=answered]')
    const answer = page.getByTestId('answer').first()
    assert.match(await answer.innerText(), /slide/i)
    await answer.getByTestId('citation').first().click()
    await page
      .getByRole('button', { name: /Return to live|Close/ })
      .first()
      .click()
    await main(page, 'closing')
    await page.waitForSelector('[data-testid=cta]')
    const shifted: number = await page.evaluate('window.shifted')
    assert.ok(shifted < 0.005, `nothing jumps: ${shifted}`)
    await page.getByRole('button', { name: 'Finish' }).click()
    await main(page, 'completed')
    await page.getByTestId('recap').waitFor()
    const recap = await page.getByTestId('recap').innerText()
    assert.match(recap, /What does an answer quote\?/)
    assert.deepEqual(page.problems, [])
  })

  test('every sentence of the transcript is there once and in order, over a lost connection', async () => {
    const page = await open()
    await startCaptions(page)
    await main(page, 'presenting')
    await page.waitForSelector('[data-testid=line]', { state: 'attached' })
    await page.context().setOffline(true)
    await page.waitForSelector('[data-testid=connection][data-state=offline], [data-testid=connection][data-state=reconnecting]')
    await page.getByLabel('Ask a question', { exact: true }).fill('Does it speak while I am away?')
    await page.getByLabel('Ask a question', { exact: true }).press('Enter')
    await page.waitForSelector('[data-testid=question][data-status=sending]')
    await page.context().setOffline(false)
    await page.waitForSelector('[data-testid=connection][data-state=live]')
    await page.waitForSelector('[data-testid=question][data-status=answered]')
    await main(page, 'closing')
    const beats = await page.getByTestId('line').evaluateAll((lines) => lines.map((line) => line.getAttribute('data-beat')))
    assert.equal(new Set(beats).size, beats.length)
    const room = (await (await fetch(`${service.url}/api/v1/rooms/welcome`)).json()) as { slides: { title: string }[] }
    const log = await page.getByRole('log').innerText()
    for (const { title } of room.slides.slice(1)) assert.ok(log.includes(title), `the transcript names "${title}"`)
    assert.deepEqual(page.problems, [])
  })

  test('a reload returns to the same attendee, and a crash of the service to the same talk', async () => {
    const page = await open()
    await startCaptions(page)
    await main(page, 'presenting')
    await page.getByLabel('Ask a question', { exact: true }).fill('A draft')
    await page.reload()
    await page.waitForSelector('html[data-ready]')
    await page.waitForSelector('[data-testid=connection][data-state=live]')
    assert.equal(await page.getByLabel('Ask a question', { exact: true }).inputValue(), 'A draft')
    const again = page.waitForRequest(/\/stream$/)
    await service.crashAndRestart()
    await again
    await page.waitForSelector('[data-testid=connection][data-state=live]')
    await main(page, 'closing')
    const beats = await page.getByTestId('line').evaluateAll((lines) => lines.map((line) => line.getAttribute('data-beat')))
    assert.equal(new Set(beats).size, beats.length)
  })

  test('pausing, reviewing and jumping work by button and by key', async () => {
    const page = await open()
    await startCaptions(page)
    await main(page, 'presenting')
    await page.getByRole('button', { name: 'Pause' }).click()
    await main(page, 'paused')
    await page.getByText('Paused by you').first().waitFor()
    await page.locator('h1').click()
    await page.keyboard.press('ArrowRight')
    await page.waitForSelector('[data-testid=slide][data-index="2"]')
    await page.keyboard.press('Escape')
    await page.waitForSelector('[data-testid=slide][data-index="1"]')
    await page.keyboard.press(' ')
    await main(page, 'presenting')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('q')
    assert.equal(await page.evaluate('document.activeElement.id'), 'ask')
    assert.deepEqual(page.problems, [])
  })

  test('details are sent only with the box ticked, once, and say what was agreed', async () => {
    const page = await open()
    await startCaptions(page)
    await main(page, 'presenting')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Leave your details' }).click()
    const dialog = page.getByRole('dialog', { name: 'Contact details' })
    await dialog.getByLabel('Email').fill('maya@example.com')
    await dialog.getByRole('button', { name: 'Send details' }).click()
    assert.equal(await page.evaluate('document.activeElement.dataset.testid'), 'consent')
    assert.equal(await dialog.getByTestId('consent').isChecked(), false)
    await dialog.getByTestId('consent').check()
    await dialog.getByRole('button', { name: 'Send details' }).click()
    await dialog.getByText('Sent. The host has your details.').waitFor()
    assert.deepEqual(page.problems, [])
  })

  test('without script the room reads: title, description and every slide in order', async () => {
    const page = await open({ javaScriptEnabled: false })
    const room = (await (await fetch(`${service.url}/api/v1/rooms/welcome`)).json()) as { title: string; slides: { title: string }[] }
    const text = await page.locator('body').innerText()
    let from = 0
    for (const { title } of room.slides) {
      const at = text.indexOf(title, from)
      assert.ok(at >= from, `"${title}" follows`)
      from = at
    }
    assert.ok(text.includes(room.title))
  })

  test('a room that is unknown says that the talk is not open', async () => {
    const context = await browser.newContext()
    contexts.push(context)
    const page = await context.newPage()
    const response = await page.goto(`${service.url}/join/no-such-talk-abcdef`)
    assert.equal(response?.status(), 404)
    await page.getByRole('heading', { name: 'This talk is not open' }).waitFor()
  })

  test('nothing a screen shows breaks an accessibility rule, light and dark, narrow and wide', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [320, 1280]) {
        const page = await open({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true })
        const where = (screen: string) => `${screen}, ${colorScheme}, ${width}`
        assert.deepEqual(await axe(page), [], where('door'))
        await startCaptions(page)
        await main(page, 'presenting')
        await page.getByLabel('Ask a question', { exact: true }).fill('What does an answer quote?')
        await page.keyboard.press('Enter')
        await page.waitForSelector('[data-testid=citation]')
        assert.deepEqual(await axe(page), [], where('talk'))
        assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, where('no sideways scrolling'))
        await page.getByRole('tab', { name: 'Transcript' }).click()
        assert.deepEqual(await axe(page), [], where('transcript'))
        await page.getByRole('button', { name: 'More' }).click()
        await page.getByRole('menuitem', { name: 'Leave your details' }).click()
        assert.deepEqual(await axe(page), [], where('form'))
        await page.keyboard.press('Escape')
        await toTheEnd(page)
        await page.getByRole('button', { name: 'Finish' }).click()
        await page.getByTestId('recap').waitFor()
        assert.deepEqual(await axe(page), [], where('recap'))
        await page.goto((await page.getByRole('link', { name: 'Keep this page' }).getAttribute('href')) ?? '')
        await page.getByText('What does an answer quote?').waitFor()
        assert.deepEqual(await axe(page), [], where('kept page'))
        await page.context().close()
      }
    }
  })

  test('with reduced motion nothing moves for longer than 80 ms', async () => {
    const page = await open({ reducedMotion: 'reduce' })
    await startCaptions(page)
    await main(page, 'presenting')
    const longest: number = await page.evaluate(
      'Math.max(0, ...document.getAnimations().map((animation) => Number(animation.effect.getComputedTiming().duration)))',
    )
    assert.ok(longest <= 80, `${longest} ms`)
  })

  test('notes of the host are in nothing that the browser gets', async () => {
    const context = await browser.newContext()
    contexts.push(context)
    const page = await context.newPage()
    const bodies: string[] = []
    page.on(
      'response',
      (response) =>
        void response.text().then(
          (text) => bodies.push(text),
          () => undefined,
        ),
    )
    await page.goto(`${service.url}/join/welcome?lang=en`)
    await page.waitForSelector('html[data-ready]')
    for (const body of bodies) assert.doesNotMatch(body, /"?agentNotes/)
  })
})
