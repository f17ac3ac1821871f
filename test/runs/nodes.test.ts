// Two processes on one store, on each kind of store: commands and streams at the one, the run at the other, and a change of owner.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceError } from '@rostrum/base/errors'
import type { TalkSession } from '@rostrum/contract/talk'
import type { Store } from '../../server/platform/db/store.ts'
import { manualClock, passUntil } from '../support/clock.ts'
import type { LiveRoom, TestAttendee } from '../support/live.ts'
import { liveRoom } from '../support/live.ts'
import { sampleTalk } from '../support/sample-talk.ts'
import type { OpenStore } from '../support/stores.ts'
import { eachStore } from '../support/stores.ts'
import type { TestStream } from '../support/test-stream.ts'

/** Lets time pass until it holds; a talk of which nothing is heard goes on by itself after much longer. */
async function until({ clock }: LiveRoom, claim: string, holds: () => boolean): Promise<void> {
  for (let look = 0; look < 200 && !holds(); look++) await clock.advance(50)
  assert.ok(holds(), `It never came to this: ${claim}`)
}

const drain = ({ clock, live }: LiveRoom) => passUntil(clock, live.drain())

/** Tells the story of two processes, and drains both however it ends. */
async function withTwo(
  open: OpenStore,
  story: (first: LiveRoom, second: LiveRoom) => Promise<void>,
  session: Partial<TalkSession> = {},
): Promise<void> {
  const clock = manualClock()
  const { store, another } = await open({ clock })
  const node = (own: Store, seed: number) => liveRoom({ store: own, clock, seed, leaseMs: 300, talk: sampleTalk(4), session })
  const first = await node(store, 1)
  const second = await node(await another(), 2)
  try {
    await story(first, second)
  } finally {
    await drain(first)
    await drain(second)
  }
}

/** Posts as a client does: the same id again while nobody answers. */
async function send(room: LiveRoom, { principal, runId }: TestAttendee, name: string, body: Record<string, unknown>): Promise<unknown> {
  const whole = { runId, id: crypto.randomUUID(), ...body }
  for (let attempt = 0; ; attempt++) {
    try {
      return await room.call(name, principal, whole)
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'temporarily_unavailable' || attempt === 4) throw error
    }
  }
}

const post = (...args: Parameters<typeof send>) => passUntil(args[0].clock, send(...args))

const begun = (stream: TestStream): string[] =>
  stream.of('beat').flatMap((beat) => (beat['phase'] === 'start' ? [String(beat['beatId'])] : []))

async function changeOfOwner(first: LiveRoom, second: LiveRoom): Promise<void> {
  const ada = await first.join()
  const stream = await second.stream(ada.principal, ada.runId)
  await post(second, ada, 'control_run', { action: 'start' })
  await until(first, 'the first beat at the other process', () => begun(stream).length === 1)
  await post(second, ada, 'acknowledge_beats', { acks: [{ beatId: begun(stream)[0], phase: 'ended' }] })
  await until(first, 'the second beat', () => begun(stream).length === 2)
  const asked = { id: crypto.randomUUID(), text: 'How many bolts?', interrupt: true }
  const [once, again] = await passUntil(
    second.clock,
    Promise.all([send(second, ada, 'ask_question', asked), send(second, ada, 'ask_question', asked)]),
  )
  assert.deepEqual(once, again)
  await until(first, 'the answer', () => stream.of('answer').some((answer) => answer['phase'] === 'sentence'))
  await drain(first)
  await until(first, 'a new owner', () => stream.of('state').some((state) => state['reason'] === 'recovered'))
  const answerId = String(stream.of('answer')[0]?.['answerId'])
  await post(second, ada, 'acknowledge_beats', { acks: [{ beatId: `${answerId}:0`, phase: 'ended' }] })
  await until(first, 'the talk going on', () => stream.of('state').at(-1)?.['status'] === 'presenting')
  assert.equal(begun(stream)[2], begun(stream)[1])
  assert.deepEqual([...first.faults, ...second.faults], [])
}

async function twoStreams(first: LiveRoom, second: LiveRoom): Promise<void> {
  const ada = await first.join()
  const old = await ada.stream()
  await first.clock.advance(5)
  const now = await second.stream(ada.principal, ada.runId)
  await until(first, 'the first stream closed', () => !old.isOpen())
  assert.equal(old.messages.at(-1)?.data['reason'], 'superseded')
  assert.equal(now.isOpen(), true)
}

async function yesElsewhere(first: LiveRoom, second: LiveRoom): Promise<void> {
  const ada = await first.join()
  const stream = await second.stream(ada.principal, ada.runId)
  await post(second, ada, 'control_run', { action: 'start' })
  await post(second, ada, 'ask_question', { text: 'Write to ada@example.com' })
  const told = (words: string) => stream.of('answer').some((answer) => JSON.stringify(answer['text'] ?? '').includes(words))
  await until(first, 'the private prompt', () => told('Your contact details were not shown'))
  await drain(second)
  const seen = stream.messages.findLast((message) => message.id !== undefined)?.id
  const yes = { id: crypto.randomUUID(), text: 'yes', seen }
  const sent = await post(first, ada, 'ask_question', yes)
  assert.deepEqual(await post(first, ada, 'ask_question', yes), sent)
  const details = first.leads.map((lead) => lead.details.email)
  assert.deepEqual(new Set(details), new Set(['ada@example.com']))
  const leads = await first.store.read.selectFrom('run_events').select('seq').where('type', '=', 'lead').execute()
  assert.equal(leads.length, 1)
  // Only the "yes" that was given first can be repeated.
  await post(first, ada, 'ask_question', { text: 'yes', seen })
  assert.equal(first.leads.length, details.length)
}

const later = 4_000
const startsAt = Date.UTC(2026, 10, 20, 12, 0, 4)

async function changeOfTime(first: LiveRoom, second: LiveRoom): Promise<void> {
  const { clock } = first
  const ada = await first.join()
  // The second process follows the room with the settings of before.
  const stream = await second.stream(ada.principal, ada.runId)
  const put = (at: number) => {
    for (const { session } of [first, second]) session.startsAt = at
  }
  const tell = async (at: number) => {
    await passUntil(clock, second.live.tellRuns(second.session.sessionId))
    await until(first, 'the new time', () => stream.of('state').at(-1)?.['startsAt'] === at)
  }
  put(startsAt + later)
  await tell(startsAt + later)
  await clock.advance(startsAt + 1_000 - clock.now())
  assert.equal(stream.of('state').length, 1)
  put(startsAt + 2 * later)
  await drain(first)
  // The second has taken the run with the new time by now; the room has not heard of it.
  await tell(startsAt + 2 * later)
  await clock.advance(startsAt + later + 1_000 - clock.now())
  assert.equal(stream.of('state').length, 2)
  await clock.advance(later)
  const begun = stream.of('state')[2]
  assert.deepEqual([begun?.['status'], begun?.['at']], ['presenting', startsAt + 2 * later])
  assert.deepEqual([...first.faults, ...second.faults], [])
}

eachStore((dialect, open) => {
  test('a new time of a broadcast reaches its lobby by another process, which begins by it when it takes the talk over', () =>
    withTwo(open, changeOfTime, { mode: 'broadcast', startPolicy: 'scheduled', startsAt }))

  test('a run is followed and driven from a process that does not own it, and goes on under a new owner', () =>
    withTwo(open, changeOfOwner))

  test('contact details wait for a "yes" that comes by another process, after the one that asked has gone', () =>
    withTwo(open, yesElsewhere))

  test('a second stream of one attendee closes the first, also in another process', { skip: dialect === 'sqlite' }, () =>
    withTwo(open, twoStreams),
  )
})
