// Who is served next: bounds, turns, and that failing endpoints never hold more than half of the slots.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Claimed } from './attempt.ts'
import { createLanes } from './lanes.ts'

const ahead = { ms: 1_000, max: 256, totalMax: 1_024 }

let made = 0
function claimed(subscriptionId: string, claimedAt = 0): Claimed {
  const id = `dlv_${made++}`
  const state = {
    status: 'in_flight',
    trigger: 'automatic',
    chain_attempt: 0,
    attempts: 0,
    interrupted: 0,
    due_at: 1,
    resume_status: null,
    resume_at: null,
    finished_at: null,
  } as const
  return { id, subscriptionId, eventId: 'msg', type: 'cta.clicked', state, token: 't', claimedAt, body: Buffer.from('{}'), draft: null }
}

const takeAll = (lanes: ReturnType<typeof createLanes>): Claimed[] => {
  const taken: Claimed[] = []
  for (let one = lanes.take(); one !== undefined; one = lanes.take()) taken.push(one)
  return taken
}

test('a lane has its slots and no more, and lanes take turns', () => {
  const lanes = createLanes({ concurrency: 64, endpointConcurrency: 2, ahead })
  for (let n = 0; n < 3; n++) for (const lane of ['a', 'b']) lanes.add(claimed(lane))
  assert.deepEqual(
    takeAll(lanes).map(({ subscriptionId }) => subscriptionId),
    ['a', 'b', 'a', 'b'],
  )
  assert.deepEqual([lanes.inFlight(), lanes.queued()], [4, 2])
})

test('lanes whose last attempt failed hold at most half of all slots', () => {
  const lanes = createLanes({ concurrency: 8, endpointConcurrency: 4, ahead })
  const failing = ['a', 'b', 'c']
  for (const lane of failing) lanes.add(claimed(lane))
  for (const one of takeAll(lanes)) lanes.finish(one, { isFailed: true, ms: 20_000 })
  for (let n = 0; n < 4; n++) for (const lane of failing) lanes.add(claimed(lane))
  assert.equal(takeAll(lanes).length, 4)
  for (let n = 0; n < 4; n++) lanes.add(claimed('healthy'))
  assert.deepEqual(new Set(takeAll(lanes).map(({ subscriptionId }) => subscriptionId)), new Set(['healthy']))
})

test('claims go ahead by what an endpoint takes up in a second, and not for one that fails', () => {
  const lanes = createLanes({ concurrency: 64, endpointConcurrency: 4, ahead })
  assert.equal(lanes.room('a'), 32, 'not answered yet')
  const answered = (ms: number, isFailed = false) => {
    lanes.add(claimed('a'))
    for (const one of takeAll(lanes)) lanes.finish(one, { isFailed, ms })
  }
  answered(5)
  assert.equal(lanes.room('a'), 256)
  for (let n = 0; n < 20; n++) answered(30)
  assert.equal(Math.round(lanes.room('a') / 10), 13)
  for (let n = 0; n < 60; n++) answered(5_000)
  assert.equal(lanes.room('a'), 4)
  for (let n = 0; n < 40; n++) answered(5)
  answered(5, true)
  assert.equal(lanes.room('a'), 4, 'a failing endpoint is not claimed ahead')
})

test('events are taken for lanes that are known to be fast and half empty, shared among them', () => {
  const lanes = createLanes({ concurrency: 64, endpointConcurrency: 4, ahead })
  assert.equal(lanes.roomAhead(), 0)
  lanes.add(claimed('a'))
  const [first] = takeAll(lanes)
  assert.ok(first !== undefined)
  assert.equal(lanes.roomAhead(), 32, 'on the wire, and nobody knows how fast')
  lanes.finish(first, { isFailed: false, ms: 1 })
  assert.equal(lanes.roomAhead(), 256)
  for (let n = 0; n < 128; n++) lanes.add(claimed('a'))
  assert.equal(lanes.roomAhead(), 128)
  lanes.add(claimed('a'))
  assert.equal(lanes.roomAhead(), 0, 'more than half full')
})

test('an event that goes to all fast lanes finds room in each, though some hold more than others', () => {
  const lanes = createLanes({ concurrency: 64, endpointConcurrency: 4, ahead: { ms: 1_000, max: 256, totalMax: 64 } })
  const names = ['a', 'b', 'c', 'd']
  for (const name of names) lanes.add(claimed(name))
  for (const one of takeAll(lanes)) lanes.finish(one, { isFailed: false, ms: 1 })
  for (const [at, name] of names.entries()) for (let n = 0; n < 4 * at; n++) lanes.add(claimed(name))
  const taken = lanes.roomAhead()
  assert.equal(taken, 10, 'a share of what is left for all of them')
  for (const name of names) for (let n = 0; n < taken; n++) lanes.add(claimed(name))
  assert.equal(lanes.queued(), 64)
  assert.equal(lanes.room('a'), 0)
  assert.equal(lanes.roomForFresh('a'), 64, 'what is not in the store yet may wait for twice as long')
})

test('what waits for endpoints that were never answered takes no room from the others, and makes them slow in the end', () => {
  const lanes = createLanes({ concurrency: 64, endpointConcurrency: 4, ahead: { ms: 1_000, max: 256, totalMax: 40 } })
  lanes.add(claimed('quick'))
  for (const one of takeAll(lanes)) lanes.finish(one, { isFailed: false, ms: 1 })
  for (const hanging of ['a', 'b', 'c']) for (let n = 0; n < 36; n++) lanes.add(claimed(hanging, 1))
  assert.equal(takeAll(lanes).length, 12)
  assert.deepEqual(
    ['a', 'quick'].map((lane) => lanes.room(lane)),
    [0, 40],
  )
  assert.equal(lanes.takeStale(2).length, 96)
  assert.deepEqual(
    ['a', 'quick'].map((lane) => lanes.room(lane)),
    [0, 40],
  )
  for (let n = 0; n < 40; n++) lanes.add(claimed('quick', 2))
  assert.equal(lanes.room('quick'), 0, 'as much as there is for all')
})

test('what was not dialled in time is taken back', () => {
  const lanes = createLanes({ concurrency: 1, endpointConcurrency: 1, ahead })
  for (const at of [1, 2, 3]) lanes.add(claimed('a', at))
  assert.deepEqual(
    lanes.takeStale(3).map(({ claimedAt }) => claimedAt),
    [1, 2],
  )
  assert.equal(lanes.queued(), 1)
})

test('in whatever order: bounds hold, nothing is lost or dialled twice', () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant('add' as const), lane: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ type: fc.constant('take' as const) }),
    fc.record({ type: fc.constant('finish' as const), isFailed: fc.boolean(), ms: fc.nat(100) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const lanes = createLanes({ concurrency: 6, endpointConcurrency: 3, ahead })
      const added: string[] = []
      const flying: Claimed[] = []
      const done: string[] = []
      for (const each of steps) {
        if (each.type === 'add') {
          const one = claimed(each.lane)
          added.push(one.id)
          lanes.add(one)
        } else if (each.type === 'take') {
          const one = lanes.take()
          if (one !== undefined) flying.push(one)
        } else {
          const one = flying.shift()
          if (one !== undefined) {
            lanes.finish(one, each)
            done.push(one.id)
          }
        }
        assert.ok(flying.length <= 6)
        for (const lane of ['a', 'b', 'c']) assert.ok(flying.filter(({ subscriptionId }) => subscriptionId === lane).length <= 3)
        assert.equal(lanes.inFlight(), flying.length)
        assert.equal(lanes.queued() + flying.length + done.length, added.length)
      }
      assert.equal(new Set([...flying.map(({ id }) => id), ...done]).size, flying.length + done.length)
    }),
  )
})
