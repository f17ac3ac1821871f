// A spoken question over the public API: the recording is known by its bytes, passed on, and answered with text to correct.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { joinTalk } from '../support/attendee.ts'
import type { Attendee } from '../support/attendee.ts'
import type { Answer, TestService } from '../support/service.ts'
import { openService } from '../support/service.ts'
import type { SpeechServer } from '../support/speech-server.ts'
import { mp3Of, startSpeechServer, wavOf } from '../support/speech-server.ts'

let speech: SpeechServer
let app: TestService
let ada: Attendee
before(async () => {
  speech = await startSpeechServer()
  app = await openService({
    env: { ROSTRUM_STT: 'compatible:whisper', ROSTRUM_STT_BASE_URL: speech.baseUrl, ROSTRUM_STT_API_KEY: 'sk-ears' },
  })
  ada = await joinTalk(app, await newRoom(app))
})
after(async () => {
  await ada.close()
  await app.close()
  await speech.close()
})
afterEach(() => {
  speech.requests.length = 0
  speech.act = () => ({})
})

async function newRoom(of: TestService): Promise<string> {
  const slides = [{ textContent: 'Pumps\n- They weigh 4 kg' }]
  const { body } = await of.api('POST', '/api/v1/agent/sessions', { title: 'Pumps', slides, language: 'de-AT' })
  await of.api('POST', `/api/v1/agent/sessions/${body.sessionId}/publish`, {})
  return String(body.slug)
}

const send = (
  bytes: Uint8Array,
  { type = 'audio/webm;codecs=opus', who = ada, of = app }: { type?: string; who?: Attendee; of?: TestService } = {},
): Promise<Answer> =>
  of.request(`/api/v1/runs/${who.runId}/utterances`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${who.token}`, 'Content-Type': type },
    body: new Uint8Array(bytes),
  })

const webm = Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), Buffer.alloc(2_000)])

test('a recording becomes text, in the language of the talk, and is sent to the configured server alone', async () => {
  speech.act = () => ({ text: ' How heavy is it?\u0007 ' })
  const answer = await send(webm)
  assert.deepEqual([answer.status, answer.body], [200, { text: 'How heavy is it?' }])
  const [asked] = speech.requests
  assert.equal(asked?.path, '/v1/audio/transcriptions')
  assert.equal(asked?.headers.authorization, 'Bearer sk-ears')
  assert.deepEqual(asked?.form, { file: 'utterance.webm audio/webm 2004', model: 'whisper', response_format: 'json', language: 'de' })
  assert.equal(
    ada.messages.some(({ event }) => event === 'question'),
    false,
    'nothing is asked by it',
  )
})

test('what it is, its bytes say, whatever it is called', async () => {
  for (const [bytes, name] of [
    [wavOf(500), 'wav'],
    [mp3Of(500), 'mp3'],
  ] as const) {
    assert.equal((await send(bytes, { type: 'audio/webm' })).status, 200)
    assert.match(speech.requests.at(-1)?.form['file'] ?? '', new RegExp(`^utterance\\.${name} `))
  }
  const page = await send(Buffer.from('<html><script>alert(1)</script></html>'))
  assert.deepEqual([page.status, page.body.code], [415, 'unsupported_media_type'])
  assert.equal((await send(webm, { type: 'text/html' })).status, 415)
})

test('a recording that is empty, too large or longer than 30 seconds is refused with words, and costs nothing', async () => {
  for (const [bytes, status, words] of [
    [new Uint8Array(), 400, /must not be empty/],
    [Buffer.concat([webm, Buffer.alloc(2 * 1024 * 1024)]), 413, /larger than|2,?097|2 MiB/],
    [wavOf(31_000), 413, /longer than 30 seconds/],
  ] as const) {
    const { status: answered, body } = await send(bytes)
    assert.equal(answered, status)
    assert.match(JSON.stringify(body), words)
  }
  assert.equal(speech.requests.length, 0)
})

for (const ends of ['refuse', 'reject', 'cut', 'garbage', 'huge'] as const)
  test(`a server that ends with "${ends}" gives a clear 503 that says what to do instead`, async () => {
    speech.act = () => ({ ends })
    const { status, headers, body } = await send(webm)
    assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'temporarily_unavailable', '5'])
    assert.match(body.detail, /Try again, or send the question as text/)
  })

test('the token of one run hears nothing in another, and nobody without one', async () => {
  const eve = await joinTalk(app, await newRoom(app))
  const crossed = await send(webm, { who: { ...ada, runId: eve.runId } })
  assert.equal(crossed.status, 404)
  const owner = await app.request(`/api/v1/runs/${ada.runId}/utterances`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${app.key}`, 'Content-Type': 'audio/webm' },
    body: new Uint8Array(webm),
  })
  assert.equal(owner.status, 403)
  assert.equal(speech.requests.length, 0)
  await eve.close()
})

test('it counts as a question against the limit, and is counted for the operator', async () => {
  const limited = await openService({
    env: { ROSTRUM_STT: 'compatible:whisper', ROSTRUM_STT_BASE_URL: speech.baseUrl, ROSTRUM_RATE_QUESTIONS: '2/1m' },
  })
  const bob = await joinTalk(limited, await newRoom(limited))
  const answers = [
    await send(webm, { who: bob, of: limited }),
    await send(webm, { who: bob, of: limited }),
    await send(webm, { who: bob, of: limited }),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 429],
  )
  const gauges = limited.service.gauges()
  assert.equal(gauges['rostrum_ears_bytes_total']?.value, 2 * webm.length)
  await bob.close()
  await limited.close()
})

test('where no ears are configured the room says so, and a recording is refused with what to do', async () => {
  const deaf = await openService()
  const slug = await newRoom(deaf)
  assert.deepEqual((await deaf.request(`/api/v1/rooms/${slug}`)).body.voices, { tts: false, stt: false })
  const cal = await joinTalk(deaf, slug)
  const { status, body } = await send(webm, { who: cal, of: deaf })
  assert.equal(status, 404)
  assert.match(body.detail, /send the question as text/)
  assert.deepEqual(
    Object.keys(deaf.service.gauges()).filter((name) => /voice|ears/.test(name)),
    [],
  )
  await cal.close()
  await deaf.close()
})
