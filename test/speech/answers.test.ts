// Answers in the server's voice: sentence by sentence, in order, and never at the price of silence.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, before, test } from 'node:test'
import { joinTalk } from '../support/attendee.ts'
import { eventually } from '../support/clock.ts'
import type { TestService } from '../support/service.ts'
import { withService } from '../support/service.ts'
import type { SpeechServer } from '../support/speech-server.ts'
import { startSpeechServer } from '../support/speech-server.ts'
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

const env = () => ({ ROSTRUM_TTS: 'compatible:stub', ROSTRUM_TTS_BASE_URL: speech.baseUrl })

async function asking(app: TestService) {
  const slides = [{ textContent: 'Pumps\n- A pump weighs 4 kg\n- It is quiet' }]
  const { body } = await app.api('POST', '/api/v1/agent/sessions', { title: 'Pumps', slides })
  await app.api('POST', `/api/v1/agent/sessions/${body.sessionId}/publish`, {})
  const ada = await joinTalk(app, String(body.slug))
  const sentences = () => ada.messages.filter(({ event, data }) => event === 'answer' && data.phase === 'sentence').map(({ data }) => data)
  return { ada, sentences, until: (holds: () => boolean) => eventually(async () => (await ada.read(), holds())) }
}

const isAnswer = (text = '') => text.includes('does not say')

eachStore((_, open) => {
  test('a sentence of an answer comes with its clip, which is played once and removed in its time', () =>
    withService(
      open,
      async (app) => {
        const { ada, sentences, until } = await asking(app)
        await ada.act('questions', { text: 'What is the capital of Mongolia?', interrupt: true })
        await until(() => sentences().length > 0)
        const [first] = sentences()
        assert.match(first?.audioUrl, /\/media\/[0-9a-f]{64}\.mp3$/)
        assert.equal(first?.estMs, first?.audioMs)
        const { pathname } = new URL(first?.audioUrl)
        assert.equal((await app.request(pathname)).status, 200)
        await ada.answered(1)
        const asked = () => speech.requests.filter(({ body }) => isAnswer(body.input)).length
        const once = asked()
        await ada.act('questions', { text: 'What is the capital of Mongolia?', interrupt: true })
        await until(() => sentences().length > 1)
        assert.equal(asked(), once, 'the same sentence is not paid twice')
        const loose = await app.store.read.selectFrom('loose_blobs').select('blob_key').execute()
        assert.ok(loose.some(({ blob_key }) => pathname.endsWith(blob_key)))
        await ada.close()
      },
      env(),
    ))

  test('a voice that is late leaves the answer to the browser before two seconds of silence are over', () =>
    withService(
      open,
      async (app) => {
        const { ada, sentences, until } = await asking(app)
        speech.act = ({ body }) => (isAnswer(body.input) ? { ends: 'silent' } : {})
        const before = app.clock.now()
        await ada.act('questions', { text: 'What is the capital of Mongolia?', interrupt: true })
        await eventually(async () => speech.requests.some(({ body }) => isAnswer(body.input)))
        while (sentences().length === 0 && app.clock.now() - before < 5_000) {
          await app.clock.advance(100)
          await ada.read()
        }
        // A real database takes a moment of its own to write it down.
        await until(() => sentences().length > 0)
        assert.equal(sentences()[0]?.audioUrl, undefined)
        assert.ok(ada.messages.some(({ data }) => data.phase === 'sentence' && data.at - before <= 2_000))
        await ada.close()
      },
      env(),
    ))

  test('what a host writes in answer is said in it sentence by sentence, and by the browser where it is late', () =>
    withService(
      open,
      async (app) => {
        const { ada, sentences, until } = await asking(app)
        await ada.act('control', { action: 'start' })
        const answered = async (text: string) => {
          const asked = await ada.act('questions', { text: `May it stand outside, ${text}?` })
          const before = sentences().length
          const sent = app.api('POST', `/api/v1/runs/${ada.runId}/host`, {
            id: randomUUID(),
            action: 'answer_text',
            questionId: asked.body.questionId,
            text,
          })
          return { sent, said: () => sentences().slice(before) }
        }
        const first = await answered('It may. Mind the frost.')
        assert.equal((await first.sent).status, 200)
        await until(() => first.said().length === 2)
        assert.deepEqual(
          first.said().map(({ index, text }) => [index, text]),
          [
            [0, 'It may.'],
            [1, 'Mind the frost.'],
          ],
        )
        for (const { audioUrl, audioMs, estMs } of first.said()) {
          assert.match(audioUrl, /\/media\/[0-9a-f]{64}\.mp3$/)
          assert.equal(estMs, audioMs)
        }
        await ada.answered(1)
        assert.equal(ada.messages.findLast(({ data }) => data.phase === 'end' && data.mode)?.data.text, 'It may. Mind the frost.')
        speech.act = ({ body }) => (body.input === 'Not in winter.' ? { ends: 'silent' } : {})
        const second = await answered('Not in winter.')
        await eventually(async () => speech.requests.some(({ body }) => body.input === 'Not in winter.'))
        await app.clock.advance(1_800)
        assert.equal((await second.sent).status, 200)
        await until(() => second.said().length === 1)
        assert.equal(second.said()[0]?.audioUrl, undefined)
        await ada.close()
      },
      env(),
    ))

  test('a voice that fails three times is left alone, and answers come at once', () =>
    withService(
      open,
      async (app) => {
        const { ada, sentences, until } = await asking(app)
        speech.act = ({ body }) => (isAnswer(body.input) ? { ends: 'refuse' } : {})
        for (let turn = 1; turn <= 5; turn++) {
          await ada.act('questions', { text: 'What is the capital of Mongolia?', interrupt: true })
          await until(() => sentences().length >= turn)
          await ada.answered(turn)
        }
        assert.equal(speech.requests.filter(({ body }) => isAnswer(body.input)).length, 3)
        assert.ok(sentences().every(({ audioUrl }) => audioUrl === undefined))
        await ada.close()
      },
      env(),
    ))
})
