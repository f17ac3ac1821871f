// The server's voice and ears in a real browser: clips that really play, and a question that is really recorded.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { SpeechServer } from '../support/speech-server.ts'
import { startSpeechServer } from '../support/speech-server.ts'
import type { Service } from './rig.ts'
import { chromiumPath, launchBrowser, startService } from './rig.ts'

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
  const play = HTMLMediaElement.prototype.play;
  HTMLMediaElement.prototype.play = function () {
    window.audio = this;
    if (this.src.includes('/media/')) window.clips.push({ src: this.src, from: this.currentTime });
    return play.call(this);
  };
  navigator.mediaDevices && (navigator.mediaDevices.getUserMedia = async () => {
    const context = new AudioContext();
    const hum = context.createOscillator();
    const out = context.createMediaStreamDestination();
    hum.connect(out);
    hum.start();
    return out.stream;
  });
`

describe('the room with a voice and ears of the server', { skip, concurrency: false }, () => {
  let speech: SpeechServer
  let service: Service
  let browser: Browser

  before(async () => {
    // The second sentence of the talk is never said by the server.
    speech = await startSpeechServer(({ body }) =>
      body.input?.includes('automated') ? { ends: 'reject' } : { format: 'wav', pace: 12, text: 'What does it cost?' },
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
    browser = await launchBrowser()
  })
  after(async () => {
    await browser.close()
    await service.close()
    await speech.close()
  })

  async function start(): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
    await context.addInitScript(instruments)
    const page = await context.newPage()
    await page.goto(`${service.url}/join/welcome?lang=en`)
    await page.waitForSelector('html[data-ready]')
    await page.getByRole('button', { name: 'Start with sound' }).click()
    await page.waitForSelector('main[data-state=presenting]')
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

  test('the next clip is fetched while the one before is played, and once', async () => {
    const page = await start()
    while ((await clips(page)).length < 5) await page.waitForTimeout(20)
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
    const page = await start()
    await afterLines(page, 3)
    const cut: { paused: boolean; at: number; src: string } = await page.evaluate(`new Promise((resolve) => {
      const button = [...document.querySelectorAll('button')].find((each) => each.textContent === 'Pause')
      const press = () => {
        const { audio } = window
        if (!audio || audio.paused || !audio.src.includes('/media/') || audio.currentTime < 0.15 || audio.duration - audio.currentTime < 0.15) return requestAnimationFrame(press)
        button.click()
        resolve({ paused: audio.paused, at: audio.currentTime, src: audio.src })
      }
      press()
    })`)
    assert.equal(cut.paused, true)
    await page.waitForSelector('main[data-state=paused]')
    const before = (await clips(page)).length
    await page.getByRole('button', { name: 'Go on' }).click()
    while ((await clips(page)).length <= before) await page.waitForTimeout(20)
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
    await page.waitForTimeout(300)
    await listening.click()
    const field = page.getByRole('textbox', { name: 'Ask a question' })
    while ((await field.inputValue()) === '') await page.waitForTimeout(20)
    assert.equal(await field.inputValue(), 'What does it cost?')
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
    await page.waitForTimeout(300)
    await listening.click()
    await page.getByText('That was not understood.').waitFor()
    speech.act = well
    const lines = await page.getByTestId('line').count()
    await afterLines(page, lines + 2)
    await page.context().close()
  })
})
