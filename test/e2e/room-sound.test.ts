// Speech in a real browser, with an engine that behaves as told: headless Chromium has no voices of its own.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Service } from './rig.ts'
import { chromiumPath, holds, launchBrowser, startService } from './rig.ts'

const skip = chromiumPath() === undefined ? 'no Chromium is installed' : false

/**
 * `late`: speech begins after 1.5 s. `falls_silent`: it begins and never ends, as remote voices do after 15 s. `bounded`: it tells words.
 * `lasting`: a sentence takes as long as with a person.
 */
type Engine = 'good' | 'lasting' | 'error' | 'blocked' | 'silent' | 'late' | 'falls_silent' | 'bounded'

/** Replaces `speechSynthesis` before any script runs; what was spoken and cancelled is kept in `window.engine`. */
function fakeEngine(engine: Engine): string {
  return `
    window.engine = { spoken: [], speaking: null };
    class FakeUtterance { constructor(text) { this.text = text; this.rate = 1; } }
    const fire = (utterance, name, event) => { if (utterance[name]) utterance[name](event || {}) };
    const synth = {
      getVoices: () => [{ lang: 'en-US', name: 'Test', localService: true, default: true }],
      cancel() { window.engine.speaking = null; },
      speak(utterance) {
        if (utterance.text === '') return;
        window.engine.spoken.push(utterance.text);
        window.engine.speaking = utterance;
        const still = () => window.engine.speaking === utterance;
        const kind = ${JSON.stringify(engine)};
        if (kind === 'error') return setTimeout(() => fire(utterance, 'onerror', { error: 'synthesis-failed' }), 5);
        if (kind === 'blocked') return setTimeout(() => fire(utterance, 'onerror', { error: 'not-allowed' }), 5);
        if (kind === 'silent') return;
        const wait = kind === 'late' ? 1500 : 5;
        setTimeout(() => still() && fire(utterance, 'onstart'), wait);
        if (kind === 'falls_silent') return;
        if (kind === 'bounded') for (const match of utterance.text.matchAll(/\\s\\S/g))
          setTimeout(() => still() && fire(utterance, 'onboundary', { charIndex: match.index + 1 }), wait + match.index * 6);
        const msPerCharacter = kind === 'lasting' ? 60 : 6;
        setTimeout(() => { if (still()) { window.engine.speaking = null; fire(utterance, 'onend'); } }, wait + Math.max(60, utterance.text.length * msPerCharacter));
      },
    };
    Object.defineProperty(window, 'speechSynthesis', { value: synth });
    Object.defineProperty(window, 'SpeechSynthesisUtterance', { value: FakeUtterance });
  `
}

describe('the room with sound', { skip, concurrency: false }, () => {
  /** Loses its patience with a voice after a second or two. */
  let quick: Service
  /** Waits for the end of any sentence. */
  let patient: Service
  let browser: Browser

  before(async () => {
    const started = ['2000', '60'].map((wpm) =>
      startService({ args: ['--demo'], env: { ROSTRUM_SPEECH_WPM: wpm, ROSTRUM_RATE_JOIN: '1000/1m' } }),
    )
    ;[quick, patient] = (await Promise.all(started)) as [Service, Service]
    browser = await launchBrowser()
  })
  after(async () => {
    await browser.close()
    await Promise.all([quick.close(), patient.close()])
  })

  async function open(service: Service, engine: Engine, language = 'en'): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
    await context.addInitScript(fakeEngine(engine))
    const page = await context.newPage()
    await page.goto(`${service.url}/join/welcome?lang=${language}`)
    await page.waitForSelector('html[data-ready]')
    return page
  }

  async function start(engine: Engine): Promise<Page> {
    const page = await open(quick, engine)
    await page.getByRole('button', { name: 'Start with sound' }).click()
    return page
  }

  const spoken = (page: Page): Promise<string[]> => page.evaluate('window.engine.spoken')
  const lines = (page: Page) => page.getByTestId('line').allInnerTexts()
  const afterLines = (page: Page, count: number) =>
    page
      .getByTestId('line')
      .nth(count - 1)
      .waitFor({ state: 'attached' })

  test('what is spoken is what the transcript says, sentence by sentence', async () => {
    const page = await start('good')
    await afterLines(page, 6)
    const said = (await spoken(page)).join(' ')
    for (const line of (await lines(page)).slice(0, 5)) assert.ok(said.includes(line.slice(0, 40).trim()), line)
    await page.context().close()
  })

  test('pausing silences in the turn of the press, and going on takes up the sentence that was cut', async () => {
    const page = await open(patient, 'lasting')
    // Pressed while a sentence sounds, not in the pause between two.
    const pressed = page.evaluate<{ isSilent: boolean; cut: string }>(`new Promise((resolve) => {
      const press = () => {
        const button = [...document.querySelectorAll('button')].find((each) => each.textContent === 'Pause')
        const { speaking } = window.engine
        if (!button || speaking === null || speaking.text.length < 30) return requestAnimationFrame(press)
        button.click()
        resolve({ isSilent: window.engine.speaking === null, cut: speaking.text })
      }
      press()
    })`)
    await page.getByRole('button', { name: 'Start with sound' }).click()
    const { isSilent, cut } = await pressed
    assert.ok(isSilent)
    await page.waitForSelector('main[data-state=paused]')
    const before = (await spoken(page)).length
    await page.getByRole('button', { name: 'Go on' }).click()
    await holds(page, `window.engine.spoken.length > ${before}`)
    const again = (await spoken(page))[before] ?? 'nothing'
    assert.ok(cut.endsWith(again), `${again} after ${cut}`)
    await page.context().close()
  })

  for (const engine of ['late', 'falls_silent', 'bounded'] as const) {
    test(`with an engine of the kind "${engine}" the talk goes on, sentence after sentence`, async () => {
      const page = await start(engine)
      await afterLines(page, 4)
      assert.ok((await spoken(page)).length > 2)
      await page.context().close()
    })
  }

  for (const engine of ['error', 'silent'] as const) {
    test(`with an engine of the kind "${engine}" the talk goes on and says that captions do`, async () => {
      const page = await start(engine)
      await page.getByText('No voice on this device. Captions go on.').waitFor()
      await afterLines(page, 5)
      await page.context().close()
    })
  }

  for (const language of ['en', 'de', 'fr', 'es', 'pt', 'zh', 'ja', 'ar']) {
    test(`on a phone the word that there is no voice is whole beside a paused talk (${language})`, async () => {
      const page = await open(quick, 'error', language)
      await page.setViewportSize({ width: 390, height: 844 })
      await page.locator('.btn-primary').first().click()
      await page.locator('.connection > span').waitFor()
      await page.locator('.controls button').first().click()
      await page.waitForSelector('main[data-state=paused]')
      assert.ok(await page.locator('.connection').evaluate((row) => row.scrollWidth <= row.clientWidth))
      await page.context().close()
    })
  }

  test('blocked audio shows a button and never an error', async () => {
    const page = await start('blocked')
    await page.getByRole('button', { name: 'Turn on sound' }).waitFor()
    await afterLines(page, 3)
    await page.context().close()
  })
})
