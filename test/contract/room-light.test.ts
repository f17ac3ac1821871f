// What of a slide is lit while it is said reaches everybody who hears it: on the stream, by a snapshot, resumed, and in the transcript.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerPort } from '../../server/runs/answers.ts'
import { settle } from '../support/clock.ts'
import type { LiveRoom } from '../support/live.ts'
import { liveRoom } from '../support/live.ts'
import { sampleTalk } from '../support/sample-talk.ts'
import { eachStore } from '../support/stores.ts'

const region = [[0.1, 0.2, 0.5, 0.04]] as const
const spans = [[8, 20]] as const
const quoted = [[0.3, 0.4, 0.2, 0.1]] as const

/** The first sentence stands on a picture, the second in a text; the third nowhere. */
function litTalk() {
  const talk = sampleTalk()
  const places = [{ region }, { spans }]
  return { ...talk, beats: talk.beats.map((beat, at) => ({ ...beat, ...(places[at] && { at: places[at] }) })) }
}

const quoting: AnswerPort = {
  async *answer({ talk }) {
    const { id, index, title, text } = talk.slides[2] ?? talk.slides[0] ?? assert.fail()
    const citations = [{ n: 1, type: 'slide' as const, id, index, title, quote: text, start: 0, end: text.length, region: quoted }]
    yield { type: 'sentence', text: 'It says so.', citations }
    yield { type: 'end', outcome: 'answered', mode: 'extractive', confidence: 1, citations: [], suggestedActions: [] }
  },
}

async function listening(room: LiveRoom) {
  const ada = await room.join({ name: 'Ada' })
  const stream = await ada.stream()
  await settle()
  return { ada, stream }
}

const starts = (beats: Record<string, unknown>[]) => beats.filter(({ phase }) => phase === 'start')
const placeOf = ({ region: boxes, spans: words }: Record<string, unknown>) => ({ ...(boxes ? { boxes } : {}), ...(words ? { words } : {}) })

eachStore((_name, open) => {
  test('each sentence names its place on the slide, live, to who comes late, to who comes back, and in the transcript', async () => {
    const { store } = await open()
    const room = await liveRoom({ store, talk: litTalk(), session: { mode: 'broadcast' } })
    const { ada, stream } = await listening(room)
    await room.clock.advance(3_000)
    const late = await (await room.join({ name: 'Bo' })).stream()
    const snapshot = late.messages[0]?.data as { position: { beat: Record<string, unknown> } }
    const said = starts(stream.of('beat'))
    assert.deepEqual(placeOf(snapshot.position.beat), placeOf(said.at(-1) ?? {}))
    await room.clock.advance(9_000)
    const first = starts(stream.of('beat'))
    assert.deepEqual(first.slice(0, 3).map(placeOf), [{ boxes: region }, { words: spans }, {}])
    const again = await ada.stream(stream.messages[0]?.id)
    await settle()
    assert.deepEqual(starts(again.of('beat')).slice(0, 3).map(placeOf), [{ boxes: region }, { words: spans }, {}])
    const asked = { sessionId: room.session.sessionId, runId: ada.runId }
    const { entries } = (await room.call('get_transcript', room.host, asked)) as unknown as { entries: Record<string, unknown>[] }
    const narrated = entries.filter(({ type }) => type === 'narration').slice(0, 3)
    assert.deepEqual(narrated.map(placeOf), [{ boxes: region }, { words: spans }, {}])
    await room.close()
  })

  test('a sentence of an answer names the place of what it quotes, to who comes while it is said and in the transcript too', async () => {
    const { store } = await open()
    const room = await liveRoom({ store, talk: litTalk(), answers: quoting })
    const { ada, stream } = await listening(room)
    await ada.post('control_run', { action: 'start' })
    await settle()
    await ada.post('ask_question', { text: 'Does it say so?', interrupt: true })
    await settle()
    const [sentence] = stream.of('answer').filter(({ phase }) => phase === 'sentence') as {
      answerId: string
      citations: Record<string, unknown>[]
    }[]
    assert.deepEqual(sentence?.citations[0]?.['region'], quoted)
    const late = await ada.stream()
    const snapshot = late.messages[0]?.data as { questions: { answer: { sentences: { citations: Record<string, unknown>[] }[] } }[] }
    assert.deepEqual(snapshot.questions[0]?.answer.sentences[0]?.citations[0]?.['region'], quoted)
    await ada.post('acknowledge_beats', { acks: [{ beatId: `${String(sentence?.answerId)}:0`, phase: 'ended' }] })
    await settle()
    const asked = { sessionId: room.session.sessionId, runId: ada.runId }
    const { entries } = (await room.call('get_transcript', room.host, asked)) as unknown as {
      entries: { type: string; sentences: { citations: Record<string, unknown>[] }[] }[]
    }
    const answer = entries.find(({ type }) => type === 'answer')
    assert.deepEqual(answer?.sentences[0]?.citations[0]?.['region'], quoted)
    await room.close()
  })
})
