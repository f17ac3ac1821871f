// The server's voice and ears in a real browser: clips that really play, and a question that is really recorded.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { eventually } from '../support/clock.ts'
import type { SpeechServer } from '../support/speech-server.ts'
import { startSpeechServer } from '../support/speech-server.ts'
import { writeTinyEars } from '../support/tiny-speech.ts'
import type { Service } from './rig.ts'
import { becomes, chromiumPath, heldTimers, holds, launchBrowser, startService } from './rig.ts'

const skip = chromiumPath() === undefined ? 'no Chromium is installed' : false

/** Keeps the audio element of the room, an engine of speech that only notes, and a microphone that hums. */
const instruments = `
  window.engine = { spoken: [] };
  class FakeUtterance { constructor(text) { this.text = text; } }
  Object.defineProperty(window, 'SpeechSynthesisUtterance', { value: FakeUtterance });
  Object.defineProperty(window, 'speechSynthesis', { value: {
    getVoices: () => [{ lang: 'en-US', name: 'Test', localService: true, default: true }],
    cancel() {},
    speak(utterance) {
      if (utterance.text === '') return;
      window.engine.spoken.push(utterance.text);
      setTimeout(() => utterance.onstart && utterance.onstart({}), 5);
      setTimeout(() => utterance.onend && utterance.onend({}), 100);
    },
  } });
  window.clips = [];
  window.ahead = [];
  const source = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'src');
  Object.defineProperty(HTMLMediaElement.prototype, 'src', { ...source, set(url) {
    // The room's own element is the first there is.
    window.first = window.first || this;
    if (this !== window.first && url.includes('/media/')) window.ahead.push({ url: new URL(url, location.href).href, played: window.clips.map(({ src }) => src) });
    source.set.call(this, url);
  } });
  window.recording = false;
  const record = MediaRecorder.prototype.start;
  MediaRecorder.prototype.start = function (...rest) {
    this.addEventListener('start', () => (window.recording = true));
    record.apply(this, rest);
  };
  const play = HTMLMediaElement.prototype.play;
  HTMLMediaElement.prototype.play = function () {
    window.audio = this;
    if (this.src.includes('/media/')) window.clips.push({ src: this.src, from: this.currentTime });
    return play.call(this);
  };
  navigator.mediaDevices && (navigator.mediaDevices.getUserMedia = async () => {
    const context = new AudioContext();
    window.seconds = () => context.currentTime;
    const hum = context.createOscillator();
    const out = context.createMediaStreamDestination();
    hum.connect(out);
    hum.start();
    return out.stream;
  });
`

/** Until the recorder has had some of the microphone's time. */
async function heardSome(page: Page): Promise<void> {
  await holds(page, 'window.recording')
  const from: number = await page.evaluate('window.seconds()')
  await holds(page, `window.seconds() > ${from + 0.3}`)
}

/** Whether the voice has tried every sentence of the script. */
function isSaid(dataDir: string): boolean {
  const store = new DatabaseSync(join(dataDir, 'rostrum.db'), { readOnly: true })
  try {
    const { waiting, total } = store.prepare("select sum(state = 'pending') as waiting, count(*) as total from clips").get() ?? {}
    return waiting === 0 && Number(total) > 0
  } finally {
    store.close()
  }
}

describe('the room with ears that take WAV alone', { skip, concurrency: false }, () => {
  test('a browser that records Opus was not understood: the recording is sent again as WAV, and from then on at once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rostrum-ears-'))
    // A recogniser of this machine in the real engine; it tells a low tone from a high one.
    const env = { ROSTRUM_RATE_JOIN: '1000/1m', ROSTRUM_STT: `sherpa:${writeTinyEars(join(folder, 'ears'))}` }
    const service = await startService({ args: ['--demo'], env })
    const browser = await launchBrowser()
    try {
      const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
      await page.addInitScript(instruments)
      const answers: string[] = []
      page.on('response', (response) => {
        if (!response.url().endsWith('/utterances')) return
        answers.push(`${response.request().headers()['content-type'] ?? ''} ${response.status()}`)
      })
      await page.goto(`${service.url}/join/welcome?lang=en`)
      await page.waitForSelector('html[data-ready]')
      await page.getByRole('button', { name: 'Start with sound' }).click()
      const field = page.getByRole('textbox', { name: 'Ask a question' })
      for (const expected of [['audio/webm 415', 'audio/wav 200'], ['audio/wav 200']]) {
        await field.fill('')
        await page.evaluate('window.recording = false')
        await page.getByRole('button', { name: 'Speak' }).click()
        const listening = page.getByRole('button', { name: 'Listening. Stop' })
        await listening.waitFor()
        await heardSome(page)
        await listening.click()
        // What a loaded machine loses of the tone sounds high.
        await becomes(async () => (await field.inputValue()).includes('low'), true)
        assert.deepEqual(answers.splice(0), expected)
      }
    } finally {
      await browser.close()
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('the room with a voice and ears of the server', { skip, concurrency: false }, () => {
  let speech: SpeechServer
  let service: Service
  let browser: Browser

  before(async () => {
    // The second sentence of the talk is never said by the server.
    speech = await startSpeechServer(({ body }) =>
      body.input?.includes('automated') ? { ends: 'reject' } : { format: 'wav', pace: 30, hums: true, text: 'What does it cost?' },
    )
    service = await startService({
      args: ['--demo'],
      env: {
        ROSTRUM_RATE_JOIN: '1000/1m',
        ROSTRUM_SPEECH_WPM: '1000',
        ROSTRUM_TTS: `compatible:stub@${speech.baseUrl}`,
        ROSTRUM_STT: `compatible:stub@${speech.baseUrl}`,
      },
    })
    await eventually(async () => isSaid(service.dataDir))
    browser = await launchBrowser()
  })
  after(async () => {
    await browser.close()
    await service.close()
    await speech.close()
  })

  async function open(): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
    // The patience of the room with a clip is held elsewhere, in the time of a clock of its own.
    await context.addInitScript(heldTimers)
    await context.addInitScript(instruments)
    const page = await context.newPage()
    await page.goto(`${service.url}/join/welcome?lang=en`)
    await page.waitForSelector('html[data-ready]')
    return page
  }

  const begin = (page: Page) => page.getByRole('button', { name: 'Start with sound' }).click()

  async function start(): Promise<Page> {
    const page = await open()
    await begin(page)
    return page
  }

  const clips = (page: Page): Promise<{ src: string; from: number }[]> => page.evaluate('window.clips')
  const spoken = (page: Page): Promise<string[]> => page.evaluate('window.engine.spoken')
  const afterLines = (page: Page, count: number) =>
    page
      .getByTestId('line')
      .nth(count - 1)
      .waitFor({ state: 'attached' })

  test('sentences are the clips of the server, and one without a clip is said by the browser', async () => {
    const page = await start()
    await afterLines(page, 6)
    const played = await clips(page)
    assert.ok(played.length >= 3, `${played.length} clips`)
    assert.equal(new Set(played.map(({ src }) => src)).size, played.length, 'no sentence twice')
    const said = (await spoken(page)).join(' ')
    assert.match(said, /automated/)
    const lines = await page.getByTestId('line').allInnerTexts()
    assert.ok(lines.filter((line) => said.includes(line.trim())).length < lines.length / 2, said)
    await page.context().close()
  })

  test('the level of the presenter follows the sound of the clip: a hum is in the low bar and in no high one', async () => {
    const page = await start()
    const bars = `[...document.querySelectorAll('[data-testid=level] > *')].map((bar) => Number(bar.style.transform.slice(7, -1)))`
    await holds(page, `!window.audio?.paused && (([low, , , high]) => low > 0.6 && high < 0.4)(${bars})`)
    await page.getByTestId('door-voice').waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('the next clip is fetched while the one before is played, and once', async () => {
    const page = await start()
    await holds(page, 'window.clips.length >= 5')
    const ahead: { url: string; played: string[] }[] = await page.evaluate('window.ahead')
    const played = (await clips(page)).map(({ src }) => src)
    // The second sentence has no clip, so the first names none ahead of it.
    const after = played.slice(2)
    for (const src of after) {
      const found = ahead.find(({ url }) => url === src)
      assert.ok(found !== undefined && !found.played.includes(src), `${src} was not fetched ahead`)
    }
    const loads: string[] = await page.evaluate(
      "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('/media/') && name.endsWith('.wav'))",
    )
    assert.equal(new Set(loads).size, loads.length, 'each was fetched once')
    await page.context().close()
  })

  test('pausing silences the clip in the turn of the press, and going on takes it up where it was cut', async () => {
    const page = await open()
    const pressed = page.evaluate<{ paused: boolean; at: number; src: string }>(`new Promise((resolve) => {
      const press = () => {
        const button = [...document.querySelectorAll('button')].find((each) => each.textContent === 'Pause')
        const { audio } = window
        if (!button || !audio || audio.paused || !audio.src.includes('/media/') || audio.currentTime < 0.15 || audio.duration - audio.currentTime < 0.15) return requestAnimationFrame(press)
        button.click()
        resolve({ paused: audio.paused, at: audio.currentTime, src: audio.src })
      }
      press()
    })`)
    await begin(page)
    const cut = await pressed
    assert.equal(cut.paused, true)
    await page.waitForSelector('main[data-state=paused]')
    const before = (await clips(page)).length
    await page.getByRole('button', { name: 'Go on' }).click()
    await holds(page, `window.clips.length > ${before}`)
    const again = (await clips(page))[before]
    assert.equal(again?.src, cut.src)
    assert.ok(Math.abs((again?.from ?? 0) - cut.at) < 0.05, `${again?.from} after ${cut.at}`)
    await page.context().close()
  })

  test('a spoken question lands in the field to be corrected, and is not sent by itself', async () => {
    const page = await start()
    await page.getByRole('button', { name: 'Speak' }).click()
    const listening = page.getByRole('button', { name: 'Listening. Stop' })
    await listening.waitFor()
    await page.getByText('does not keep the recording').waitFor()
    await heardSome(page)
    await listening.click()
    const field = page.getByRole('textbox', { name: 'Ask a question' })
    await becomes(() => field.inputValue(), 'What does it cost?')
    assert.equal(await page.getByTestId('question').count(), 0)
    const heard = speech.requests.findLast(({ path }) => path.endsWith('/audio/transcriptions'))
    assert.match(heard?.form['file'] ?? '', /^utterance\.(webm|mp4) audio\/(webm|mp4) \d{3,}/)
    await page.context().close()
  })

  test('words that could not be had are said so, and the talk goes on from where it was silenced', async () => {
    const page = await start()
    await afterLines(page, 2)
    const well = speech.act
    speech.act = (request) => (request.path.endsWith('/audio/transcriptions') ? { text: '' } : well(request))
    await page.getByRole('button', { name: 'Speak' }).click()
    const listening = page.getByRole('button', { name: 'Listening. Stop' })
    await listening.waitFor()
    await heardSome(page)
    await listening.click()
    await page.getByText('That was not understood.').waitFor()
    speech.act = well
    const lines = await page.getByTestId('line').count()
    await afterLines(page, lines + 2)
    await page.context().close()
  })
})
