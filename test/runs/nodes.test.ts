// Two processes on one store, on each kind of store: commands and streams at the one, the run at the other, and a change of owner.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '../../src/kernel/clock.ts'
import { isServiceError } from '../../src/kernel/errors.ts'
import type { Store } from '../../src/storage/store.ts'
import type { LiveRoom, TestAttendee } from '../support/live.ts'
import { liveRoom } from '../support/live.ts'
import { sampleTalk } from '../support/sample-talk.ts'
import type { OpenStore } from '../support/stores.ts'
import { eachStore } from '../support/stores.ts'
import type { TestStream } from '../support/test-stream.ts'

const clock = { ...systemClock, advance: async () => undefined, set: () => undefined, nextDue: () => undefined }

/** Polls; only a machine that stands still comes near the end of its patience. */
async function until(claim: string, holds: () => boolean): Promise<void> {
  for (let look = 0; look < 3_000; look++) {
    if (holds()) return
    await wait(10)
  }
  assert.fail(`It never came to this: ${claim}`)
}

/** Tells the story of two processes, and drains both however it ends. */
async function withTwo(open: OpenStore, story: (first: LiveRoom, second: LiveRoom) => Promise<void>): Promise<void> {
  const { store, another } = await open()
  const node = (own: Store, seed: number) => liveRoom({ store: own, clock, seed, leaseMs: 300, talk: sampleTalk(4) })
  const first = await node(store, 1)
  const second = await node(await another(), 2)
  try {
    await story(first, second)
  } finally {
    await first.live.drain()
    await second.live.drain()
  }
}

/** Posts as a client does: the same id again while nobody answers. */
async function post(room: LiveRoom, { principal, runId }: TestAttendee, name: string, body: Record<string, unknown>): Promise<unknown> {
  const whole = { runId, id: crypto.randomUUID(), ...body }
  for (let attempt = 0; ; attempt++) {
    try {
      return await room.call(name, principal, whole)
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'temporarily_unavailable' || attempt === 4) throw error
    }
  }
}

const begun = (stream: TestStream): string[] =>
  stream.of('beat').flatMap((beat) => (beat['phase'] === 'start' ? [String(beat['beatId'])] : []))

async function changeOfOwner(first: LiveRoom, second: LiveRoom): Promise<void> {
  const ada = await first.join()
  const stream = await second.stream(ada.principal, ada.runId)
  await post(second, ada, 'control_run', { action: 'start' })
  await until('the first beat at the other process', () => begun(stream).length === 1)
  await post(second, ada, 'acknowledge_beats', { acks: [{ beatId: begun(stream)[0], phase: 'ended' }] })
  await until('the second beat', () => begun(stream).length === 2)
  const asked = { id: crypto.randomUUID(), text: 'How many bolts?', interrupt: true }
  const [once, again] = await Promise.all([post(second, ada, 'ask_question', asked), post(second, ada, 'ask_question', asked)])
  assert.deepEqual(once, again)
  await until('the answer', () => stream.of('answer').some((answer) => answer['phase'] === 'sentence'))
  await first.live.drain()
  await until('a new owner', () => stream.of('state').some((state) => state['reason'] === 'recovered'))
  const answerId = String(stream.of('answer')[0]?.['answerId'])
  await post(second, ada, 'acknowledge_beats', { acks: [{ beatId: `${answerId}:0`, phase: 'ended' }] })
  await until('the talk going on', () => stream.of('state').at(-1)?.['status'] === 'presenting')
  assert.equal(begun(stream)[2], begun(stream)[1])
  assert.deepEqual([...first.faults, ...second.faults], [])
}

async function twoStreams(first: LiveRoom, second: LiveRoom): Promise<void> {
  const ada = await first.join()
  const old = await ada.stream()
  await wait(5)
  const now = await second.stream(ada.principal, ada.runId)
  await until('the first stream closed', () => !old.isOpen())
  assert.equal(old.messages.at(-1)?.data['reason'], 'superseded')
  assert.equal(now.isOpen(), true)
}

async function yesElsewhere(first: LiveRoom, second: LiveRoom): Promise<void> {
  const ada = await first.join()
  const stream = await second.stream(ada.principal, ada.runId)
  await post(second, ada, 'control_run', { action: 'start' })
  await post(second, ada, 'ask_question', { text: 'Write to ada@example.com' })
  const told = (words: string) => stream.of('answer').some((answer) => JSON.stringify(answer['text'] ?? '').includes(words))
  await until('the private prompt', () => told('Your contact details were not shown'))
  await second.live.drain()
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

const timeout = 240_000

eachStore((dialect, open) => {
  test('a run is followed and driven from a process that does not own it, and goes on under a new owner', { timeout }, () =>
    withTwo(open, changeOfOwner),
  )

  test('contact details wait for a "yes" that comes by another process, after the one that asked has gone', { timeout }, () =>
    withTwo(open, yesElsewhere),
  )

  test('a second stream of one attendee closes the first, also in another process', { timeout, skip: dialect === 'sqlite' }, () =>
    withTwo(open, twoStreams),
  )
})
