// Interrupting by voice in a real browser: a microphone that hums when told to, recognition that answers as told, and an engine of
// speech that takes five seconds for anything. What must not happen is timed by the clock of the audio, everything else is waited for.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Service } from './rig.ts'
import { axeViolations, chromiumPath, holds, launchBrowser, startService } from './rig.ts'

const skip = chromiumPath() === undefined ? 'no Chromium is installed' : false

/** `window.hum(ms)` speaks, `window.answer` is what is recognised; what the page did is kept in `window.kept`. */
const instruments = `
  window.kept = { opened: 0, closed: 0, recognised: 0, spoken: [], speaking: null };
  window.answer = '';
  const { kept } = window;
  navigator.mediaDevices.getUserMedia = async () => {
    if (window.refuses) throw new DOMException('no', 'NotAllowedError');
    kept.opened++;
    const context = new AudioContext();
    const voice = context.createOscillator();
    const gain = context.createGain();
    const out = context.createMediaStreamDestination();
    gain.gain.value = 0;
    voice.connect(gain).connect(out);
    voice.start();
    window.hum = (ms) => {
      gain.gain.setValueAtTime(0.5, context.currentTime);
      if (ms) gain.gain.setValueAtTime(0, context.currentTime + ms / 1000);
    };
    window.seconds = () => context.currentTime;
    window.hush = () => gain.gain.setValueAtTime(0, context.currentTime);
    for (const track of out.stream.getTracks()) {
      const stop = track.stop.bind(track);
      track.stop = () => { kept.closed++; stop(); };
    }
    return out.stream;
  };
  window.SpeechRecognition = window.webkitSpeechRecognition = class {
    start() {}
    abort() {}
    stop() {
      kept.recognised++;
      setTimeout(() => {
        if (window.answer === null) return;
        if (window.answer !== '' && this.onresult) this.onresult({ results: [[{ transcript: window.answer }]] });
        if (this.onend) this.onend();
      }, 5);
    }
  };
  class FakeUtterance { constructor(text) { this.text = text; } }
  Object.defineProperty(window, 'SpeechSynthesisUtterance', { value: FakeUtterance });
  Object.defineProperty(window, 'speechSynthesis', { value: {
    getVoices: () => [{ lang: 'en-US', name: 'Test', localService: true, default: true }],
    cancel() { kept.speaking = null; },
    speak(utterance) {
      if (utterance.text === '') return;
      kept.spoken.push(utterance.text);
      kept.speaking = utterance.text;
      setTimeout(() => utterance.onstart && utterance.onstart({}), 5);
      // Before the room's watchdog. What was said last stays until it is cut or the next begins.
      setTimeout(() => utterance.onend && utterance.onend({}), 5000);
    },
  } });
`

interface Kept {
  opened: number
  closed: number
  recognised: number
  spoken: string[]
  speaking: string | null
}

interface Posted {
  kind: string
  body: { text?: string; interrupt?: boolean; acks?: { beatId: string; phase: string; chars?: number }[] }
}

describe('interrupting by voice', { skip, concurrency: false }, () => {
  let service: Service
  let browser: Browser

  before(async () => {
    // So slow that no watchdog ends a sentence.
    service = await startService({ args: ['--demo'], env: { ROSTRUM_SPEECH_WPM: '60', ROSTRUM_RATE_JOIN: '1000/1m' } })
    browser = await launchBrowser()
  })
  after(async () => {
    await browser.close()
    await service.close()
  })

  async function start(t: TestContext, scheme: 'light' | 'dark' = 'light', width = 1280): Promise<{ page: Page; posted: Posted[] }> {
    const viewport = { width, height: 800 }
    const context = await browser.newContext({ viewport, locale: 'en-GB', colorScheme: scheme, bypassCSP: true })
    t.after(() => context.close())
    await context.addInitScript(instruments)
    const page = await context.newPage()
    const posted: Posted[] = []
    page.on('request', (request) => {
      const kind = /\/(acks|questions)$/.exec(request.url())?.[1]
      if (kind !== undefined && request.method() === 'POST') posted.push({ kind, body: request.postDataJSON() as Posted['body'] })
    })
    await page.goto(`${service.url}/join/welcome?lang=en`)
    await page.waitForSelector('html[data-ready]')
    await page.getByRole('button', { name: 'Start with sound' }).click()
    await page.waitForSelector('main[data-state=presenting]')
    return { page, posted }
  }

  /** By keyboard alone. */
  async function openDialog(page: Page) {
    await page.getByRole('button', { name: 'More' }).focus()
    await page.keyboard.press('Enter')
    const item = page.getByRole('menuitemcheckbox', { name: 'Interrupt by voice' })
    await item.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Interrupt by voice' })
    await dialog.waitFor()
    return dialog
  }

  async function turnOn(page: Page): Promise<void> {
    const dialog = await openDialog(page)
    await dialog.getByRole('button', { name: 'Turn on the microphone' }).click()
    await page.getByRole('button', { name: 'Microphone on' }).waitFor()
  }

  const kept = (page: Page): Promise<Kept> => page.evaluate('window.kept')
  const cuts = (posted: readonly Posted[]) => posted.flatMap(({ body }) => (body.acks ?? []).filter(({ phase }) => phase === 'cut'))

  /** While a sentence sounds: a voice, until the presenter is silent. */
  async function speakUp(page: Page, answer: string | null): Promise<string> {
    await holds(page, 'window.kept.speaking !== null')
    await page.evaluate(`window.answer = ${JSON.stringify(answer)}; window.hum()`)
    await holds(page, 'window.kept.speaking === null')
    const { spoken } = await kept(page)
    await page.evaluate('window.hush()')
    return spoken.at(-1) ?? ''
  }

  test('the microphone opens after consent alone, its button says so, and turning it off closes it', async (t) => {
    const { page } = await start(t)
    const dialog = await openDialog(page)
    await dialog.getByText('its maker may receive the audio').waitFor()
    assert.equal((await kept(page)).opened, 0)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await turnOn(page)
    const { opened, closed } = await kept(page)
    assert.deepEqual({ opened, closed }, { opened: 1, closed: 0 })
    const button = page.getByRole('button', { name: 'Microphone on', pressed: true })
    await button.focus()
    await page.keyboard.press('Enter')
    await button.waitFor({ state: 'hidden' })
    await holds(page, 'window.kept.closed === 1')
  })

  test('a microphone that the browser refuses is said so, with what to do', async (t) => {
    const { page } = await start(t)
    await page.evaluate('window.refuses = true')
    const dialog = await openDialog(page)
    await dialog.getByRole('button', { name: 'Turn on the microphone' }).click()
    await dialog.getByText('Allow it in your browser').waitFor()
  })

  test('a question that is spoken stops the presenter, is asked at once, and the log holds what was heard', async (t) => {
    const { page, posted } = await start(t)
    await turnOn(page)
    await speakUp(page, 'What does an answer quote?')
    const card = page.getByTestId('question').filter({ hasText: 'What does an answer quote?' })
    await card.getByTestId('answer').waitFor()
    const asked = posted.filter(({ kind }) => kind === 'questions')
    assert.deepEqual(
      asked.map(({ body }) => [body.text, body.interrupt]),
      [['What does an answer quote?', true]],
    )
    const [cut] = cuts(posted)
    assert.ok(cut?.chars !== undefined && cut.chars >= 0, JSON.stringify(cut))
    assert.ok(
      posted.findIndex(({ body }) => body.acks?.some(({ phase }) => phase === 'cut')) <
        posted.findIndex(({ kind }) => kind === 'questions'),
    )
  })

  for (const [kind, answer] of Object.entries({
    'a word of agreement': 'Mhm, right.',
    'no words': '',
    'a recognition that never answers': null,
  })) {
    test(`after ${kind} the talk goes on from the same clause, and nothing is asked`, async (t) => {
      const { page, posted } = await start(t)
      await turnOn(page)
      const cut = await speakUp(page, answer)
      await holds(page, 'window.kept.speaking !== null')
      const again = (await kept(page)).speaking ?? ''
      assert.ok(cut.includes(again) || again.includes(cut), `${again} after ${cut}`)
      assert.equal(cuts(posted).length, 1)
      assert.ok(posted.some(({ body }) => body.acks?.some(({ phase }) => phase === 'started')))
      assert.equal(posted.filter((post) => post.kind === 'questions').length, 0)
    })
  }

  test('a cough of 150 ms stops nobody', async (t) => {
    const { page, posted } = await start(t)
    await turnOn(page)
    await holds(page, 'window.kept.speaking !== null')
    for (let i = 0; i < 3; i++) {
      const at: number = await page.evaluate('(window.hum(150), window.seconds())')
      await holds(page, `window.seconds() > ${at + 0.5}`)
    }
    // The one after it does.
    assert.deepEqual(cuts(posted), [])
    await speakUp(page, '')
    await holds(page, 'window.kept.speaking !== null')
    assert.equal(cuts(posted).length, 1)
  })

  test('the consent, the open microphone and the menu pass axe in both themes and on a phone', async (t) => {
    for (const [scheme, width] of [
      ['light', 1280],
      ['dark', 390],
    ] as const) {
      const { page } = await start(t, scheme, width)
      const pictures = process.env['ROSTRUM_TEST_SCREENSHOTS']
      const look = async (name: string) => {
        if (pictures !== undefined) await page.screenshot({ path: `${pictures}/interrupt-${name}-${scheme}-${width}.png` })
        assert.deepEqual(await axeViolations(page), [], `${name}, ${scheme}, ${width}`)
        const across: number = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        assert.ok(across <= 0, `${name} is ${across} px too wide`)
      }
      const dialog = await openDialog(page)
      await look('consent')
      await dialog.getByRole('button', { name: 'Turn on the microphone' }).click()
      await page.getByRole('button', { name: 'Microphone on' }).waitFor()
      await look('on')
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Interrupt by voice', checked: true }).waitFor()
      await look('menu')
    }
  })
})
