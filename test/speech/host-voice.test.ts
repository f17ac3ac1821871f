// The host takes over and speaks to the room: in their own voice, phrase by phrase, or by words that the presenter says for them.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { joinTalk } from '../support/attendee.ts'
import { eventually } from '../support/clock.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import type { SpeechServer } from '../support/speech-server.ts'
import { mp3Of, startSpeechServer, wavOf } from '../support/speech-server.ts'
import { eachStore } from '../support/stores.ts'

let speech: SpeechServer
before(async () => {
  speech = await startSpeechServer()
})
after(() => speech.close())
afterEach(() => {
  speech.letGo()
  speech.requests.length = 0
  speech.act = () => ({})
})

const ears = () => ({ ROSTRUM_STT: 'compatible:whisper', ROSTRUM_STT_BASE_URL: speech.baseUrl })
const voice = () => ({ ROSTRUM_TTS: 'compatible:stub', ROSTRUM_TTS_BASE_URL: speech.baseUrl })

async function broadcast(app: TestService) {
  const slides = [{ textContent: 'Pumps\n- They weigh 4 kg' }, { textContent: 'Prices\n- One costs 90 EUR' }]
  const { body } = await app.api('POST', '/api/v1/agent/sessions', { title: 'Pumps', slides, mode: 'broadcast', isLive: true })
  const ada = await joinTalk(app, String(body.slug))
  const host = (action: string, more: object = {}) =>
    app.api('POST', `/api/v1/runs/${ada.runId}/host`, { id: crypto.randomUUID(), action, ...more })
  const speak = (bytes: Uint8Array, type = 'audio/wav', token: string | null = app.key) =>
    app.request(`/api/v1/runs/${ada.runId}/host/speech`, {
      method: 'POST',
      headers: { ...(token === null ? {} : { Authorization: `Bearer ${token}` }), 'Content-Type': type },
      body: new Uint8Array(bytes),
    })
  const said = async () => {
    await ada.read()
    return ada.messages.filter(({ event }) => event === 'said').map(({ data }) => data)
  }
  const until = (count: number) => eventually(async () => (await said()).length >= count)
  const transcript = async () =>
    (await app.api('GET', `/api/v1/agent/sessions/${body.sessionId}/runs/${ada.runId}/transcript`)).body.entries as {
      speaker: string
      text: string
    }[]
  return { ada, host, speak, said, until, transcript }
}

eachStore((_, open) => {
  test('a phrase of the host is heard by the room with its words, in order, and the log keeps the words', () =>
    withService(
      open,
      async (app) => {
        const { ada, host, speak, said, until, transcript } = await broadcast(app)
        assert.equal((await host('take_over')).status, 200)
        speech.act = ({ form }) => ({ text: form['file']?.includes(' 8') ? ' Good morning. ' : 'Any questions?' })
        const [first, second] = [wavOf(1_000), mp3Of(500)]
        assert.deepEqual((await speak(first)).body, { status: 'handed_over' })
        assert.equal((await speak(second, 'audio/mpeg')).status, 200)
        await until(2)
        const [one, two] = await said()
        assert.deepEqual([one?.text, one?.audioMs, two?.text], ['Good morning.', 1_000, 'Any questions?'])
        const { pathname } = new URL(String(one?.audioUrl))
        const heard = await app.request(pathname)
        assert.deepEqual([heard.status, heard.headers.get('content-type')], [200, 'audio/wav'])
        const kept = (await transcript()).filter(({ speaker }) => speaker === 'Host').map(({ text }) => text)
        assert.deepEqual(kept, ['Good morning.', 'Any questions?'])
        await host('hand_back')
        await ada.close()
      },
      ears(),
    ))

  test('typed words of a host are said by the voice of the server, sentence by sentence', () =>
    withService(
      open,
      async (app) => {
        const { ada, host, said, until } = await broadcast(app)
        await host('take_over')
        assert.equal((await host('say', { text: 'Good morning. This is Maya.' })).status, 200)
        await until(2)
        const sentences = await said()
        assert.deepEqual(
          sentences.map(({ text }) => String(text).trim()),
          ['Good morning.', 'This is Maya.'],
        )
        assert.ok(sentences.every(({ audioUrl, estMs, audioMs }) => typeof audioUrl === 'string' && estMs === audioMs))
        await ada.close()
      },
      voice(),
    ))

  test('a recogniser that is late or down keeps no voice from the room', () =>
    withService(
      open,
      async (app) => {
        const { ada, host, speak, said, until } = await broadcast(app)
        await host('take_over')
        speech.act = () => ({ ends: 'refuse' })
        assert.equal((await speak(wavOf(700))).status, 200)
        speech.act = () => ({ ends: 'silent' })
        const late = speak(wavOf(800))
        await eventually(async () => speech.requests.length === 2)
        await app.clock.advance(3_000)
        assert.equal((await late).status, 200)
        await until(2)
        assert.deepEqual(
          (await said()).map(({ text, audioMs }) => [text, audioMs]),
          [
            ['', 700],
            ['', 800],
          ],
        )
        await ada.close()
      },
      ears(),
    ))

  test('nobody speaks over the presenter, and nobody but the host speaks', () =>
    withService(open, async (app) => {
      const { ada, host, speak, said } = await broadcast(app)
      await host('start')
      for (const refused of [await speak(wavOf(500)), await host('say', { text: 'Hello.' })]) {
        assert.deepEqual([refused.status, refused.body.code], [409, 'run_state'])
        assert.match(String(refused.body.detail), /take_over/)
      }
      await host('take_over')
      assert.equal((await speak(wavOf(500), 'audio/wav', ada.token)).status, 403)
      assert.equal((await speak(wavOf(500), 'audio/wav', null)).status, 401)
      assert.equal((await host('say')).status, 400)
      assert.equal((await speak(Buffer.from('<html>'))).status, 415)
      const long = await speak(wavOf(21_000))
      assert.deepEqual([long.status, long.body.code], [413, 'payload_too_large'])
      assert.deepEqual(await said(), [])
      await ada.close()
    }))
})
