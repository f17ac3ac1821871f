// The room on an emulated phone (4x slower CPU, 150 ms, 1.6 Mbit/s) in the real Chromium: until it can be used, what it shows first,
// how soon a caption is painted after the server's event, and whether anything jumps in a whole talk. Times, so a busy machine shows.
import type { Browser, CDPSession, Page } from 'playwright-core'
import { chromiumPath, launchBrowser, startService } from '../test/e2e/rig.ts'
import type { Service } from '../test/e2e/rig.ts'
import type { Report, Row } from './report.ts'
import { median, percentile } from './report.ts'

const slowdown = 4
const line = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true, locale: 'en-GB' }
const loads = 7

const owed = { interactiveMs: 1_000, largestPaintMs: 1_500, captionMs: 100, interactionMs: 100, shift: 0 }

/** One press or key, as the browser times it: whole, before its handlers, in them, and until what they drew is painted. */
interface Interaction {
  ms: number
  on: string
  waitedMs: number
  handledMs: number
  paintedMs: number
}

/** What the page writes down about itself. Times of paints are Unix milliseconds, as the server's are. */
interface Seen {
  interactiveMs: number
  largestPaintMs: number
  slowest: Interaction
  shift: number
  /** What moved without a press. */
  shifted: string[]
  /** Sentences as the stream announced them, with the server's time and that at which the page read it. */
  spoken: { at: number; readAt: number; text: string }[]
  captions: { at: number; text: string }[]
}

/**
 * Runs in the page before its own script. A caption counts as painted in the first task after the frame that it was drawn for: before what
 * the page put off until then.
 */
const watch = `
  window.seen = { interactiveMs: 0, largestPaintMs: 0, slowest: { ms: 0, on: '', waitedMs: 0, handledMs: 0, paintedMs: 0 }, shift: 0, shifted: [], spoken: [], captions: [] }
  const { seen } = window
  const observe = (type, more, see) => new PerformanceObserver((list) => list.getEntries().forEach(see)).observe({ type, buffered: true, ...more })
  observe('largest-contentful-paint', {}, (entry) => (seen.largestPaintMs = entry.startTime))
  observe('layout-shift', {}, (entry) => {
    if (entry.hadRecentInput) return
    seen.shift += entry.value
    for (const { node } of entry.sources) seen.shifted.push(entry.value.toFixed(4) + ' ' + (node?.className || node?.nodeName || 'what is gone'))
  })
  observe('event', { durationThreshold: 16 }, ({ interactionId, name, target, startTime, processingStart, processingEnd, duration }) => {
    if (!interactionId || duration < seen.slowest.ms) return
    const on = name + ' on ' + (target?.textContent || target?.id || 'what is gone')
    const times = { waitedMs: processingStart - startTime, handledMs: processingEnd - processingStart, paintedMs: startTime + duration - processingEnd }
    seen.slowest = { ms: duration, on, ...times }
  })
  const parse = JSON.parse
  JSON.parse = (text, revive) => {
    const found = parse(text, revive)
    if (found?.phase === 'start' && found.beatId && found.at) seen.spoken.push({ at: found.at, readAt: performance.timeOrigin + performance.now(), text: found.text })
    return found
  }
  let last = ''
  new MutationObserver(() => {
    if (seen.interactiveMs === 0 && 'ready' in document.documentElement.dataset) seen.interactiveMs = performance.now()
    const text = document.querySelector('[data-testid=caption]')?.textContent ?? ''
    if (text === last || text === '') return
    last = text
    requestAnimationFrame(() => scheduler.postTask(() => seen.captions.push({ at: performance.timeOrigin + performance.now(), text }), { priority: 'user-blocking' }))
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['data-ready'] })
`

/** The window is made as large as the page in its own pixels: what is outside is not painted, and a press there waits for a change elsewhere. */
async function showWhole(cdp: CDPSession): Promise<void> {
  const { windowId } = await cdp.send('Browser.getWindowForTarget')
  const { viewport, deviceScaleFactor } = phone
  const bounds = { width: viewport.width * deviceScaleFactor, height: viewport.height * deviceScaleFactor }
  await cdp.send('Browser.setWindowBounds', { windowId, bounds })
}

async function opened(browser: Browser, url: string, slowLine: boolean): Promise<{ page: Page; cdp: CDPSession }> {
  const context = await browser.newContext(phone)
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await showWhole(cdp)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  if (slowLine) {
    await cdp.send('Network.enable')
    await cdp.send('Network.emulateNetworkConditions', line)
  }
  await page.addInitScript(watch)
  await page.goto(`${url}/join/welcome?lang=en`)
  await page.waitForSelector('html[data-ready]')
  return { page, cdp }
}

const seenBy = (page: Page): Promise<Seen> => page.evaluate('window.seen')

/** A first visit each time: nothing is cached between contexts. */
async function firstVisits(browser: Browser, url: string): Promise<(Seen & { workedMs: number })[]> {
  const seen: (Seen & { workedMs: number })[] = []
  for (let i = 0; i < loads; i++) {
    const { page, cdp } = await opened(browser, url, true)
    await page.waitForLoadState('networkidle')
    seen.push({ ...(await seenBy(page)), workedMs: await workedMs(cdp) })
    await page.context().close()
  }
  return seen
}

/** A whole talk: a question, its answer, the offer, the form for details, the recap. */
async function wholeTalk(browser: Browser, url: string): Promise<Seen> {
  const { page } = await opened(browser, url, false)
  const inState = (state: string) => page.waitForSelector(`main[data-state="${state}"]`, { timeout: 120_000 })
  await page.getByRole('button', { name: 'Start with captions only' }).click()
  await inState('presenting')
  const field = page.getByLabel('Ask a question', { exact: true })
  await field.pressSequentially('What does an answer quote?')
  await field.press('Enter')
  await page.waitForSelector('[data-testid=question][data-status=answered]', { timeout: 60_000 })
  await inState('closing')
  await page.waitForSelector('[data-testid=cta]')
  await page.getByTestId('cta').getByRole('button', { name: 'Leave your details' }).click()
  const form = page.getByRole('dialog', { name: 'Contact details' })
  await form.getByLabel('Email').fill('maya@example.com')
  await form.getByTestId('consent').check()
  await form.getByRole('button', { name: 'Send details' }).click()
  await form.getByText('Sent. The host has your details.').waitFor()
  await form.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Finish' }).click()
  await inState('completed')
  await page.getByTestId('recap').waitFor()
  const seen = await seenBy(page)
  await page.context().close()
  return seen
}

/** From the server's event, and from its reading by the page, to the paint of the first caption of that sentence. */
function captionDelays({ spoken, captions }: Seen): { sinceEvent: number; inPage: number }[] {
  return spoken.flatMap(({ at, readAt, text }) => {
    const shown = captions.find((caption) => caption.at >= at && text.startsWith(caption.text))
    return shown === undefined ? [] : [{ sinceEvent: shown.at - at, inPage: shown.at - readAt }]
  })
}

/** What the main thread of the page has worked, in its own time: others on the machine change nothing. The slow-down counts as work. */
async function workedMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN) * 1_000
}

const quietTalkMs = 10_000

/** The work of ten seconds of a talk at its usual pace, sentence after sentence without an act of the attendee. */
async function workOfTalking(browser: Browser): Promise<number> {
  const service = await startService({ args: ['--demo'] })
  try {
    const { page, cdp } = await opened(browser, service.url, false)
    await page.getByRole('button', { name: 'Start with captions only' }).click()
    await page.waitForSelector('main[data-state="presenting"]')
    const before = await workedMs(cdp)
    await page.waitForTimeout(quietTalkMs)
    const worked = (await workedMs(cdp)) - before
    await page.context().close()
    return worked
  } finally {
    await service.close()
  }
}

async function measured(
  service: Service,
  browser: Browser,
): Promise<{ figures: Report['figures']; slowest: Interaction; shifted: readonly string[] }> {
  const visits = await firstVisits(browser, service.url)
  const talk = await wholeTalk(browser, service.url)
  const delays = captionDelays(talk)
  const figures = {
    interactiveMs: median(visits.map((seen) => seen.interactiveMs)),
    largestPaintMs: median(visits.map((seen) => seen.largestPaintMs)),
    captionMs: percentile(
      delays.map(({ sinceEvent }) => sinceEvent),
      0.95,
    ),
    captionMedianMs: median(delays.map(({ sinceEvent }) => sinceEvent)),
    captionInPageMs: percentile(
      delays.map(({ inPage }) => inPage),
      0.95,
    ),
    captionInPageMedianMs: median(delays.map(({ inPage }) => inPage)),
    captions: delays.length,
    visitWorkMs: median(visits.map((seen) => seen.workedMs)),
    tenSecondsWorkMs: await workOfTalking(browser),
    interactionMs: talk.slowest.ms,
    // Reported to three decimals, as the vitals of the web are.
    shift: Math.round(talk.shift * 1_000) / 1_000,
  }
  return { figures, slowest: talk.slowest, shifted: talk.shifted }
}

function row(claim: string, value: number, most: number, unit: string): Row {
  const shown = (number: number) => `${Number(number.toFixed(unit === '' ? 4 : 0))}${unit}`
  return { claim, measured: shown(value), owed: `<= ${shown(most)}`, holds: value <= most }
}

export async function benchRoom(): Promise<Report> {
  const suite = 'Room on a phone'
  if (chromiumPath() === undefined) return { suite, rows: [], figures: {}, skipped: ['no Chromium is installed'] }
  const service = await startService({ args: ['--demo'], env: { ROSTRUM_SPEECH_WPM: '900', ROSTRUM_RATE_JOIN: '1000/1m' } })
  const browser = await launchBrowser()
  try {
    const { figures, slowest, shifted } = await measured(service, browser)
    const { interactiveMs = NaN, largestPaintMs = NaN, captionMs = NaN, captions = 0, interactionMs = NaN, shift = NaN } = figures
    const rows = [
      row(`first visit until it can be used (median of ${loads})`, interactiveMs, owed.interactiveMs, ' ms'),
      row('first visit, largest paint (median)', largestPaintMs, owed.largestPaintMs, ' ms'),
      row(`caption painted after the server's event (p95 of ${captions})`, captionMs, owed.captionMs, ' ms'),
      row('slowest press or key in a whole talk, until the next paint', interactionMs, owed.interactionMs, ' ms'),
      row('layout shift in a whole talk', shift, owed.shift, ''),
    ]
    const { on, waitedMs, handledMs, paintedMs } = slowest
    const parts = `${waitedMs.toFixed(0)} ms before its handlers, ${handledMs.toFixed(0)} in them, ${paintedMs.toFixed(0)} until painted`
    return { suite, rows, figures, notes: [`slowest: ${on}, ${parts}`, ...shifted.map((words) => `moved: ${words}`)] }
  } finally {
    await browser.close()
    await service.close()
  }
}
