import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../test/support/clock.ts'
import { everyRate } from '../../test/support/rates.ts'
import { ServiceError } from '@rostrum/base/errors'
import type { RateBucket, Rates } from '../config/config.ts'
import { type Counters, createLimiter, memoryCounters } from './limits.ts'

const nobody = { kind: 'nobody' } as const

function limiterOf(rate: Rates['api'], counters: Counters = memoryCounters()) {
  const clock = manualClock()
  const limiter = createLimiter({ rates: everyRate(rate), counters, clock })
  return {
    clock,
    limiter,
    calls: (bucket: RateBucket, address: string) => limiter.consume(bucket, { principal: nobody, address, now: clock.now() }),
  }
}

test('of 100 calls at once exactly the limit passes, and another address is not touched', async () => {
  const { limiter, calls } = limiterOf({ count: 60, windowMs: 60_000 })
  const verdicts = await Promise.all(Array.from({ length: 100 }, () => calls('api', '203.0.113.7')))
  assert.equal(verdicts.filter(({ allowed }) => allowed).length, 60)
  assert.equal((await calls('api', '203.0.113.8')).allowed, true)
  limiter.close()
})

test('two addresses of one IPv6 /64 share a limit', async () => {
  const { limiter, calls } = limiterOf({ count: 1, windowMs: 60_000 })
  assert.equal((await calls('api', '2001:db8::1')).allowed, true)
  assert.equal((await calls('api', '2001:db8::2')).allowed, false)
  limiter.close()
})

test('a stranger with a /48 has four allowances and not one for each of its 65,536 networks; likewise in a /56 and a /24', async () => {
  const passed = async (addressOf: (at: number) => string) => {
    const { limiter, calls } = limiterOf({ count: 10, windowMs: 60_000 })
    const verdicts = await Promise.all(Array.from({ length: 500 }, (_, at) => calls('join', addressOf(at))))
    limiter.close()
    return verdicts.filter(({ allowed }) => allowed).length
  }
  const hex = (at: number) => at.toString(16)
  assert.equal(await passed((at) => `2001:db8:1:${hex(at * 131)}::1`), 40)
  assert.equal(await passed((at) => `2001:db8:1:${hex(at % 256)}::${hex(at)}`), 20)
  assert.equal(await passed((at) => `198.51.100.${at % 256}`), 40)
})

test('who is refused for their own address spends nothing of their neighbours, and is told the limit that refused', async () => {
  const { limiter, calls } = limiterOf({ count: 10, windowMs: 60_000 })
  for (let i = 0; i < 500; i++) await calls('join', '198.51.100.7')
  const verdicts = await Promise.all(Array.from({ length: 31 }, (_, at) => calls('join', `198.51.100.${100 + at}`)))
  assert.deepEqual(
    verdicts.map(({ allowed }) => allowed),
    [...Array.from({ length: 30 }, () => true), false],
  )
  assert.equal(verdicts[0]?.headers['RateLimit-Policy'], '"join";q=10;w=60')
  assert.match(verdicts[30]?.headers['RateLimit-Policy'] ?? '', /^"join-network";q=40;w=60, /)
  assert.equal(verdicts[30]?.headers['Retry-After'], '2')
  limiter.close()
})

test('questions of ever new attendees count for their address; a hall asks twenty times as much as one of it', async () => {
  const { clock, limiter } = limiterOf({ count: 2, windowMs: 60_000 })
  for (const bucket of ['questions', 'pap'] as const) {
    const ask = async (attendeeId: string, address: string) => {
      const principal = { kind: 'attendee', attendeeId, runId: 'run', sessionId: 'session' } as const
      return (await limiter.consume(bucket, { principal, address, now: clock.now() })).allowed
    }
    const asked = await Promise.all(Array.from({ length: 100 }, (_, at) => ask(`${at}`, '203.0.113.7')))
    assert.equal(asked.filter(Boolean).length, 40)
    assert.equal(await ask('0', '203.0.113.8'), true)
  }
  // Somebody answers for a key: its account may stand behind one address with others.
  const key = (credentialId: string) => ({ kind: 'api_key', accountId: 'a', credentialId, scopes: [], label: 'test' }) as const
  const bought = Array.from({ length: 60 }, (_, at) =>
    limiter.consume('pap', { principal: key(`key ${at}`), address: '203.0.113.7', now: clock.now() }),
  )
  assert.ok((await Promise.all(bought)).every(({ allowed }) => allowed))
  limiter.close()
})

test('registrations that one address is refused spend nothing of the limit over all', async () => {
  const { limiter, calls } = limiterOf({ count: 2, windowMs: 3_600_000 })
  for (let i = 0; i < 500; i++) await calls('register', '203.0.113.7')
  const verdict = await calls('register', '203.0.113.8')
  assert.equal(verdict.headers['RateLimit'], '"register";r=1;t=1800, "register-all";r=37;t=270')
  limiter.close()
})

test('uploads and test events of all credentials of an account count together', async () => {
  const { clock, limiter } = limiterOf({ count: 1, windowMs: 60_000 })
  const by = (accountId: string, credentialId: string) => ({ kind: 'api_key', accountId, credentialId, scopes: [], label: 'test' }) as const
  for (const bucket of ['upload', 'tests'] as const) {
    const calls = async (principal: ReturnType<typeof by>) =>
      (await limiter.consume(bucket, { principal, address: '203.0.113.7', now: clock.now() })).allowed
    assert.deepEqual([await calls(by('a', '1')), await calls(by('a', '2')), await calls(by('b', '3'))], [true, false, true])
  }
  limiter.close()
})

test('a refund lets a successful sign-in leave the count as it was', async () => {
  const { clock, limiter } = limiterOf({ count: 1, windowMs: 60_000 })
  const checks = limiter.signInChecks('maya@example.com', '203.0.113.7')
  for (let i = 0; i < 5; i++) {
    assert.equal((await limiter.take(checks, clock.now(), true)).allowed, true)
    await limiter.refund(checks)
  }
  limiter.close()
})

test('guesses that one address is refused spend nothing of the sign-ins of a person', async () => {
  const { clock, limiter } = limiterOf({ count: 2, windowMs: 900_000 })
  const guess = async (email: string, address: string) =>
    (await limiter.take(limiter.signInChecks(email, address), clock.now(), true)).allowed
  for (let i = 0; i < 10; i++) assert.equal(await guess(`nobody${i}@example.com`, '203.0.113.7'), true)
  for (let i = 0; i < 10; i++) assert.equal(await guess('maya@example.com', '203.0.113.7'), false)
  assert.equal(await guess('maya@example.com', '203.0.113.8'), true)
  limiter.close()
})

test('`off` counts nothing and sends no header', async () => {
  const { limiter, calls } = limiterOf('off')
  assert.deepEqual(await calls('register', '203.0.113.7'), { allowed: true, headers: {} })
  limiter.close()
})

test('with the counters out of reach, calls pass and registrations are refused with 503', async () => {
  const broken: Counters = {
    take: () => Promise.reject(new Error('down')),
    refund: () => Promise.resolve(),
    sweep: () => Promise.resolve(),
  }
  const { limiter, calls } = limiterOf({ count: 1, windowMs: 1_000 }, broken)
  assert.equal((await calls('api', '203.0.113.7')).allowed, true)
  await assert.rejects(calls('register', '203.0.113.7'), (error) => error instanceof ServiceError && error.status === 503)
  limiter.close()
})

test('the map in memory never grows past its bound', async () => {
  const counters = memoryCounters(10)
  const policy = { name: 'p', count: 1, windowMs: 1_000 }
  for (let i = 0; i < 100; i++) await counters.take(policy, String(i), 0)
  assert.equal((await counters.take(policy, '0', 0)).allowed, true)
  assert.equal((await counters.take(policy, '99', 0)).allowed, false)
})
