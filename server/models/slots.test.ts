import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { manualClock, settle } from '../../test/support/clock.ts'
import { circuitTimes, createCircuits, createSlots, slotLimits } from './slots.ts'

const never = new AbortController().signal

/** Everybody who asks for a slot, what came of it, and how they give it back. */
function rig(count: number) {
  const clock = manualClock()
  const slots = createSlots(clock, count)
  const admitted: number[] = []
  const refused: number[] = []
  const leaves = new Map<number, () => void>()
  const take = (id: number, sessionId: string, attendeeId: string) =>
    void slots.take(sessionId, attendeeId, never).then((leave) => {
      if (leave === null) refused.push(id)
      else {
        admitted.push(id)
        leaves.set(id, leave)
      }
    })
  const leave = (id: number) => {
    leaves.get(id)?.()
    leaves.delete(id)
  }
  return { clock, slots, admitted, refused, leaves, take, leave }
}

test('a session with many questions does not keep another waiting, nor an attendee their neighbours', async () => {
  const { admitted, leaves, take, leave } = rig(1)
  for (const id of [1, 2, 3, 4]) take(id, 'a', 'maya')
  take(5, 'a', 'tom')
  take(6, 'b', 'ann')
  await settle()
  for (let [id] = leaves.keys(); id !== undefined; [id] = leaves.keys()) {
    leave(id)
    await settle()
  }
  assert.deepEqual(admitted, [1, 6, 5, 2, 3, 4])
})

test('the thirty-third in the queue is refused at once, and nobody waits longer than a second and a half', async () => {
  const { clock, refused, take } = rig(1)
  for (let id = 0; id <= slotLimits.queueMax; id++) {
    take(id, 'a', 'x')
    await clock.advance(1)
  }
  take(99, 'b', 'y')
  await settle()
  assert.deepEqual(refused, [99])
  // The second has waited since the first millisecond.
  await clock.advance(slotLimits.waitMaxMs - slotLimits.queueMax - 1)
  assert.deepEqual(refused, [99])
  await clock.advance(1)
  assert.deepEqual(refused, [99, 1])
})

test('who gives up waiting is let go, and takes no slot', async () => {
  const { slots, leaves, take, leave, admitted } = rig(1)
  take(1, 'a', 'x')
  const abort = new AbortController()
  const waits = slots.take('a', 'y', abort.signal)
  take(3, 'a', 'z')
  abort.abort()
  assert.equal(await waits, null)
  leave(1)
  await settle()
  assert.deepEqual([admitted, [...leaves.keys()], slots.running], [[1, 3], [3], 1])
})

test('for any coming and going: never more than the slots, no free slot while one waits, each judged once', async () => {
  const move = fc.oneof(
    fc.record({ type: fc.constant('arrive' as const), session: fc.nat(3), attendee: fc.nat(3) }),
    fc.record({ type: fc.constant('depart' as const), which: fc.nat(40) }),
    fc.record({ type: fc.constant('pass' as const), ms: fc.nat(2_000) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(move, { maxLength: 40 }), async (count, moves) => {
      const { clock, slots, admitted, refused, take, leave } = rig(count)
      let last = 0
      for (const each of moves) {
        if (each.type === 'arrive') take(++last, `s${each.session}`, `a${each.attendee}`)
        else if (each.type === 'depart') leave(each.which)
        else await clock.advance(each.ms)
        await settle(1)
        const judged = [...admitted, ...refused]
        assert.equal(new Set(judged).size, judged.length)
        assert.ok(slots.running <= count)
        assert.ok(judged.length === last || slots.running === count, 'a slot is free while one waits')
        assert.ok(last - judged.length <= slotLimits.queueMax)
      }
      await clock.advance(slotLimits.waitMaxMs)
      assert.equal(admitted.length + refused.length, last)
    }),
  )
})

test('five failures in thirty seconds open a circuit for thirty; then one call decides', () => {
  const clock = manualClock(0)
  const failing = (...at: number[]) => {
    const circuits = createCircuits(clock)
    for (const time of at) {
      clock.set(time)
      circuits.onOutcome(0, 'failed')
    }
    return circuits
  }
  const mayCallAt = (circuits: ReturnType<typeof failing>, at: number) => {
    clock.set(at)
    return circuits.mayCall(0)
  }
  assert.ok(mayCallAt(failing(0, 5_000, 10_000, 15_000), 16_000))
  assert.ok(mayCallAt(failing(0, 5_000, 10_000, 15_000, 31_000), 31_000), 'the first failure is too old to count')
  const open = () => failing(0, 5_000, 10_000, 15_000, 20_000)
  assert.ok(!mayCallAt(open(), 20_000 + circuitTimes.openMs - 1))
  const tried = () => {
    const circuits = open()
    assert.ok(mayCallAt(circuits, 50_000))
    circuits.onCall(0)
    assert.ok(!circuits.mayCall(0), 'only one call tries it')
    return circuits
  }
  const failed = tried()
  clock.set(50_100)
  failed.onOutcome(0, 'failed')
  assert.ok(!mayCallAt(failed, 80_000))
  const unknown = tried()
  unknown.onOutcome(0, 'unknown')
  assert.ok(unknown.mayCall(0))
  unknown.onOutcome(0, 'failed')
  assert.ok(!unknown.mayCall(0), 'it is still tried')
  const good = tried()
  good.onOutcome(0, 'good')
  good.onOutcome(0, 'failed')
  assert.ok(good.mayCall(0), 'one failure is not five')
})
