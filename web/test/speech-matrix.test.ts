// Engines of speech as browsers have them, in a real Chromium whose clock stands still unless a test moves it: what a loaded machine
// does to timers does nothing to what is measured, and every figure is in the time of the engine (Spec 6.2).
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { chromiumPath, holds, launchBrowser } from '../../test/e2e/rig.ts'
import { captionChunks } from '@rostrum/contract/captions'
import type { FakeRoomOptions } from './fake-room.ts'
import { startFakeRoom } from './fake-room.ts'
import type { FakeEngine, Heard } from './fake-speech.ts'
import { fakeSpeech, goodEngine } from './fake-speech.ts'
import type { PacedPage } from './paced-page.ts'
import { openPacedPage } from './paced-page.ts'
import { beats } from './scripted-talk.ts'

const built = existsSync(join(import.meta.dirname, '../dist/server/render.js'))
const skip = chromiumPath() === undefined ? 'no Chromium is installed' : built ? false : 'not built'

const driftMaxMs = 300

interface Talk extends PacedPage {
  /** So many have ended, and what follows on them has begun. */
  sentences(count: number): Promise<void>
  heard(): Promise<Heard>
}

describe('the matrix of engines', { skip, concurrency: false }, () => {
  let browser: Browser
  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser.close())

  async function start(t: TestContext, engine: Partial<FakeEngine>, options: FakeRoomOptions = {}): Promise<Talk> {
    const room = await startFakeRoom(options)
    t.after(() => room.close())
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
    t.after(() => context.close())
    const paced = await openPacedPage(context, room, fakeSpeech({ ...goodEngine, ...engine }))
    const { page, until } = paced
    const voiced = engine.voicesAfterMs === undefined
    await page.getByRole('button', { name: voiced ? 'Start with sound' : 'Start with captions only' }).click()
    await until(async () => (await page.locator('main').getAttribute('data-state')) === 'presenting')
    const ended = () => room.run.log.filter(({ event, data }) => event === 'beat' && data['phase'] === 'end').length
    return {
      ...paced,
      sentences: (count) => until(async () => ended() >= count),
      heard: () => page.evaluate('window.heard'),
    }
  }

  /** Of each change of the caption inside a sentence: how far it was from the engine's saying that character. */
  function drifts({ utterances, captions }: Heard): { sentence: string; ms: number }[] {
    return utterances.flatMap(({ text, startedAt, wholeMs, cancelledAt }) => {
      const sentence = beats.find((beat) => beat.text.includes(text))?.text
      if (sentence === undefined || startedAt === null || cancelledAt !== null) return []
      const from = sentence.indexOf(text)
      return captionChunks(sentence)
        .filter(({ start }) => start > 0 && start >= from && start < from + text.length)
        .map((chunk) => {
          const saidAt = startedAt + ((chunk.start - from) / text.length) * wholeMs
          const shown = captions.filter((caption) => caption.text === chunk.text).map(({ at }) => Math.abs(at - saidAt))
          return { sentence, ms: Math.min(Infinity, ...shown) }
        })
    })
  }

  const engines: Readonly<Record<string, Partial<FakeEngine>>> = {
    'tells its words': {},
    'tells its words and is slow': { pace: 1.4 },
    'tells its words and is fast': { pace: 0.7 },
    'tells no words': { bounded: false },
    'tells no words and is slow': { bounded: false, pace: 1.4 },
    'tells no words and is fast': { bounded: false, pace: 0.7 },
    'begins late': { startsAfterMs: 1_500 },
  }
  for (const [kind, engine] of Object.entries(engines)) {
    test(`an engine that ${kind}: captions drift by ${driftMaxMs} ms at most`, async (t) => {
      const talk = await start(t, engine)
      await talk.sentences(6)
      const heard = await talk.heard()
      const found = drifts(heard)
      assert.ok(found.length >= 1, 'a sentence of two captions was said')
      for (const { sentence, ms } of found) assert.ok(ms <= driftMaxMs, `${Math.round(ms)} ms: ${sentence}`)
      const said = heard.utterances.map(({ text }) => text).join(' ')
      for (const { text } of beats.slice(0, 6)) assert.ok(said.includes(text), text)
      assert.ok(
        heard.utterances.slice(0, 5).every(({ cancelledAt }) => cancelledAt === null),
        'nothing was cut short',
      )
    })
  }

  test('sentences that take long are said in pieces, so that a voice that falls silent after 15 s never does', async (t) => {
    const talk = await start(t, { silentAfterMs: 15_000, bounded: false, pace: 2 }, { pace: 2 })
    await talk.sentences(5)
    const { utterances } = await talk.heard()
    assert.ok(utterances.length > 6, `${utterances.length} utterances`)
    for (const { text, wholeMs, cancelledAt } of utterances.slice(0, -1)) {
      assert.ok(wholeMs < 15_000, `${Math.round(wholeMs)} ms: ${text}`)
      assert.equal(cancelledAt, null, text)
    }
  })

  const faulty: Readonly<Record<string, Partial<FakeEngine>>> = {
    'never starts': { startsAfterMs: null },
    'falls silent without an event': { silentAfterMs: 500, bounded: false },
    'never ends': { ends: 'never' },
    'never ends and tells no words': { ends: 'never', bounded: false },
  }
  for (const [kind, engine] of Object.entries(faulty)) {
    test(`an engine that ${kind}: the talk goes on, and says that captions do`, async (t) => {
      const talk = await start(t, engine)
      await talk.sentences(6)
      await talk.page.getByText('No voice on this device. Captions go on.').waitFor()
      const { captions } = await talk.heard()
      for (const { text } of beats.slice(0, 6))
        for (const chunk of captionChunks(text))
          assert.ok(
            captions.some((caption) => caption.text === chunk.text),
            chunk.text,
          )
    })
  }

  for (const [kind, voicesAfterMs] of [
    ['is missing', 'missing'],
    ['has no voices', null],
  ] as const) {
    test(`where the engine ${kind} the door says so and offers no sound, and the room has no button that could be lit`, async (t) => {
      const talk = await start(t, { voicesAfterMs })
      await talk.sentences(3)
      assert.equal(await talk.page.getByRole('button', { name: 'Sound' }).count(), 0)
      const { captions } = await talk.heard()
      for (const chunk of captionChunks(beats[1]?.text ?? ''))
        assert.ok(
          captions.some((caption) => caption.text === chunk.text),
          chunk.text,
        )
    })
  }

  test('voices that come late can be turned on, and speak from the next sentence on', async (t) => {
    const talk = await start(t, { voicesAfterMs: 6_000 })
    const sound = talk.page.getByRole('button', { name: 'Sound' })
    await talk.until(async () => (await sound.count()) === 1)
    assert.equal(await sound.getAttribute('aria-pressed'), 'false')
    await sound.click()
    await talk.until(async () => (await talk.heard()).utterances.some(({ endedAt }) => endedAt !== null))
    assert.equal(await sound.getAttribute('aria-pressed'), 'true')
  })

  test('an engine that failed leaves the button unlit: it is never lit without sound', async (t) => {
    const talk = await start(t, { startsAfterMs: null })
    await talk.sentences(6)
    await talk.page.getByText('No voice on this device. Captions go on.').waitFor()
    assert.equal(await talk.page.getByRole('button', { name: 'Sound' }).getAttribute('aria-pressed'), 'false')
  })

  test('the word that is being said is lit in the caption, where the engine tells its words', async (t) => {
    const lit = async (engine: Partial<FakeEngine>) => {
      const talk = await start(t, engine)
      const words: string[] = []
      const word = talk.page.locator('[data-testid=caption] .word')
      await talk.until(async () => {
        const [text] = await word.allTextContents()
        if (text !== undefined && words.at(-1) !== text) words.push(text)
        return words.length >= 5 || (await talk.heard()).utterances.filter(({ endedAt }) => endedAt !== null).length >= 3
      })
      return words
    }
    const words = await lit({})
    assert.ok(words.length >= 5 && words.every((word) => /^\S+$/.test(word)), words.join(' | '))
    assert.deepEqual(await lit({ bounded: false }), [])
  })

  test('the engine is given a word as the host says it, and the caption keeps the word and its light', async (t) => {
    const talk = await start(t, {}, { pronunciations: { storage: 'the keeping of current' } })
    const word = talk.page.locator('[data-testid=caption] .word')
    const words = new Set<string>()
    await talk.until(async () => {
      for (const text of await word.allTextContents()) words.add(text)
      return (await talk.heard()).utterances.filter(({ endedAt }) => endedAt !== null).length >= 2
    })
    const { utterances, captions } = await talk.heard()
    assert.match(utterances[0]?.text ?? '', /grid the keeping of current in twelve/)
    assert.ok(captions.some(({ text }) => /grid storage in twelve/.test(text)))
    assert.ok(words.has('storage') && words.has('minutes.'), [...words].join(' | '))
    assert.ok(captions.every(({ text }) => !/keeping/.test(text)))
  })

  const stops: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    'the button Pause': (page) => page.getByRole('button', { name: 'Pause' }).click(),
    'the space bar': (page) =>
      page
        .locator('h1')
        .click()
        .then(() => page.keyboard.press(' ')),
    'the button Sound': (page) => page.getByRole('button', { name: 'Sound' }).click(),
    'the button for the next slide': (page) => page.getByRole('button', { name: 'Next slide' }).click(),
    async 'a question that does not wait'(page) {
      await page.getByLabel('Ask a question', { exact: true }).fill('Does it survive a winter?')
      await page.getByRole('button', { name: 'Stop and answer now' }).click()
    },
  }
  for (const [by, stop] of Object.entries(stops)) {
    test(`${by} silences the engine before any time passes`, async (t) => {
      const talk = await start(t, { bounded: false })
      const speaking = async () => (await talk.heard()).utterances.at(-1)
      await talk.until(async () => {
        const last = await speaking()
        return last !== undefined && last.startedAt !== null && last.endedAt === null && last.wholeMs > 2_000
      })
      const cut = (await talk.heard()).utterances.length - 1
      await stop(talk.page)
      // What the first key does is fetched; the clock stands meanwhile.
      await holds(talk.page, `window.heard.utterances[${cut}].cancelledAt !== null`)
    })
  }
})
