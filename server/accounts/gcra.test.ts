import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { arrive, intervalOf, limitHeaders, type Policy, verdictOf } from './limits.ts'

const api: Policy = { name: 'api', count: 120, windowMs: 60_000 }

/** Runs the calls at `times` (microseconds, ascending) and counts those that pass. */
function passing(policy: Policy, times: readonly number[]): boolean[] {
  let tat: number | undefined
  return times.map((now) => {
    const next = arrive(policy, tat, now)
    tat = next ?? tat
    return next !== undefined
  })
}

test('exactly the limit passes at once, and one more after one interval', () => {
  const policy = { name: 'x', count: 60, windowMs: 60_000 }
  const at = 1_700_000_000_000_000
  assert.equal(passing(policy, Array<number>(100).fill(at)).filter(Boolean).length, 60)
  const times = [...Array<number>(100).fill(at), at + 999_999, at + 1_000_000, at + 1_000_000]
  assert.deepEqual(passing(policy, times).slice(100), [false, true, false])
})

test('no window of any length lets more than twice the count through, and an idle key gets all of it back', () => {
  const policyArb = fc.record({
    name: fc.constant('p'),
    count: fc.integer({ min: 1, max: 20 }),
    windowMs: fc.integer({ min: 1, max: 10_000 }),
  })
  const gapsArb = fc.array(fc.integer({ min: 0, max: 3_000_000 }), { maxLength: 100 })
  fc.assert(
    fc.property(policyArb, gapsArb, (policy, gaps) => {
      const times = gaps.map(
        (
          (at) => (gap) =>
            (at += gap)
        )(0),
      )
      const passed = times.filter((_, i) => passing(policy, times)[i])
      for (const start of passed) {
        const within = passed.filter((at) => at >= start && at < start + intervalOf(policy) * policy.count)
        assert.ok(within.length <= policy.count * 2)
      }
      const later = (times.at(-1) ?? 0) + policy.windowMs * 1_000
      assert.equal(
        passing(policy, [...times, ...Array<number>(policy.count).fill(later)])
          .slice(times.length)
          .every(Boolean),
        true,
      )
    }),
  )
})

test('the headers are the structured fields of the contract', () => {
  const now = 1_000_000_000
  const tat = arrive(api, undefined, now) ?? 0
  assert.deepEqual(limitHeaders([verdictOf(api, tat, now, true)]), {
    'RateLimit-Policy': '"api";q=120;w=60',
    RateLimit: '"api";r=119;t=1',
  })
  const full = now + intervalOf(api) * 120
  assert.deepEqual(limitHeaders([verdictOf(api, full, now, false)]), {
    'RateLimit-Policy': '"api";q=120;w=60',
    RateLimit: '"api";r=0;t=1',
    'Retry-After': '1',
  })
})

test('of several policies the tightest comes first', () => {
  const now = 0
  const loose = verdictOf({ name: 'all', count: 200, windowMs: 3_600_000 }, 18_000_000, now, true)
  const tight = verdictOf({ name: 'register', count: 10, windowMs: 3_600_000 }, 3_600_000_000, now, false)
  const headers = limitHeaders([loose, tight])
  assert.equal(headers['RateLimit-Policy'], '"register";q=10;w=3600, "all";q=200;w=3600')
  assert.equal(headers['RateLimit'], '"register";r=0;t=360, "all";r=199;t=18')
  assert.equal(headers['Retry-After'], '360')
})
