// Who is served next: bounds, turns, and that failing endpoints never hold more than half of the slots.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Claimed } from './attempt.ts'
import { createLanes } from './dispatcher.ts'

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
  return { id, subscriptionId, eventId: 'msg', type: 'cta.clicked', state, token: 't', claimedAt, body: Buffer.from('{}') }
}

const takeAll = (lanes: ReturnType<typeof createLanes>): Claimed[] => {
  const taken: Claimed[] = []
  for (let one = lanes.take(); one !== undefined; one = lanes.take()) taken.push(one)
  return taken
}

test('a lane has its slots and no more, and lanes take turns', () => {
  const lanes = createLanes(64, 2)
  for (let n = 0; n < 3; n++) for (const lane of ['a', 'b']) lanes.add(claimed(lane))
  assert.deepEqual(
    takeAll(lanes).map(({ subscriptionId }) => subscriptionId),
    ['a', 'b', 'a', 'b'],
  )
  assert.deepEqual([lanes.inFlight(), lanes.queued()], [4, 2])
})

test('lanes whose last attempt failed hold at most half of all slots', () => {
  const lanes = createLanes(8, 4)
  const failing = ['a', 'b', 'c']
  for (const lane of failing) lanes.add(claimed(lane))
  for (const one of takeAll(lanes)) lanes.finish(one, { isFailed: true, ms: 20_000 })
  for (let n = 0; n < 4; n++) for (const lane of failing) lanes.add(claimed(lane))
  assert.equal(takeAll(lanes).length, 4)
  for (let n = 0; n < 4; n++) lanes.add(claimed('healthy'))
  assert.deepEqual(new Set(takeAll(lanes).map(({ subscriptionId }) => subscriptionId)), new Set(['healthy']))
})

test('claims go ahead for an endpoint that answers at once, and for no other', () => {
  const lanes = createLanes(64, 4)
  assert.equal(lanes.room('a'), 4, 'not answered yet')
  const answered = (ms: number, isFailed = false) => {
    lanes.add(claimed('a'))
    for (const one of takeAll(lanes)) lanes.finish(one, { isFailed, ms })
  }
  answered(5)
  assert.equal(lanes.room('a'), 128)
  answered(50)
  assert.equal(lanes.room('a'), 4, 'slow')
  answered(5, true)
  assert.equal(lanes.room('a'), 4, 'failing')
})

test('a lane that wants more asks once half of its room is free', () => {
  const lanes = createLanes(64, 4)
  lanes.wantMore('a')
  for (let n = 0; n < 2; n++) lanes.add(claimed('a'))
  assert.deepEqual(lanes.wanting(), [])
  const [first, second] = takeAll(lanes)
  assert.ok(first !== undefined && second !== undefined)
  assert.deepEqual([lanes.wanting(), lanes.room('a')], [['a'], 2])
  lanes.wantMore('a', false)
  assert.deepEqual(lanes.wanting(), [])
})

test('what was not dialled in time is taken back', () => {
  const lanes = createLanes(1, 1)
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
      const lanes = createLanes(6, 3)
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
