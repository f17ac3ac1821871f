// What the owner reads of runs afterwards: the list, the questions, the transcript (docs: replay, transcript).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transcript } from '../../server/runs/log/transcript.ts'
import { toMarkdown, toVtt } from '../../server/runs/log/transcript.ts'
import { settle } from '../support/clock.ts'
import { liveRoom } from '../support/live.ts'
import type { LiveRoom } from '../support/live.ts'

async function held(): Promise<{ room: LiveRoom; runId: string }> {
  const room = await liveRoom({ session: { mode: 'broadcast' } })
  const ada = await room.join({ name: 'Ada <b>Lovelace</b>' })
  await ada.stream()
  await settle()
  await ada.post('ask_question', { text: 'How many bolts?' })
  await ada.post('ask_question', { text: 'What is unknown here?' })
  await room.clock.advance(150_000)
  return { room, runId: ada.runId }
}

test('a run is listed with its attendees and questions, a rehearsal only when asked for', async () => {
  const { room, runId } = await held()
  const { sessionId } = room.session
  const live = (await room.call('list_runs', room.host, { sessionId })) as unknown as {
    rows: { id: string; status: string }[]
    counts: { attendees: Map<string, { count: number; name: string | null }>; questions: Map<string, number> }
  }
  assert.deepEqual(
    live.rows.map((row) => [row.id, row.status]),
    [[runId, 'completed']],
  )
  assert.equal(live.counts.attendees.get(runId)?.count, 1)
  assert.equal(live.counts.questions.get(runId), 2)
  const rehearsals = (await room.call('list_runs', room.host, { sessionId, kind: 'rehearsal' })) as unknown as { rows: unknown[] }
  assert.deepEqual(rehearsals.rows, [])
  await room.close()
})

test('the questions of a session are listed with their answers', async () => {
  const { room } = await held()
  const { questions } = (await room.call('list_questions', room.host, { sessionId: room.session.sessionId })) as unknown as {
    questions: { text: string; status: string; answer: { outcome: string } | null }[]
  }
  assert.deepEqual(
    questions.map((question) => [question.text, question.status, question.answer?.outcome]),
    [
      ['How many bolts?', 'answered', 'answered'],
      ['What is unknown here?', 'answered', 'unknown'],
    ],
  )
  await room.close()
})

test('a transcript holds what was said, and no name or text of a stranger becomes markup', async () => {
  const { room, runId } = await held()
  const transcript = (await room.call('get_transcript', room.host, { sessionId: room.session.sessionId, runId })) as unknown as Transcript
  const narration = transcript.entries.filter((entry) => entry.type === 'narration')
  assert.equal(narration.length, 9)
  assert.ok(narration.every((entry) => entry.endOffsetMs !== undefined && entry.endOffsetMs > entry.offsetMs))
  assert.equal(transcript.entries.find((entry) => entry.type === 'question')?.speaker, 'Ada <b>Lovelace</b>')
  const vtt = toVtt(transcript)
  assert.match(vtt, /^WEBVTT\n/)
  assert.match(vtt, /00:00:00\.000 --> 00:00:0\d\.\d{3}\n<v Presenter>Welcome to this talk/)
  assert.ok(!vtt.includes('<b>'))
  const markdown = toMarkdown(transcript)
  assert.match(markdown, /^# Sample talk\n/)
  assert.match(markdown, /## 2\. Slide 2/)
  assert.ok(!/(?<!\\)<b>/.test(markdown))
  await room.close()
})

test('an answer has the time in which it was spoken; the private copy of it is no caption', async () => {
  const { room, runId } = await held()
  const transcript = (await room.call('get_transcript', room.host, { sessionId: room.session.sessionId, runId })) as unknown as Transcript
  const answers = transcript.entries.filter((entry) => entry.type === 'answer')
  const [spoken, copies] = [answers.filter((entry) => entry.private !== true), answers.filter((entry) => entry.private === true)]
  assert.deepEqual([spoken.length, copies.length], [2, 2])
  for (const { offsetMs, endOffsetMs = 0, sentences = [], text } of spoken) {
    assert.ok(endOffsetMs >= offsetMs + 700, `${offsetMs} to ${endOffsetMs}`)
    assert.ok(sentences.length > 0 && sentences.every((sentence) => text.includes(sentence.text)))
    assert.ok(sentences.every((sentence) => sentence.offsetMs >= offsetMs && sentence.offsetMs < endOffsetMs))
  }
  const narration = transcript.entries.filter((entry) => entry.type === 'narration')
  const isDuring = (entry: (typeof spoken)[number]) =>
    narration.some((line) => line.offsetMs < (entry.endOffsetMs ?? 0) && (line.endOffsetMs ?? 0) > entry.offsetMs)
  assert.deepEqual(spoken.filter(isDuring), [], 'one voice at a time')
  assert.equal(toVtt(transcript).split('<v Presenter>').length - 1, narration.length + spoken.length)
  await room.close()
})

test('the records of another account answer as if they did not exist', async () => {
  const { room, runId } = await held()
  const stranger = { ...room.host, accountId: '00000000-0000-4000-8000-0000000000bb' } as typeof room.host
  const { sessionId } = room.session
  for (const [name, input] of [
    ['list_runs', { sessionId }],
    ['list_questions', { sessionId }],
    ['get_transcript', { sessionId, runId }],
  ] as const) {
    await assert.rejects(room.call(name, stranger, input), { code: 'not_found' })
  }
  await assert.rejects(room.call('host_run', stranger, { runId, id: crypto.randomUUID(), action: 'end' }), { code: 'not_found' })
  await assert.rejects(room.stream(stranger, runId), { code: 'not_found' })
  await room.close()
})
