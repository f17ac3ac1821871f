// The replay of the dashboard against the log: at every moment it shows the slide and the sentence that the room had.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fold } from '@rostrum/stage/fold'
import { entryView } from '../../server/runs/operations/transcripts.ts'
import { eventOf, readRunEvents } from '../../server/runs/log/run-log.ts'
import { initialState } from '@rostrum/stage/run-state'
import type { Transcript } from '../../server/runs/log/transcript.ts'
import { progressAt, replayOf, sceneAt, stepFrom } from '../../web/src/dashboard/replay/replay.ts'
import type { TranscriptEntry } from '../../web/src/dashboard/replay/transcript-wire.ts'
import { settle } from '../support/clock.ts'
import { liveRoom } from '../support/live.ts'

/** A broadcast with questions, a pause and a jump back; its transcript as it is sent, and its log. */
async function held() {
  const room = await liveRoom({ session: { mode: 'broadcast' } })
  const ada = await room.join({ name: 'Ada' })
  await ada.stream()
  const host = (body: Record<string, unknown>) => room.call('host_run', room.host, { runId: ada.runId, id: crypto.randomUUID(), ...body })
  await settle()
  await ada.post('ask_question', { text: 'How many bolts?' })
  await room.clock.advance(9_000)
  await host({ action: 'pause' })
  await room.clock.advance(4_000)
  await host({ action: 'resume' })
  await room.clock.advance(11_000)
  await host({ action: 'goto', slideIndex: 0 })
  await ada.post('ask_question', { text: 'What is unknown here?' })
  await room.clock.advance(200_000)
  const { sessionId } = room.session
  const transcript = (await room.call('get_transcript', room.host, { sessionId, runId: ada.runId })) as unknown as Transcript
  const events = (await readRunEvents(room.store.read, ada.runId, 0, 10_000)).map(eventOf)
  await room.close()
  const entries = transcript.entries.map((entry) => JSON.parse(JSON.stringify(entryView(entry))) as TranscriptEntry)
  return { replay: replayOf({ entries }), events, startedAt: transcript.startedAt ?? 0 }
}

test('[R-9] the replay at the moment of each event is the fold of the log up to it: same slide, same sentence', async () => {
  const { replay, events, startedAt } = await held()
  let state = initialState(startedAt)
  let compared = 0
  let spoken = 0
  for (const [at, event] of events.entries()) {
    state = fold(state, event)
    // Of what happens in one millisecond the room shows the last.
    if (event.at < startedAt || events[at + 1]?.at === event.at) continue
    const scene = sceneAt(replay, event.at - startedAt)
    assert.equal(scene.slide?.slideIndex ?? null, state.slideIndex, `slide at seq ${event.seq}`)
    compared++
    const { sentence, answers } = scene
    assert.equal(scene.asked, state.questions.size, `questions at seq ${event.seq}`)
    if (state.answer !== null && state.answer.sentences.length > state.answer.heard)
      assert.equal(answers?.questionId, state.answer.questionId)
    if (state.speaking === null) continue
    const caption = state.captions.find(({ beatId }) => beatId === state.speaking?.beatId)?.text ?? ''
    const shown = sentence?.text ?? ''
    // What was cut is shown as far as it was heard.
    assert.ok(
      shown === caption || (shown.endsWith(' ...') && caption.startsWith(shown.slice(0, -4))),
      `"${shown}" for "${caption}" at seq ${event.seq}`,
    )
    assert.equal(scene.isSilent, false)
    spoken++
  }
  assert.ok(compared > 15 && spoken > 10, `${compared} moments, ${spoken} with a voice`)
})

test('steps walk every sentence once in either direction, and never leave the talk', async () => {
  const { replay } = await held()
  const starts = [...new Set(replay.sentences.map(({ from }) => from))]
  const forward: number[] = []
  for (let at = -1; at < replay.endMs;) {
    at = stepFrom(replay, at, 1)
    forward.push(at)
  }
  assert.deepEqual(forward, [...starts, replay.endMs])
  let at = replay.endMs
  const back: number[] = []
  while (at > 0) back.push((at = stepFrom(replay, at, -1)))
  assert.ok(back.every((from, index) => starts.includes(from) && (index === 0 || from < (back[index - 1] ?? 0))))
  assert.equal(back.at(-1), 0)
  assert.equal(stepFrom(replay, 0, -1), 0)
  for (const ms of [-5, 0, replay.endMs / 2, replay.endMs, replay.endMs * 2]) {
    const share = progressAt(replay, Math.max(0, ms))
    assert.ok(share >= 0 && share <= 1)
  }
})

test('a run in which nothing was said plays as an empty talk', () => {
  const replay = replayOf({ entries: [] })
  assert.deepEqual(sceneAt(replay, 0), { slide: null, sentence: null, isSilent: true, answers: null, poll: null, asked: 0 })
  assert.deepEqual([replay.endMs, replay.slidesCount, stepFrom(replay, 0, 1), progressAt(replay, 0)], [0, 0, 0, 0])
})
