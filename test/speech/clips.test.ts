// The server's voice on a talk: clips made ahead in the background, on both stores, over a real HTTP server that behaves as told.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { joinTalk } from '../support/attendee.ts'
import { eventually, settle } from '../support/clock.ts'
import type { TestService } from '../support/service.ts'
import { openService, withService } from '../support/service.ts'
import type { SpeechServer } from '../support/speech-server.ts'
import { msPerCharacter, startSpeechServer } from '../support/speech-server.ts'
import { eachStore } from '../support/stores.ts'

let speech: SpeechServer
before(async () => {
  speech = await startSpeechServer()
})
after(() => speech.close())
afterEach(() => {
  speech.letGo()
  speech.requests.length = 0
  speech.busiest = 0
  speech.act = () => ({})
})

const env = () => ({
  ROSTRUM_TTS: 'compatible:stub',
  ROSTRUM_TTS_BASE_URL: speech.baseUrl,
  ROSTRUM_TTS_VOICE: 'clara',
  ROSTRUM_TTS_API_KEY: 'sk-voice',
})
const slides = [
  { textContent: 'Pumps\n- They are quiet enough for the bedroom of any house\n- They weigh 4 kg and hang on a wall of any kind' },
  { textContent: 'Prices\n- They cost from 90 euros in every country of the union\n- Who buys ten of them pays for nine of them only' },
]

interface NewTalk {
  id: string
  slug: string
  rehearsal: string
}

async function newTalk(app: TestService, { publish = true, token = app.key } = {}): Promise<NewTalk> {
  const { body } = await app.api('POST', '/api/v1/agent/sessions', { title: 'Pumps for all', slides }, token)
  const { sessionId: id, slug, rehearsalUrl } = body
  if (publish) assert.equal((await app.api('POST', `/api/v1/agent/sessions/${id}/publish`, {}, token)).status, 200)
  return { id, slug, rehearsal: new URL(rehearsalUrl).pathname.split('/').at(-1) ?? '' }
}

const rows = (app: TestService) => app.store.read.selectFrom('clips').selectAll().orderBy('position').execute()
const jobs = (app: TestService) => app.store.read.selectFrom('jobs').selectAll().where('kind', '=', 'clip').execute()
const spoken = () => speech.requests.map(({ body }) => body.input ?? '')

/** Until every sentence that is wanted has been said, or given up. */
async function allSaid(app: TestService, count = 1): Promise<void> {
  await eventually(async () => {
    const all = await rows(app)
    return all.length >= count && all.every(({ state }) => state !== 'pending')
  })
  await settle()
}

eachStore((_, open) => {
  test('a published deck is said ahead, each sentence once, and its beats carry the clips', () =>
    withService(
      open,
      async (app) => {
        const { slug } = await newTalk(app)
        await allSaid(app)
        assert.deepEqual(spoken().toSorted(), [...new Set(spoken())].toSorted())
        const [first] = speech.requests
        assert.deepEqual({ ...first?.body, input: '' }, { model: 'stub', input: '', voice: 'clara', response_format: 'mp3', speed: 1 })
        assert.equal(first?.headers.authorization, 'Bearer sk-voice')
        const ada = await joinTalk(app, slug)
        await ada.act('control', { action: 'start' })
        await ada.until('closing')
        const begun = ada.messages.filter(({ event, data }) => event === 'beat' && data.phase === 'start').map(({ data }) => data)
        assert.ok(begun.length > 4)
        for (const beat of begun) {
          assert.ok(Math.abs(beat.audioMs - beat.text.length * msPerCharacter) <= 24, `${beat.audioMs} ms for ${beat.text}`)
          assert.equal(beat.estMs, beat.audioMs, 'the talk keeps the time of the clip')
          const { pathname } = new URL(beat.audioUrl)
          assert.match(pathname, /^\/media\/[0-9a-f]{64}\.mp3$/)
          const media = await app.request(pathname)
          assert.deepEqual([media.status, media.headers.get('content-type')], [200, 'audio/mpeg'])
          assert.match(media.headers.get('cache-control') ?? '', /immutable/)
        }
        await ada.close()
      },
      env(),
    ))

  test("a talk never waits for the voice: a sentence that is late is the browser's, the next that is there is the server's", () =>
    withService(
      open,
      async (app) => {
        speech.act = () => ({ ends: 'silent' })
        const { slug } = await newTalk(app)
        await eventually(async () => speech.requests.length > 0)
        const ada = await joinTalk(app, slug)
        await ada.act('control', { action: 'start' })
        await eventually(async () => {
          await ada.read()
          return ada.messages.some(({ event }) => event === 'beat')
        })
        assert.equal(ada.messages.find(({ event }) => event === 'beat')?.data.audioUrl, undefined)
        speech.act = () => ({})
        speech.letGo()
        await allSaid(app)
        await ada.until('closing')
        const last = ada.messages.findLast(({ event, data }) => event === 'beat' && data.phase === 'start')
        assert.match(last?.data.audioUrl, /\/media\//)
        await ada.close()
      },
      env(),
    ))

  test('a cut clip goes on at its millisecond', () =>
    withService(
      open,
      async (app) => {
        const { slug } = await newTalk(app)
        await allSaid(app)
        const ada = await joinTalk(app, slug)
        await ada.act('control', { action: 'start' })
        await eventually(async () => {
          await ada.read()
          return ada.messages.some(({ event }) => event === 'beat')
        })
        const beatId = ada.messages.find(({ event }) => event === 'beat')?.data.beatId
        await ada.act('acks', { acks: [{ beatId, phase: 'cut', chars: 9, ms: 540 }] })
        await ada.act('control', { action: 'pause' })
        await ada.act('control', { action: 'resume' })
        const again = () => ada.messages.filter(({ event, data }) => event === 'beat' && data.phase === 'start' && data.beatId === beatId)
        await eventually(async () => {
          await ada.read()
          return again().length === 2
        })
        assert.equal(again()[1]?.data.audioFromMs, 540)
        const late = await joinTalk(app, slug)
        assert.equal(late.runId === ada.runId, false)
        await late.close()
        await ada.close()
      },
      env(),
    ))

  test("a sentence that fails is tried three times more, then it is the browser's, and the next start tries again", () =>
    withService(
      open,
      async (app) => {
        speech.act = ({ body }) => (body.input?.includes('90') ? { ends: 'refuse' } : {})
        await newTalk(app)
        const asked = () => spoken().filter((text) => text.includes('90')).length
        for (const [tries, delayMs] of [
          [1, 5_000],
          [2, 30_000],
          [3, 300_000],
          [4, 0],
        ] as const) {
          await eventually(
            async () =>
              asked() === tries && (await jobs(app)).every(({ due_at, lease_token }) => lease_token === null && due_at > app.clock.now()),
          )
          await settle()
          assert.equal(asked(), tries)
          await app.clock.advance(delayMs)
        }
        await allSaid(app)
        assert.equal(asked(), 4)
        const failed = (await rows(app)).filter(({ state }) => state === 'failed')
        assert.equal(failed.length, 1)
        speech.act = () => ({})
        const again = await openService({ store: app.store, env: env() })
        await eventually(async () => (await rows(app)).every(({ state }) => state === 'ready'))
        await again.close()
      },
      env(),
    ))

  test('a voice that never answers is left after twenty seconds, and its sentences are tried again', () =>
    withService(
      open,
      async (app) => {
        speech.act = () => (speech.requests.length <= 4 ? { ends: 'silent' } : {})
        await newTalk(app)
        await eventually(async () => speech.requests.length === 4)
        await eventually(async () => {
          await app.clock.advance(1_000)
          return (await rows(app)).every(({ state }) => state === 'ready')
        })
      },
      env(),
    ))

  for (const ends of ['reject', 'cut', 'garbage', 'huge'] as const)
    test(`an answer that ends with "${ends}" never becomes a clip`, () =>
      withService(
        open,
        async (app) => {
          speech.act = () => ({ ends })
          await newTalk(app)
          const isLasting = ends === 'reject' || ends === 'huge'
          await eventually(async () => {
            const [all, left] = [await rows(app), await jobs(app)]
            if (isLasting) return all.length > 0 && all.every(({ state }) => state === 'failed')
            return left.length > 0 && left.every(({ failures, due_at }) => failures === 1 && due_at - app.clock.now() < 30_000)
          })
          assert.ok((await rows(app)).every(({ blob_key }) => blob_key === null))
        },
        env(),
      ))

  test('what a process left is taken up by the next, and what is there is not said again', async () => {
    const { store } = await open()
    speech.act = () => (speech.requests.length <= 3 ? {} : { ends: 'silent' })
    const first = await openService({ store, env: env() })
    await newTalk(first)
    await eventually(async () => (await rows(first)).filter(({ state }) => state === 'ready').length === 3)
    const closing = first.close()
    await closing
    const before = spoken().slice(0, 3)
    const waiting = (await rows(first)).filter(({ state }) => state === 'pending')
    const left = await jobs(first)
    assert.deepEqual(
      [left.length, left.every(({ lease_token, failures }) => lease_token === null && failures === 0)],
      [waiting.length, true],
    )
    speech.letGo()
    speech.requests.length = 0
    speech.act = () => ({})
    const second = await openService({ store, env: env() })
    await allSaid(second)
    assert.deepEqual(spoken().toSorted(), waiting.map(({ text_content }) => text_content).toSorted())
    assert.ok(before.every((text) => !spoken().includes(text)))
    await second.close()
  })

  test('at most four sentences are said at once', () =>
    withService(
      open,
      async (app) => {
        speech.act = () => ({ delayMs: 5 })
        await newTalk(app)
        await allSaid(app)
        assert.ok(speech.busiest <= 4 && speech.requests.length > 6, `${speech.busiest} of ${speech.requests.length}`)
      },
      env(),
    ))

  test('equal sentences are said once for an account, and never taken from another account', () =>
    withService(
      open,
      async (app) => {
        const { id } = await newTalk(app)
        await allSaid(app)
        const once = speech.requests.length
        const copy = await app.api('POST', `/api/v1/agent/sessions/${id}/duplicate`, {})
        const copyId = String(copy.body.sessionId)
        await app.api('POST', `/api/v1/agent/sessions/${copyId}/publish`, {})
        await eventually(async () => (await rows(app)).filter(({ state }) => state === 'ready').length >= 2 * once)
        // The opening says the title, which a copy has of its own.
        const anew = speech.requests.slice(once).map(({ body }) => body.input ?? '')
        assert.ok(anew.length <= 1, anew.join('\n'))
        const before = speech.requests.length
        await newTalk(app, { token: await app.newKey() })
        await eventually(async () => (await rows(app)).filter(({ state }) => state === 'ready').length >= 3 * once)
        assert.equal(speech.requests.length - before, once)
      },
      env(),
    ))

  test('an edited sentence alone is said anew; a draft is said once a room of it is opened; a deleted deck lets its sound go', () =>
    withService(
      open,
      async (app) => {
        const { id, rehearsal } = await newTalk(app, { publish: false })
        await app.service.decks.scripts.idle()
        await settle()
        assert.equal(speech.requests.length, 0)
        assert.equal((await app.request(`/api/v1/rooms/${rehearsal}`)).status, 200)
        await allSaid(app)
        const before = speech.requests.length
        assert.ok(before > 4)
        await app.api('POST', `/api/v1/agent/sessions/${id}/publish`, {})
        const { body: script } = await app.api('GET', `/api/v1/agent/sessions/${id}/script`)
        const beat = script.beats.find(({ kind }: { kind: string }) => kind === 'narration')
        await app.api('PATCH', `/api/v1/agent/sessions/${id}/script/${encodeURIComponent(beat.beatId)}`, { text: 'They hum a little.' })
        await eventually(async () =>
          (await rows(app)).some(({ text_content, state }) => text_content === 'They hum a little.' && state === 'ready'),
        )
        assert.deepEqual(spoken().slice(before), ['They hum a little.'])
        await app.api('DELETE', `/api/v1/agent/sessions/${id}`)
        assert.deepEqual(await rows(app), [])
        const loose = await app.store.read.selectFrom('loose_blobs').select('blob_key').execute()
        assert.equal(loose.filter(({ blob_key }) => blob_key.endsWith('.mp3')).length, before + 1)
      },
      env(),
    ))

  test('a word is said as its host says, its caption stays, and a change says anew what it touches alone', () =>
    withService(
      open,
      async (app) => {
        const { id, slug } = await newTalk(app)
        await allSaid(app)
        const plain = spoken()
        const change = async (pronunciations: object | null) => {
          const before = speech.requests.length
          assert.equal((await app.api('PATCH', `/api/v1/agent/sessions/${id}`, { pronunciations })).status, 200)
          await app.service.decks.scripts.idle()
          await allSaid(app)
          return spoken().slice(before)
        }
        const heard = await change({ euros: 'yoo rose' })
        assert.deepEqual(
          heard.toSorted(),
          plain.flatMap((text) => (/euros/.test(text) ? [text.replaceAll('euros', 'yoo rose')] : [])).toSorted(),
        )
        assert.ok(heard.length > 0 && heard.length < plain.length)
        const clipsIn = async () => {
          const ada = await joinTalk(app, slug)
          await ada.act('control', { action: 'start' })
          await ada.until('closing')
          const begun = ada.messages.filter(({ event, data }) => event === 'beat' && data.phase === 'start').map(({ data }) => data)
          await ada.close()
          return begun.filter(({ text }) => /euros/.test(text))
        }
        const [changed] = await clipsIn()
        assert.ok(Math.abs(changed?.audioMs - String(changed?.text).replaceAll('euros', 'yoo rose').length * msPerCharacter) <= 24)
        assert.deepEqual(await change(null), [], 'what was said before is there')
        const [back] = await clipsIn()
        assert.ok(Math.abs(back?.audioMs - String(back?.text).length * msPerCharacter) <= 24)
        assert.equal(back?.text, changed?.text)
      },
      env(),
    ))
})
