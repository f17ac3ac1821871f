// What once went wrong in rooms at random (test/runs/room-sim.test.ts), each told alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '@rostrum/base/errors'
import { createThreads } from '@rostrum/base/work'
import { liveNow } from '../../server/runs/room/rooms.ts'
import { findCommand } from '../../server/runs/log/run-log.ts'
import { createCompiler } from '@rostrum/telling/compiler'
import type { Store } from '../../server/platform/db/store.ts'
import { settle } from '../support/clock.ts'
import { liveRoom } from '../support/live.ts'
import type { LiveRoom, LiveRoomOptions, TestAttendee } from '../support/live.ts'
import { sampleTalk } from '../support/sample-talk.ts'
import { slideText } from '../support/slides.ts'
import { openTestStore } from '../support/stores.ts'
import type { TestStream } from '../support/test-stream.ts'

const broadcast = (options: LiveRoomOptions = {}): Promise<LiveRoom> =>
  liveRoom({ ...options, session: { mode: 'broadcast', ...options.session } })

const host = (room: LiveRoom, runId: string, action: string, more: Record<string, unknown> = {}) =>
  room.call('host_run', room.host, { runId, id: crypto.randomUUID(), action, ...more })

const begun = (stream: TestStream): string[] =>
  stream.of('beat').flatMap((beat) => (beat['phase'] === 'start' ? [String(beat['beatId'])] : []))

/** Nobody does anything for so long, of which the last minute is lived through. */
async function idle({ clock }: LiveRoom, ms: number): Promise<void> {
  clock.set(clock.now() + ms - 60_000)
  await clock.advance(60_000)
}

/** Says that each beat was heard as soon as it begins, until there is nothing to say. */
async function hearAll(ada: TestAttendee, stream: TestStream): Promise<void> {
  let heard = 0
  for (let all = begun(stream); heard < all.length; all = begun(stream)) {
    await ada.post('acknowledge_beats', { acks: [{ beatId: all[heard], phase: 'ended' }] })
    heard++
    await settle()
  }
}

test('a broadcast goes on for everybody when one of its attendees leaves', async () => {
  const room = await broadcast()
  const [ada, bob] = [await room.join(), await room.join()]
  const left = await ada.stream()
  const theirs = await bob.stream()
  await settle()
  await ada.post('leave_room', {})
  await settle()
  assert.equal(left.messages.at(-1)?.data['reason'], 'left')
  const asked = await bob.post('ask_question', { text: 'How many bolts?' })
  const eve = await room.join()
  const late = await eve.stream()
  await settle()
  assert.equal(late.isOpen(), true)
  assert.deepEqual(await eve.post('vote_question', { questionId: asked['questionId'], value: 1 }), { votes: 1 })
  await room.clock.advance(5_000)
  assert.equal(theirs.isOpen(), true)
  assert.ok(begun(late).length > 0)
  const visits = await room.store.read.selectFrom('visits').select('attendee_id').where('left_at', 'is', null).execute()
  assert.equal(visits.length, 2)
  await room.close()
})

test('who has left a broadcast and comes back is told what is being said, and seen to go again', async () => {
  const room = await broadcast()
  const ada = await room.join()
  await ada.stream()
  await settle()
  await ada.post('leave_room', {})
  await room.clock.advance(100)
  const again = await ada.stream()
  assert.match(JSON.stringify(again.messages[0]?.data['position']), /"beatId":"beat-0".*"phase":"start"/)
  assert.equal(again.isOpen(), true)
  await settle()
  again.close()
  await room.clock.advance(31_000)
  const visits = await room.store.read.selectFrom('visits').select('reason').orderBy('visit').execute()
  assert.equal(visits.map(({ reason }) => reason).join(), 'left,disconnected')
  await room.close()
})

test('whoever goes on from the question window hears the closing again, whole, and has a window after it', async () => {
  const room = await liveRoom()
  const ada = await room.join()
  const stream = await ada.stream()
  await ada.post('control_run', { action: 'start' })
  await settle()
  await hearAll(ada, stream)
  assert.equal(stream.of('state').at(-1)?.['reason'], 'window')
  await room.clock.advance(14_000)
  await ada.post('control_run', { action: 'next' })
  await settle()
  await room.clock.advance(2_000)
  assert.equal(stream.of('state').at(-1)?.['status'], 'closing')
  assert.equal(stream.of('state').at(-1)?.['windowUntil'], undefined)
  const again = begun(stream).slice(-1)
  for (const beatId of [...again, 'beat-8']) {
    await ada.post('acknowledge_beats', { acks: [{ beatId, phase: 'ended' }] })
    await settle()
  }
  assert.ok(Number(stream.of('state').at(-1)?.['windowUntil']) > room.clock.now() + 10_000)
  await room.close()
})

test('a repeat that reached another process first gets the answer of its owner, and the next owner does not obey it again', async () => {
  const room = await liveRoom()
  const ada = await room.join()
  await ada.stream()
  await ada.post('control_run', { action: 'start' })
  const id = crypto.randomUUID()
  const command = { kind: 'control', id, attendeeId: ada.attendeeId, action: 'repeat' }
  const row = { run_id: ada.runId, id, attendee_id: ada.attendeeId, kind: 'control', body: JSON.stringify(command), at: room.clock.now() }
  // Written down, and the ring for it lost.
  await room.store.write((tx) =>
    tx
      .insertInto('run_commands')
      .values({ ...row, handled_at: null, answer: null })
      .execute(),
  )
  const first = await room.call('control_run', ada.principal, { runId: ada.runId, id, action: 'repeat' })
  const kept = await findCommand(room.store.read, ada.runId, id)
  assert.notEqual(kept?.handled_at, null)
  assert.deepEqual(JSON.parse(kept?.answer ?? ''), { ok: true, data: first })
  await room.close()
})

test('a cursor that another process gave is resumed from, though no ring has told of it yet', async () => {
  const room = await broadcast()
  const deaf = await broadcast({
    store: { ...room.store, read: room.store.read, listen: () => () => undefined },
    clock: room.clock,
    seed: 2,
  })
  const ada = await room.join()
  await deaf.stream(ada.principal, ada.runId)
  const stream = await ada.stream()
  await room.clock.advance(1_000)
  await host(room, ada.runId, 'next')
  await settle()
  const cursor = stream.messages.findLast((message) => message.id !== undefined)?.id
  const again = await deaf.stream(ada.principal, ada.runId, cursor)
  assert.equal(again.messages[0]?.data['resumed'], true)
  await deaf.close()
  await room.close()
})

test('a database that is away when the log of a room grows ends no process, and its streams go on where they were', async () => {
  const room = await broadcast()
  let isAway = false
  const read = room.store.read.withPlugin({
    transformQuery({ node }) {
      if (isAway) throw new Error('The database is away.')
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const other = await broadcast({ store: { ...room.store, read }, clock: room.clock, seed: 2 })
  const ada = await room.join()
  const stream = await other.stream(ada.principal, ada.runId)
  await room.clock.advance(1_000)
  const before = stream.messages.length
  isAway = true
  await host(room, ada.runId, 'next')
  await settle()
  assert.equal(stream.messages.length, before)
  isAway = false
  await room.clock.advance(2_000)
  assert.equal(stream.of('slide').at(-1)?.['index'], 1)
  await other.close()
  await room.close()
})

test('a process that is stopped while it takes up a run does not keep it', async () => {
  const store = await openTestStore()
  const first = await broadcast({ store })
  let gate: Promise<void> | null = null
  // What it looks for comes first; the lease is what waits.
  let before = 1
  const write: Store['write'] = async (fn) => {
    if (gate !== null && before-- <= 0) await gate
    return store.write(fn)
  }
  const second = await broadcast({ store: { ...store, read: store.read, write }, clock: first.clock, seed: 2 })
  const ada = await first.join()
  await ada.stream()
  await first.clock.advance(2_000)
  await first.close()
  const { promise, resolve: open } = Promise.withResolvers<void>()
  gate = promise
  await first.clock.advance(2_000)
  const closing = second.close()
  await settle()
  open()
  await closing
  const run = await store.read.selectFrom('runs').select(['lease_owner', 'epoch']).executeTakeFirstOrThrow()
  assert.deepEqual(run, { lease_owner: null, epoch: 2 })
  await store.close()
})

test('a broadcast that its host paused and everybody left ends after half an hour, and not before', async () => {
  const room = await broadcast()
  const ada = await room.join()
  const stream = await ada.stream()
  await settle()
  await host(room, ada.runId, 'pause')
  await idle(room, 40 * 60_000)
  const status = async () =>
    (await room.store.read.selectFrom('runs').select(['status', 'end_reason']).executeTakeFirstOrThrow()) as unknown
  assert.deepEqual(await status(), { status: 'paused', end_reason: null })
  stream.close()
  await idle(room, 29 * 60_000)
  assert.deepEqual(await status(), { status: 'paused', end_reason: null })
  await idle(room, 2 * 60_000)
  assert.deepEqual(await status(), { status: 'completed', end_reason: 'abandoned' })
  await room.close()
})

test('while a page of the host is open, a paused and empty broadcast waits four hours', async () => {
  const room = await broadcast()
  const ada = await room.join()
  const stream = await ada.stream()
  await room.stream(room.host, ada.runId)
  await host(room, ada.runId, 'pause')
  stream.close()
  const ended = async () => (await room.store.read.selectFrom('runs').select('ended_at').executeTakeFirstOrThrow()).ended_at !== null
  await idle(room, 3 * 3_600_000)
  assert.equal(await ended(), false)
  await idle(room, 62 * 60_000)
  assert.equal(await ended(), true)
  await room.close()
})

test('an offer that is not shown cannot be dismissed', async () => {
  const room = await broadcast({ session: { ctaRules: ['end'] } })
  const ada = await room.join()
  await ada.stream()
  assert.equal((await ada.post('act_on_cta', { action: 'dismiss' }))['state'], 'hidden')
  const again = await ada.stream()
  assert.match(JSON.stringify(again.messages[0]?.data['you']), /"cta":"hidden"/)
  await room.close()
})

test('hiding a private question leaves the answer that is being given alone, and approving it keeps it private', async () => {
  const room = await broadcast({ session: { startPolicy: 'host' } })
  const [ada, bob] = [await room.join(), await room.join()]
  await ada.stream()
  const theirs = await bob.stream()
  await settle()
  const secret = await ada.post('ask_question', { text: 'What is unknown to you?', private: true })
  const shown = await bob.post('ask_question', { text: 'How many bolts?' })
  await settle()
  assert.equal(theirs.of('state').at(-1)?.['status'], 'answering')
  await host(room, ada.runId, 'hide_question', { questionId: secret['questionId'] })
  assert.equal(theirs.of('state').at(-1)?.['status'], 'answering')
  await host(room, ada.runId, 'approve_question', { questionId: secret['questionId'] })
  await room.clock.advance(20_000)
  const questions = theirs.of('question').map((question) => question['questionId'])
  assert.deepEqual([...new Set(questions)], [shown['questionId']])
  await room.close()
})

test('a question that waits for approval stays unseen when the host answers it in private, and is shown before a public answer', async () => {
  const room = await broadcast({ session: { startPolicy: 'host', moderation: 'manual' } })
  const [ada, bob] = [await room.join(), await room.join()]
  const mine = await ada.stream()
  const theirs = await bob.stream()
  await settle()
  const first = await ada.post('ask_question', { text: 'How many bolts?' })
  const second = await ada.post('ask_question', { text: 'Who fits it?' })
  await host(room, ada.runId, 'answer_text', { questionId: first['questionId'], text: 'Two.', private: true })
  assert.equal(mine.of('answer').at(-1)?.['text'], 'Two.')
  assert.deepEqual(theirs.of('question'), [])
  await host(room, ada.runId, 'take_over')
  await host(room, ada.runId, 'answer_text', { questionId: second['questionId'], text: 'Our own people.' })
  const told = theirs.messages
    .filter(({ event }) => event === 'question' || event === 'answer')
    .map(({ event, data }) => `${event} ${String(data['status'] ?? data['phase'])}`)
  assert.deepEqual(told, ['question answering', 'answer start', 'answer end', 'question answered'])
  await room.close()
})

test('a session is not live while people read the recap of a talk that is over', async () => {
  const room = await broadcast()
  const ada = await room.join()
  const stream = await ada.stream()
  await settle()
  const here = async () => (await liveNow(room.store.read, [room.session.sessionId])).get(room.session.sessionId)?.online
  assert.equal(await here(), 1)
  for (const action of ['end', 'end']) {
    await host(room, ada.runId, action)
    await settle()
  }
  assert.equal(stream.of('state').at(-1)?.['status'], 'completed')
  const visits = await room.store.read.selectFrom('visits').select('attendee_id').where('left_at', 'is', null).execute()
  assert.equal(visits.length, 1)
  assert.equal(await here(), undefined)
  await room.close()
})

test('who joins a talk whose words take the server too long to make has a seat, and is told when to come back', async () => {
  const slides = [slideText({ id: 's', index: 0, title: 'Grid', text: 'A battery shifts the evening peak. '.repeat(400) })]
  const compiler = createCompiler(createThreads(1))
  let isMade = false
  async function pinnedTalk() {
    if (!isMade) await compiler.compile({ title: 'Grid', language: 'en', slides })
    return sampleTalk()
  }
  const room = await liveRoom({ content: { pinnedTalk } })
  const ada = await room.join()
  const come = { key: room.session.slug }
  const view = () => room.call('view_room', { kind: 'nobody' }, come)
  for (const ask of [view, () => ada.stream(), () => ada.post('control_run', { action: 'start' })])
    await assert.rejects(ask, (error) => {
      assert.ok(error instanceof ServiceError)
      assert.deepEqual([error.status, error.extra.headers], [503, { 'Retry-After': '5' }])
      assert.match(error.message, /still being made.* Try again in a few seconds/)
      return true
    })
  isMade = true
  const stream = await ada.stream()
  await ada.post('control_run', { action: 'start' })
  await settle()
  assert.ok(stream.of('beat').length > 0)
  await room.close()
})
