// The attendee room of the real service in a real browser: the hooks and names are those of the contract for tests.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Service } from './rig.ts'
import { assertAccessible, chromiumPath, holds, launchBrowser, startService } from './rig.ts'

const skip = chromiumPath() === undefined ? 'no Chromium is installed' : false

/** Sums what moved without the person having acted (web vitals: cumulative layout shift). What an act moves may take its time. */
const shiftObserver = `
  const acts = []
  const shifts = []
  new PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true })
  window.actBegins = () => acts.push({ from: performance.now(), to: Infinity })
  window.actEnds = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
    acts.at(-1).to = performance.now()
    resolve()
  })))
  window.shifted = () => shifts
    .filter((each) => !each.hadRecentInput && !acts.some(({ from, to }) => each.startTime >= from && each.startTime <= to))
    .reduce((sum, { value }) => sum + value, 0)
`

describe('the room', { skip, concurrency: false }, () => {
  /** Its talk takes some seconds. */
  let quick: Service
  /** Its talk takes minutes: longer than any test that needs it to be under way. */
  let slow: Service
  let browser: Browser

  before(async () => {
    const started = ['2500', '100'].map((wpm) =>
      startService({ args: ['--demo'], env: { ROSTRUM_SPEECH_WPM: wpm, ROSTRUM_RATE_JOIN: '1000/1m' } }),
    )
    ;[quick, slow] = (await Promise.all(started)) as [Service, Service]
    browser = await launchBrowser()
  })
  after(async () => {
    await browser.close()
    await Promise.all([quick.close(), slow.close()])
  })

  async function open(service: Service, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page & { problems: string[] }> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', ...options })
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
    await page.goto(`${service.url}/join/welcome?lang=en`)
    if (options.javaScriptEnabled !== false) await page.waitForSelector('html[data-ready]')
    return Object.assign(page, { problems })
  }

  const main = (page: Page, state: string) => page.waitForSelector(`main[data-state="${state}"]`)
  const startCaptions = (page: Page) => page.getByRole('button', { name: 'Start with captions only' }).click()

  const ask = async (page: Page) => {
    await page.getByLabel('Ask a question', { exact: true }).fill('What does an answer quote?')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-testid=citation]')
  }

  /** What the person does, and what it brings about. */
  async function act(page: Page, press: () => Promise<unknown>, effect: () => Promise<unknown>): Promise<void> {
    await page.evaluate('window.actBegins()')
    await press()
    await effect()
    await page.evaluate('window.actEnds()')
  }

  test('opening the page is no attendance; starting plays the talk to its end with transcript, question, citation and recap', async () => {
    const page = await open(quick)
    assert.equal(await page.getByTestId('connection').getAttribute('data-state'), 'idle')
    assert.equal(await page.getByTestId('slide').getAttribute('data-index'), '1')
    await page.getByLabel('Your name').fill('Maya')
    const started = async () => {
      await page.waitForSelector('[data-testid=connection][data-state=live]')
      await page.waitForSelector('[data-testid=line]', { state: 'attached' })
    }
    await act(page, () => startCaptions(page), started)
    const question = page.getByLabel('Ask a question', { exact: true })
    await question.fill('What does an answer quote?')
    const answered = () => page.waitForSelector('[data-testid=question][data-status=answered]')
    await act(page, () => question.press('Enter'), answered)
    const answer = page.getByTestId('answer').first()
    assert.match(await answer.innerText(), /slide/i)
    const back = page.getByRole('button', { name: /Return to live|Close/ }).first()
    const citation = answer.getByTestId('citation').first()
    await act(
      page,
      () => citation.click(),
      () => back.waitFor(),
    )
    await act(
      page,
      () => back.click(),
      () => back.waitFor({ state: 'hidden' }),
    )
    await main(page, 'closing')
    await page.waitForSelector('[data-testid=cta]')
    const shifted: number = await page.evaluate('window.shifted()')
    assert.ok(shifted < 0.005, `nothing jumps: ${shifted}`)
    await page.getByRole('button', { name: 'Finish' }).click()
    await main(page, 'completed')
    await page.getByTestId('recap').waitFor()
    const recap = await page.getByTestId('recap').innerText()
    assert.match(recap, /What does an answer quote\?/)
    assert.deepEqual(page.problems, [])
  })

  test('every sentence of the transcript is there once and in order, over a lost connection', async () => {
    const page = await open(quick)
    await startCaptions(page)
    await page.waitForSelector('[data-testid=line]', { state: 'attached' })
    await page.context().setOffline(true)
    await page.waitForSelector('[data-testid=connection][data-state=offline], [data-testid=connection][data-state=reconnecting]')
    await page.getByLabel('Ask a question', { exact: true }).fill('Does it speak while I am away?')
    await page.getByLabel('Ask a question', { exact: true }).press('Enter')
    await page.waitForSelector('[data-testid=question][data-status=sending]')
    await page.context().setOffline(false)
    await page.waitForSelector('[data-testid=connection][data-state=live]')
    await page.waitForSelector('[data-testid=question][data-status=answered]')
    // A room that was empty for half a minute has paused.
    await page.waitForSelector('main[data-state=closing], main[data-state=paused]')
    const goOn = page.getByRole('button', { name: 'Go on', exact: true })
    if ((await goOn.count()) > 0) await goOn.click()
    await main(page, 'closing')
    const beats = await page.getByTestId('line').evaluateAll((lines) => lines.map((line) => line.getAttribute('data-beat')))
    assert.equal(new Set(beats).size, beats.length)
    const room = (await (await fetch(`${quick.url}/api/v1/rooms/welcome`)).json()) as { slides: { title: string }[] }
    const log = await page.getByRole('log').innerText()
    for (const { title } of room.slides.slice(1)) assert.ok(log.includes(title), `the transcript names "${title}"`)
    assert.deepEqual(page.problems, [])
  })

  test('a reload returns to the same attendee, and a crash of the service to the same talk', async () => {
    const page = await open(quick)
    await startCaptions(page)
    await page.waitForSelector('[data-testid=line]', { state: 'attached' })
    await page.getByLabel('Ask a question', { exact: true }).fill('A draft')
    await page.reload()
    await page.waitForSelector('html[data-ready]')
    await page.waitForSelector('[data-testid=connection][data-state=live]')
    assert.equal(await page.getByLabel('Ask a question', { exact: true }).inputValue(), 'A draft')
    const again = page.waitForRequest(/\/stream$/)
    await quick.crashAndRestart()
    await again
    await page.waitForSelector('[data-testid=connection][data-state=live]')
    await main(page, 'closing')
    const beats = await page.getByTestId('line').evaluateAll((lines) => lines.map((line) => line.getAttribute('data-beat')))
    assert.equal(new Set(beats).size, beats.length)
  })

  test('pausing, reviewing and jumping work by button and by key', async () => {
    const page = await open(slow)
    await startCaptions(page)
    await main(page, 'presenting')
    await page.getByRole('button', { name: 'Pause' }).click()
    await main(page, 'paused')
    await page.getByText('Paused by you').first().waitFor()
    const here = Number(await page.getByTestId('slide').getAttribute('data-index'))
    await page.locator('h1').click()
    await page.keyboard.press('ArrowRight')
    await page.waitForSelector(`[data-testid=slide][data-index="${here + 1}"]`)
    await page.keyboard.press('Escape')
    await page.waitForSelector(`[data-testid=slide][data-index="${here}"]`)
    await page.keyboard.press(' ')
    await main(page, 'presenting')
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard' })
    await keys.waitFor()
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'hidden' })
    await page.keyboard.press('q')
    await holds(page, "document.activeElement.id === 'ask'")
    assert.deepEqual(page.problems, [])
  })

  test('details are sent only with the box ticked, once, and say what was agreed', async () => {
    const page = await open(slow)
    await startCaptions(page)
    await main(page, 'presenting')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Leave your details' }).click()
    const dialog = page.getByRole('dialog', { name: 'Contact details' })
    await dialog.getByLabel('Email').fill('maya@example.com')
    await dialog.getByRole('button', { name: 'Send details' }).click()
    await holds(page, "document.activeElement.dataset.testid === 'consent'")
    assert.equal(await dialog.getByTestId('consent').isChecked(), false)
    await dialog.getByTestId('consent').check()
    await dialog.getByRole('button', { name: 'Send details' }).click()
    await dialog.getByText('Sent. The host has your details.').waitFor()
    assert.deepEqual(page.problems, [])
  })

  test('without script the room reads: title, description and every slide in order', async () => {
    const page = await open(slow, { javaScriptEnabled: false })
    const room = (await (await fetch(`${slow.url}/api/v1/rooms/welcome`)).json()) as { title: string; slides: { title: string }[] }
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
    const page = await context.newPage()
    const response = await page.goto(`${slow.url}/join/no-such-talk-abcdef`)
    assert.equal(response?.status(), 404)
    await page.getByRole('heading', { name: 'This talk is not open' }).waitFor()
  })

  test('no screen of a talk breaks an accessibility rule, in both themes and at both ends of width', async (t) => {
    const fair = (screen: string, page: Page) => t.test(screen, () => assertAccessible(page, screen))
    const page = await open(slow, { bypassCSP: true })
    await fair('door', page)
    await startCaptions(page)
    await main(page, 'presenting')
    await ask(page)
    await fair('talk', page)
    await page.getByRole('tab', { name: 'Transcript' }).click()
    await fair('transcript', page)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Keyboard' }).click()
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    await fair('keys', page)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Leave your details' }).click()
    await page.getByRole('dialog', { name: 'Contact details' }).waitFor()
    await fair('form', page)
    await page.context().close()
    const over = await open(quick, { bypassCSP: true })
    await startCaptions(over)
    await ask(over)
    await main(over, 'closing')
    await over.getByRole('button', { name: 'Finish' }).click()
    await over.getByTestId('recap').getByRole('button', { name: '4 of 5' }).click()
    await fair('recap', over)
    await over.goto((await over.getByRole('link', { name: 'Keep this page' }).getAttribute('href')) ?? '')
    await over.getByText('What does an answer quote?').waitFor()
    await over.getByText('Take this page back').click()
    await fair('kept page', over)
    await over.getByRole('button', { name: 'Take it back' }).click()
    await over.getByRole('heading', { name: 'This page was taken back' }).waitFor()
    await fair('kept page, taken back', over)
    const gone = await over.goto(over.url())
    assert.equal(gone?.status(), 404)
    await over.context().close()
  })

  test('with reduced motion nothing moves for longer than 80 ms', async () => {
    const page = await open(slow, { reducedMotion: 'reduce' })
    await startCaptions(page)
    await main(page, 'presenting')
    const longest: number = await page.evaluate(
      'Math.max(0, ...document.getAnimations().map((animation) => Number(animation.effect.getComputedTiming().duration)))',
    )
    assert.ok(longest <= 80, `${longest} ms`)
  })

  test('notes of the host are in nothing that the browser gets', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const bodies: Promise<string>[] = []
    page.on('response', (response) => bodies.push(response.text().catch(() => '')))
    await page.goto(`${slow.url}/join/welcome?lang=en`)
    await page.waitForSelector('html[data-ready]')
    assert.ok(bodies.length > 2)
    for (const body of bodies) assert.doesNotMatch(await body, /"?agentNotes/)
  })
})
