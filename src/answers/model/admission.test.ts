import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Admission,
  admissionDue,
  admissionLimits,
  arrive,
  circuitTimes,
  closedCircuit,
  depart,
  expire,
  mayCall,
  newAdmission,
  onCall,
  onOutcome,
  type Verdict,
} from './slots.ts'

const ticket = (id: number, sessionId: string, attendeeId: string, since = 0) => ({ id, sessionId, attendeeId, since })

test('a session with many questions does not keep another waiting, nor an attendee their neighbours', () => {
  let admission = newAdmission(1)
  const admitted: number[] = []
  const take = ({ admission: next, verdicts }: { admission: Admission; verdicts: Verdict[] }) => {
    admission = next
    for (const { type, id } of verdicts) if (type === 'admit') admitted.push(id)
  }
  take(arrive(admission, ticket(1, 'a', 'maya')))
  for (const id of [2, 3, 4]) take(arrive(admission, ticket(id, 'a', 'maya')))
  take(arrive(admission, ticket(5, 'a', 'tom')))
  take(arrive(admission, ticket(6, 'b', 'ann')))
  while (admission.running.length > 0) take(depart(admission, admission.running[0]?.id ?? 0))
  assert.deepEqual(admitted, [1, 6, 5, 2, 3, 4])
})

test('the thirty-third in the queue is refused at once, and nobody waits longer than a second and a half', () => {
  let admission = arrive(newAdmission(1), ticket(0, 'a', 'x')).admission
  for (let id = 1; id <= admissionLimits.queueMax; id++) admission = arrive(admission, ticket(id, 'a', 'x', id)).admission
  assert.deepEqual(arrive(admission, ticket(99, 'b', 'y')).verdicts, [{ type: 'refuse', id: 99 }])
  assert.equal(admissionDue(admission), 1_501)
  assert.deepEqual(expire(admission, 1_501).verdicts, [{ type: 'refuse', id: 1 }])
})

test('for any coming and going: never more than the slots, no free slot while one waits, each ticket judged once', () => {
  const move = fc.oneof(
    fc.record({ type: fc.constant('arrive' as const), session: fc.nat(3), attendee: fc.nat(3) }),
    fc.record({ type: fc.constant('depart' as const), which: fc.nat(40) }),
    fc.record({ type: fc.constant('pass' as const), ms: fc.nat(2_000) }),
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(move, { maxLength: 80 }), (slots, moves) => {
      let admission = newAdmission(slots)
      let now = 0
      let last = 0
      const judged = new Map<number, string>()
      const take = (change: { admission: Admission; verdicts: Verdict[] }) => {
        admission = change.admission
        for (const { type, id } of change.verdicts) {
          assert.ok(!judged.has(id))
          judged.set(id, type)
        }
      }
      for (const each of moves) {
        if (each.type === 'arrive') take(arrive(admission, ticket(++last, `s${each.session}`, `a${each.attendee}`, now)))
        else if (each.type === 'depart') take(depart(admission, each.which))
        else {
          now += each.ms
          take(expire(admission, now))
        }
        assert.ok(admission.running.length <= slots)
        assert.ok(admission.waiting.length === 0 || admission.running.length === slots)
        assert.ok(admission.waiting.length <= admissionLimits.queueMax)
        assert.ok(admission.waiting.every(({ since }) => now < since + admissionLimits.waitMaxMs || each.type !== 'pass'))
        assert.ok(admission.turns.size <= 2 * (admission.running.length + admission.waiting.length))
      }
    }),
  )
})

test('five failures in thirty seconds open a circuit for thirty; then one call decides', () => {
  let circuit = closedCircuit
  for (const at of [0, 5_000, 10_000, 15_000]) circuit = onOutcome(circuit, 'failed', at)
  assert.ok(mayCall(circuit, 16_000))
  assert.ok(mayCall(onOutcome(circuit, 'failed', 31_000), 31_000), 'the first failure is too old to count')
  circuit = onOutcome(circuit, 'failed', 20_000)
  assert.ok(!mayCall(circuit, 20_000 + circuitTimes.openMs - 1))
  assert.ok(mayCall(circuit, 50_000))
  const tried = onCall(circuit)
  assert.ok(!mayCall(tried, 50_000), 'only one call tries it')
  assert.ok(!mayCall(onOutcome(tried, 'failed', 50_100), 80_000))
  assert.ok(mayCall(onOutcome(tried, 'unknown', 50_100), 50_100))
  assert.deepEqual(onOutcome(tried, 'good', 50_100), closedCircuit)
})
