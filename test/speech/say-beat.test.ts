// A sentence of the script heard by its host: in the server's voice, made at most once, or left to the browser.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { joinTalk } from '../support/attendee.ts'
import { eventually } from '../support/clock.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import type { SpeechServer } from '../support/speech-server.ts'
import { msPerCharacter, startSpeechServer } from '../support/speech-server.ts'
import { eachStore } from '../support/stores.ts'

let speech: SpeechServer
before(async () => {
  speech = await startSpeechServer()
})
after(() => speech.close())
afterEach(() => {
  speech.requests.length = 0
  speech.act = () => ({})
  delete speech.voices
})

const env = () => ({ ROSTRUM_TTS: 'compatible:stub', ROSTRUM_TTS_BASE_URL: speech.baseUrl, ROSTRUM_TTS_VOICE: 'clara' })
const sessions = '/api/v1/agent/sessions'

async function newScript(app: TestService, isLive = false) {
  const slides = [{ textContent: 'Pumps\n- They are quiet\n- They weigh 4 kg' }]
  const { body } = await app.api('POST', sessions, { title: 'Pumps for all', slides, isLive })
  const script = await app.api('GET', `${sessions}/${body.sessionId}/script`)
  const beats = script.body.beats as { beatId: string; text: string }[]
  const [beat] = beats
  assert.ok(beat !== undefined)
  return {
    id: String(body.sessionId),
    slug: String(body.slug),
    beat,
    beats,
    hear: (beatId: string, members: object | undefined = {}) =>
      app.api('POST', `/api/v1/agent/sessions/${body.sessionId}/script/${beatId}/clip`, members),
  }
}

interface Entry {
  type: string
  text: string
  audioUrl?: string
  audioMs?: number
}

/** Until the voice has said every sentence of a published script. */
const allSaid = (app: TestService, beats: readonly { text: string }[]) =>
  eventually(async () => {
    const rows = await app.store.read.selectFrom('clips').select('state').execute()
    return rows.length >= new Set(beats.map(({ text }) => text)).size && rows.every(({ state }) => state === 'ready')
  })

eachStore((_, open) => {
  test('a sentence of a draft is said when its host wants to hear it, once, and no other with it', () =>
    withService(
      open,
      async (app) => {
        const { beat, hear } = await newScript(app)
        const { status, body } = await hear(beat.beatId)
        assert.equal(status, 200)
        assert.deepEqual(
          speech.requests.map((request) => [request.body.input, request.body.voice]),
          [[beat.text, 'clara']],
        )
        assert.ok(Math.abs(body.audioMs - beat.text.length * msPerCharacter) <= 24)
        const media = await app.request(new URL(body.audioUrl).pathname)
        assert.deepEqual([media.status, media.headers.get('content-type')], [200, 'audio/mpeg'])
        assert.deepEqual((await hear(beat.beatId)).body, body)
        assert.equal(speech.requests.length, 1)
      },
      env(),
    ))

  test('the voices of the server are listed where it tells them, and the one that speaks where none is named', () =>
    withService(
      open,
      async (app) => {
        const { id } = await newScript(app)
        const voices = async () => (await app.api('GET', `/api/v1/agent/sessions/${id}/voices`)).body
        assert.deepEqual(await voices(), { voice: 'clara', voices: [] })
        speech.voices = ['clara', { id: 'otto' }]
        assert.deepEqual(await voices(), { voice: 'clara', voices: ['clara', 'otto'] })
      },
      env(),
    ))

  test('a host hears another voice before it is chosen, and is told which one was asked', () =>
    withService(
      open,
      async (app) => {
        const { id, beat, hear } = await newScript(app)
        assert.equal((await hear(beat.beatId, { voice: 'nova' })).body.voice, 'nova')
        await app.api('PATCH', `${sessions}/${id}`, { voice: 'onyx' })
        assert.equal((await hear(beat.beatId, undefined)).body.voice, 'onyx')
        assert.equal((await hear(beat.beatId, { voice: null })).body.voice, 'clara', 'the voice of the service')
        assert.deepEqual(
          speech.requests.map((request) => request.body.voice),
          ['nova', 'onyx', 'clara'],
        )
        assert.equal((await hear(beat.beatId, { voice: '' })).status, 400)
      },
      env(),
    ))

  test('the clip of a published talk is heard as it is', () =>
    withService(
      open,
      async (app) => {
        const { beat, beats, hear } = await newScript(app, true)
        await allSaid(app, beats)
        const asked = speech.requests.length
        assert.equal(typeof (await hear(beat.beatId)).body.audioUrl, 'string')
        assert.equal(speech.requests.length, asked)
      },
      env(),
    ))

  test('the transcript of a talk carries the clips of what was heard whole, so that its replay speaks', () =>
    withService(
      open,
      async (app) => {
        const { id, slug, beats } = await newScript(app, true)
        await allSaid(app, beats)
        const ada = await joinTalk(app, slug)
        await ada.act('control', { action: 'start' })
        await ada.until('closing')
        const { body } = await app.api('GET', `${sessions}/${id}/runs/${ada.runId}/transcript`)
        const said = (body.entries as Entry[]).filter(({ type }) => type === 'narration')
        assert.ok(said.length > 3)
        for (const { text, audioUrl, audioMs } of said) {
          assert.match(audioUrl ?? '', /\/media\/[0-9a-f]{64}\.mp3$/)
          assert.ok(Math.abs((audioMs ?? 0) - text.length * msPerCharacter) <= 24)
        }
        await ada.close()
      },
      env(),
    ))

  test('a voice that fails leaves the sentence to the browser', () =>
    withService(
      open,
      async (app) => {
        speech.act = () => ({ ends: 'refuse' })
        const { beat, hear } = await newScript(app)
        assert.deepEqual((await hear(beat.beatId)).body, { audioUrl: null, audioMs: null, voice: 'clara' })
      },
      env(),
    ))

  test('without a voice every sentence is the browser\u2019s, and a beat that is gone is not found', () =>
    withService(open, async (app) => {
      const { beat, hear } = await newScript(app)
      assert.deepEqual((await hear(beat.beatId)).body, { audioUrl: null, audioMs: null, voice: null })
      assert.equal((await hear('gone.1')).status, 404)
    }))
})
