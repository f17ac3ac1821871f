// The table of deliveries, state by state, and the schedule as properties (Spec 3.3, 6.4.1).
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  type DeliveryState,
  type Happening,
  deliveryStatuses,
  happenings,
  interruptionsPerFailure,
  isDeadLetter,
  next,
} from './delivery.ts'

const delays = [120_000, 1_800_000]
const now = 1_000_000
const fresh: DeliveryState = {
  status: 'in_flight',
  trigger: 'automatic',
  chain_attempt: 0,
  attempts: 0,
  interrupted: 0,
  due_at: now + 35_000,
  resume_status: null,
  resume_at: null,
  finished_at: null,
}
const happening = (type: Happening['type']): Happening => (type === 'claimed' ? { type, until: now + 35_000 } : { type })
const after = (state: DeliveryState, ...types: Happening['type'][]): DeliveryState =>
  types.reduce((current, type) => next(current, happening(type), now, delays) ?? assert.fail(`${current.status} on ${type}`), state)

/** Rows: the state; columns in the order of `happenings`; `-` changes nothing. */
const table: Readonly<Record<DeliveryState['status'], readonly string[]>> = {
  pending: ['in_flight', '-', '-', '-', '-', '-', '-', '-', 'canceled', 'skipped'],
  in_flight: ['-', 'succeeded', 'retry_scheduled', 'failed', 'pending', 'pending', '-', '-', '-', '-'],
  retry_scheduled: ['in_flight', '-', '-', '-', '-', '-', 'pending', '-', 'canceled', 'skipped'],
  succeeded: ['-', '-', '-', '-', '-', '-', 'pending', 'pending', '-', '-'],
  failed: ['-', '-', '-', '-', '-', '-', 'pending', 'pending', '-', '-'],
  skipped: ['-', '-', '-', '-', '-', '-', 'pending', 'pending', '-', '-'],
  canceled: ['-', '-', '-', '-', '-', '-', 'pending', 'pending', '-', '-'],
}

describe('the table of deliveries', () => {
  for (const status of deliveryStatuses) {
    test(`${status}: every happening leads where the table says, or changes nothing`, () => {
      const isOpen = status === 'pending' || status === 'retry_scheduled' || status === 'in_flight'
      const state = { ...fresh, status, due_at: isOpen ? now : null }
      const reached = happenings.map((type) => next(state, happening(type), now, delays)?.status ?? '-')
      assert.deepEqual(reached, table[status])
    })
  }

  test('a failed manual attempt leaves the delivery where it was', () => {
    for (const status of ['succeeded', 'failed', 'skipped', 'canceled'] as const) {
      const before = { ...fresh, status, due_at: null, finished_at: 7, chain_attempt: 3, attempts: 3 }
      const back = after(before, 'redeliver', 'claimed', 'failed')
      assert.deepEqual(back, { ...before, attempts: 4, trigger: 'automatic' })
    }
    const waiting = { ...fresh, status: 'retry_scheduled' as const, due_at: now + 90_000, chain_attempt: 1, attempts: 1 }
    assert.deepEqual(after(waiting, 'redeliver', 'claimed', 'failed'), { ...waiting, attempts: 2 })
    assert.equal(after(waiting, 'redeliver', 'claimed', 'succeeded').status, 'succeeded')
  })

  test('a manual attempt that is called back does not rewrite what had ended', () => {
    const done = { ...fresh, status: 'succeeded' as const, due_at: null, finished_at: 7 }
    assert.equal(after(done, 'redeliver', 'disable').status, 'succeeded')
    assert.equal(after(done, 'redeliver', 'cancel').finished_at, 7)
    const waiting = { ...fresh, status: 'retry_scheduled' as const, due_at: now + 1, chain_attempt: 1 }
    assert.equal(after(waiting, 'redeliver', 'disable').status, 'skipped')
  })

  test('a test is one attempt, whatever comes of it', () => {
    const trial = { ...fresh, trigger: 'test' as const }
    assert.equal(after(trial, 'failed').status, 'failed')
    assert.equal(isDeadLetter(trial, after(trial, 'failed')), false)
  })

  test('410 ends the chain at once and is a dead letter', () => {
    const ended = after(fresh, 'gone')
    assert.equal(ended.status, 'failed')
    assert.equal(ended.due_at, null)
    assert.ok(isDeadLetter(fresh, ended))
  })

  test('an attempt that died is made again under its number, and the fifth death counts as a failure', () => {
    let state = fresh
    for (let death = 1; death < interruptionsPerFailure; death++) {
      state = after(state, 'interrupted')
      assert.deepEqual([state.status, state.chain_attempt, state.attempts, state.interrupted], ['pending', 0, 0, death])
      state = after(state, 'claimed')
    }
    state = after(state, 'interrupted')
    assert.deepEqual([state.status, state.chain_attempt, state.due_at], ['retry_scheduled', 1, now + 120_000])
  })
})

describe('the schedule', () => {
  test('two minutes after the first failure, thirty after the second, then dead-lettered', () => {
    const first = next(fresh, { type: 'failed' }, 5_000, delays)
    assert.deepEqual([first?.status, first?.due_at], ['retry_scheduled', 125_000])
    const second = next({ ...fresh, ...first, status: 'in_flight' }, { type: 'failed' }, 130_000, delays)
    assert.deepEqual([second?.status, second?.due_at], ['retry_scheduled', 1_930_000])
    const third = next({ ...fresh, ...second, status: 'in_flight' }, { type: 'failed' }, 1_940_000, delays)
    assert.deepEqual([third?.status, third?.due_at, third?.finished_at], ['failed', null, 1_940_000])
  })

  const type = fc.constantFrom(...happenings)
  test('whatever happens in whatever order: due exactly while waiting or in flight, and never more than the chain allows', () => {
    fc.assert(
      fc.property(fc.array(type, { maxLength: 60 }), fc.array(fc.nat(10_000), { maxLength: 4 }), (types, schedule) => {
        let state: DeliveryState = { ...fresh, status: 'pending', due_at: now }
        let time = now
        for (const each of types) {
          time += 1_000
          const changed = next(state, happening(each), time, schedule)
          if (changed === null) continue
          const isOpen = changed.status === 'pending' || changed.status === 'retry_scheduled' || changed.status === 'in_flight'
          assert.equal(changed.due_at !== null, isOpen)
          assert.ok(changed.chain_attempt <= schedule.length + 1)
          assert.ok(changed.attempts >= state.attempts && changed.interrupted >= state.interrupted)
          if (changed.status === 'retry_scheduled' && state.status === 'in_flight' && state.trigger !== 'manual')
            assert.equal(changed.due_at, time + (schedule[changed.chain_attempt - 1] ?? assert.fail()))
          state = changed
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
