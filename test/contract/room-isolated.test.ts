// The room of an isolated talk, from joining to the end (Spec 6.1; docs: the room wire).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settle } from '../support/clock.ts'
import type { LiveRoom, TestAttendee } from '../support/live.ts'
import type { TestStream } from '../support/test-stream.ts'
import { liveRoom, quotingAnswers } from '../support/live.ts'
import type { AnswerPort } from '../../server/runs/answers.ts'
import { createRecapLinks } from '../../server/runs/attendees.ts'

async function started(room: LiveRoom): Promise<{ ada: TestAttendee; stream: TestStream }> {
  const ada = await room.join({ name: 'Ada Lovelace' })
  const stream = await ada.stream()
  await ada.post('control_run', { action: 'start' })
  await settle()
  return { ada, stream }
}

/** Acknowledges beat after beat until the stream shows no new one. */
async function listen(ada: TestAttendee, stream: TestStream, untilStatus = 'closing'): Promise<void> {
  for (let i = 0; i < 50; i++) {
    const states = stream.of('state')
    if (states.at(-1)?.['status'] === untilStatus) return
    const beat = stream.of('beat').at(-1)
    assert.equal(beat?.['phase'], 'start')
    await ada.post('acknowledge_beats', { acks: [{ beatId: beat?.['beatId'], phase: 'ended' }] })
    await settle()
  }
}

test('a join that nobody came to ends after ten minutes: it was held in memory for a day', async () => {
  const room = await liveRoom()
  const unseen = await room.join()
  const waiting = await room.join()
  await waiting.stream()
  const open = async () =>
    (await room.store.read.selectFrom('runs').select('id').where('ended_at', 'is', null).execute()).map(({ id }) => id)
  await room.clock.advance(599_000)
  assert.equal((await open()).length, 2)
  await room.clock.advance(2_000)
  assert.deepEqual(await open(), [waiting.runId])
  assert.equal(
    (await room.store.read.selectFrom('domain_events').select('type').where('type', '=', 'session.completed').execute()).length,
    0,
  )
  assert.ok(unseen.runId)
  await room.close()
})

test('an isolated talk runs from its start through acknowledgements to completed', async () => {
  const room = await liveRoom()
  const { ada, stream } = await started(room)
  assert.equal(stream.messages[0]?.event, 'snapshot')
  await listen(ada, stream)
  for (let i = 0; i < 2; i++) {
    const beat = stream.of('beat').at(-1)
    await ada.post('acknowledge_beats', { acks: [{ beatId: beat?.['beatId'], phase: 'ended' }] })
    await settle()
  }
  const window = stream.of('state').at(-1)
  assert.equal(window?.['reason'], 'window')
  await ada.post('control_run', { action: 'finish' })
  await settle()
  assert.deepEqual(
    stream.of('state').map((data) => data['status']),
    ['presenting', 'closing', 'closing', 'completed'],
  )
  assert.equal(stream.messages.at(-1)?.event, 'closed')
  assert.equal(stream.isOpen(), false)
  const run = await room.store.read.selectFrom('runs').selectAll().executeTakeFirstOrThrow()
  assert.equal(run.status, 'completed')
  const events = await room.store.read.selectFrom('domain_events').select(['type', 'sequence']).orderBy('sequence').execute()
  assert.deepEqual(
    events.map((event) => event.type),
    ['attendee.joined', 'session.started', 'session.completed'],
  )
  assert.deepEqual(room.faults, [])
  await room.close()
})

test('seq and prev let the reader see that it missed nothing', async () => {
  const room = await liveRoom()
  const { ada, stream } = await started(room)
  await listen(ada, stream)
  let last = 0
  for (const { event, data } of stream.messages) {
    if (event === 'snapshot') last = Number(data['seq'])
    else if (event !== 'presence' && data['private'] !== true) {
      if (data['prev'] !== 0) assert.ok(Number(data['prev']) >= 0 && Number(data['prev']) <= last + 3)
      last = Number(data['seq'])
    }
  }
  await room.close()
})

test('a question is answered after the running beat, with its citation, and the talk goes on', async () => {
  const room = await liveRoom()
  const { ada, stream } = await started(room)
  const asked = await ada.post('ask_question', { text: 'How many bolts, mail ada@example.com?' })
  assert.equal(asked['status'], 'queued')
  assert.equal(asked['contactsRemoved'], true)
  const beat = stream.of('beat').at(-1)
  await ada.post('acknowledge_beats', { acks: [{ beatId: beat?.['beatId'], phase: 'ended' }] })
  await settle()
  const answers = stream.of('answer').filter((data) => data['instant'] !== true)
  assert.deepEqual(
    answers.map((data) => data['phase']),
    ['start', 'sentence'],
  )
  await ada.post('acknowledge_beats', { acks: [{ beatId: `${String(answers[0]?.['answerId'])}:0`, phase: 'ended' }] })
  await settle()
  const end = stream.of('answer').at(-1)
  assert.equal(end?.['phase'], 'end')
  assert.equal(end?.['outcome'], 'answered')
  assert.match(String(end?.['text']), /^Slide 1 says: /)
  assert.equal(stream.of('question').at(-1)?.['status'], 'answered')
  assert.equal(stream.of('state').at(-1)?.['status'], 'presenting')
  assert.ok(!stream.text().includes('ada@example.com'))
  await room.close()
})

test('[R-3] stop and answer now cuts the beat and resumes at its clause', async () => {
  const room = await liveRoom()
  const { ada, stream } = await started(room)
  const opening = stream.of('beat').at(-1)
  await ada.post('acknowledge_beats', { acks: [{ beatId: opening?.['beatId'], phase: 'ended' }] })
  await settle()
  const cut = stream.of('beat').at(-1)
  const chars = String(cut?.['text']).indexOf(',') + 5
  await ada.post('acknowledge_beats', { acks: [{ beatId: cut?.['beatId'], phase: 'cut', chars }] })
  await ada.post('ask_question', { text: 'How many bolts?', interrupt: true })
  await settle()
  const answerId = String(stream.of('answer')[0]?.['answerId'])
  await ada.post('acknowledge_beats', { acks: [{ beatId: `${answerId}:0`, phase: 'ended' }] })
  await settle()
  const again = stream.of('beat').at(-1)
  assert.equal(again?.['beatId'], cut?.['beatId'])
  assert.equal(again?.['clause'], 1)
  await room.close()
})

test('a repeated command answers as the first time and moves nothing', async () => {
  const room = await liveRoom()
  const { ada, stream } = await started(room)
  const id = '7b0fb8cc-2f44-4d1c-9a55-0c9bd09c1d11'
  const first = await ada.post('ask_question', { id, text: 'How many bolts?' })
  const before = stream.messages.length
  assert.deepEqual(await ada.post('ask_question', { id, text: 'How many bolts?' }), first)
  await settle()
  assert.equal(stream.messages.length, before)
  await room.close()
})

test('a silent client is waited for, then its beat is marked unheard', async () => {
  const room = await liveRoom()
  const { stream } = await started(room)
  await room.clock.advance(20_000)
  assert.equal(stream.of('beat')[1]?.['phase'], 'unheard')
  assert.deepEqual(room.faults, [])
  await room.close()
})

test('[R-2] a stream that resumes gets what it missed, once and in order', async () => {
  const room = await liveRoom()
  const { ada, stream } = await started(room)
  const cursor = stream.messages.at(-1)?.id
  stream.close()
  const beat = stream.of('beat').at(-1)
  await ada.post('acknowledge_beats', { acks: [{ beatId: beat?.['beatId'], phase: 'ended' }] })
  const again = await ada.stream(cursor)
  await settle()
  assert.equal(again.messages[0]?.event, 'snapshot')
  assert.equal(again.messages[0]?.data['resumed'], true)
  assert.equal(again.messages[0]?.id, undefined)
  assert.deepEqual(
    again.of('beat').map((data) => data['phase']),
    ['end', 'start'],
  )
  await room.close()
})

test('an attendee without a stream has left after 30 s, and the talk waits for them', async () => {
  const room = await liveRoom()
  const { ada, stream } = await started(room)
  stream.close()
  await room.clock.advance(29_000)
  assert.equal((await ada.stream()).messages[0]?.data['run'] !== undefined, true)
  await room.close()
  const second = await liveRoom()
  const other = await started(second)
  other.stream.close()
  await second.clock.advance(31_000)
  const types = (await second.store.read.selectFrom('domain_events').select('type').orderBy('sequence').execute()).map((row) => row.type)
  assert.deepEqual(types, ['attendee.joined', 'session.started', 'attendee.left'])
  const run = await second.store.read.selectFrom('runs').select(['status']).executeTakeFirstOrThrow()
  assert.equal(run.status, 'paused')
  await second.close()
})

test('the token of one run opens no other', async () => {
  const room = await liveRoom()
  const { ada } = await started(room)
  const eve = await room.join()
  await assert.rejects(room.call('control_run', eve.principal, { runId: ada.runId, id: crypto.randomUUID(), action: 'pause' }), {
    code: 'not_found',
  })
  await room.close()
})

test('leaving ends an isolated talk at once, and the visit with it', async () => {
  const room = await liveRoom()
  const { ada, stream } = await started(room)
  assert.deepEqual(await ada.post('leave_room', {}), { left: true })
  await settle()
  assert.equal(stream.messages.at(-1)?.data['reason'], 'left')
  assert.equal(stream.isOpen(), false)
  await room.clock.advance(120_000)
  const facts = await room.store.read.selectFrom('domain_events').select(['type', 'body']).orderBy('sequence').execute()
  assert.deepEqual(
    facts.map((fact) => fact.type),
    ['attendee.joined', 'session.started', 'attendee.left'],
  )
  assert.match(facts[2]?.body ?? '', /"reason":"left"/)
  await room.close()
})

test('the long poll answers the snapshot, then what comes, then waits', async () => {
  const room = await liveRoom()
  const ada = await room.join()
  const poll = async (after?: string) => {
    const input = { runId: ada.runId, accept: 'application/json', ...(after === undefined ? {} : { after }) }
    const { polled } = await room.call('stream_run', ada.principal, input)
    return polled as { events: { event: string; id?: string }[]; next: string }
  }
  const first = await poll()
  assert.equal(first.events[0]?.event, 'snapshot')
  const waiting = poll(first.next)
  await settle()
  await ada.post('control_run', { action: 'start' })
  await settle()
  const second = await waiting
  assert.deepEqual(
    second.events.map(({ event }) => event),
    ['state', 'slide', 'beat'],
  )
  const silent = poll(second.next)
  await room.clock.advance(25_000)
  assert.equal((await silent).next.startsWith('1-'), true)
  await room.close()
})

/** Heard to its end. */
async function completed(room: LiveRoom): Promise<{ ada: TestAttendee; stream: TestStream }> {
  const { ada, stream } = await started(room)
  await listen(ada, stream)
  for (let i = 0; i < 2; i++) {
    await ada.post('acknowledge_beats', { acks: [{ beatId: stream.of('beat').at(-1)?.['beatId'], phase: 'ended' }] })
    await settle()
  }
  await ada.post('control_run', { action: 'finish' })
  await settle()
  assert.equal(stream.isOpen(), false)
  return { ada, stream }
}

test('a question after the end is answered in writing to its asker, the run stays over, and recap and host see it', async () => {
  const room = await liveRoom()
  const { ada } = await completed(room)
  const runOf = () => room.store.read.selectFrom('runs').select(['status', 'ended_at']).executeTakeFirstOrThrow()
  const before = await runOf()
  // The run has been let go of meanwhile, and its stream can be read no more.
  await room.clock.advance(3_600_000)
  const id = '0b7c4c0e-2f4b-4f0e-8d53-7b1a3a7f2f11'
  const asked = await ada.post('ask_question', { id, text: 'How many bolts, mail ada@example.com?' })
  assert.equal(asked['status'], 'answered')
  assert.equal(asked['contactsRemoved'], true)
  const { answer, private: isPrivate } = asked['question'] as { answer: { text: string; outcome: string }; private: boolean }
  assert.match(answer.text, /^Slide \d says: /)
  assert.equal(answer.outcome, 'answered')
  assert.equal(isPrivate, true)
  assert.deepEqual(await runOf(), before)
  const count = async () => (await room.store.read.selectFrom('run_events').select('seq').execute()).length
  const written = await count()
  assert.deepEqual(await ada.post('ask_question', { id, text: 'How many bolts, mail ada@example.com?' }), asked)
  assert.equal(await count(), written, 'a repeat asks nothing again')
  const late = await room.store.read.selectFrom('run_events').select(['type', 'audience']).orderBy('seq', 'desc').limit(4).execute()
  assert.deepEqual(
    late.map(({ type, audience }) => [type, audience]),
    ['question', 'answer', 'answer', 'question'].map((type) => [type, ada.attendeeId]),
  )
  const token = createRecapLinks(['secret of this test'], 'https://rostrum.test').linkOf(ada.attendeeId).split('/').at(-1)
  const recap = await room.call('view_recap', { kind: 'nobody' }, { token })
  assert.deepEqual(
    (recap['questions'] as { answer?: string }[]).map((question) => question.answer),
    [answer.text],
  )
  const { questions } = (await room.call('list_questions', room.host, { sessionId: room.session.sessionId })) as unknown as {
    questions: { status: string; answer: { outcome: string } | null }[]
  }
  assert.deepEqual(
    questions.map((question) => [question.status, question.answer?.outcome]),
    [['answered', 'answered']],
  )
  const events = await room.store.read.selectFrom('domain_events').select('type').orderBy('sequence').execute()
  assert.equal(events.filter(({ type }) => type === 'session.completed').length, 1)
  assert.deepEqual(room.faults, [])
  await room.close()
})

test('what the process that answered a late question lost is answered by the next, to a repeat', async () => {
  let isStuck = true
  const answers: AnswerPort = {
    async *answer(request) {
      if (isStuck) await new Promise(() => undefined)
      yield* quotingAnswers.answer(request)
    },
  }
  const room = await liveRoom({ answers })
  const { ada } = await completed(room)
  const id = '0b7c4c0e-2f4b-4f0e-8d53-7b1a3a7f2f12'
  const waited = assert.rejects(ada.post('ask_question', { id, text: 'How many bolts?' }), { code: 'temporarily_unavailable' })
  await settle()
  await room.clock.advance(11_000)
  await waited
  await room.live.drain()
  isStuck = false
  const next = await liveRoom({ answers, store: room.store, clock: room.clock, seed: 2 })
  const again = await next.call('ask_question', ada.principal, { runId: ada.runId, id, text: 'How many bolts?' })
  assert.equal(again['status'], 'answered')
  assert.match(JSON.stringify(again['question']), /Slide \d says/)
  await next.close()
  await room.close()
})

test('a broadcast that is over takes no question', async () => {
  const room = await liveRoom({ session: { mode: 'broadcast' } })
  const ada = await room.join()
  await ada.stream()
  await room.clock.advance(150_000)
  await assert.rejects(ada.post('ask_question', { text: 'How many bolts?' }), { code: 'run_state' })
  await room.close()
})

test('an agent that acknowledges nothing follows at the pace of the talk, and what it was told counts as heard', async () => {
  const room = await liveRoom()
  const agent = await room.join({ kind: 'agent' })
  const stream = await agent.stream()
  await agent.post('control_run', { action: 'start' })
  await settle()
  await room.clock.advance(20_000)
  const beats = stream.of('beat')
  assert.ok(beats.length >= 8)
  for (const [index, start] of beats.slice(0, 8).entries()) {
    if (start['phase'] !== 'start') continue
    const end = beats[index + 1]
    assert.deepEqual([end?.['beatId'], end?.['phase'], end?.['spokenChars']], [start['beatId'], 'end', String(start['text']).length])
    assert.equal(Number(end?.['at']) - Number(start['startedAt']), start['estMs'])
  }
  assert.deepEqual(room.faults, [])
  await room.close()
})
