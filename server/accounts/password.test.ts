import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '@rostrum/base/errors'
import { systemIds } from '@rostrum/base/clock'
import { createPasswords, defaultCost, passwordProblem } from './password.ts'

const cheap = { memoryKib: 64, passes: 1 }

test('a password matches its own hash alone, whatever form its letters were typed in', async () => {
  const passwords = createPasswords(systemIds, cheap)
  const phc = await passwords.hash('caf\u00e9 au lait, twice')
  assert.match(phc, /^\$argon2id\$v=19\$m=64,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.equal((await passwords.verify('cafe\u0301 au lait, twice', phc)).matches, true)
  assert.equal((await passwords.verify('cafe au lait, twice', phc)).matches, false)
  assert.equal((await passwords.verify('anything', undefined)).matches, false)
  assert.equal((await passwords.verify('anything', 'not a PHC string')).matches, false)
})

test('a hash of a lower cost is still right and is called outdated', async () => {
  const phc = await createPasswords(systemIds, cheap).hash('correct horse battery')
  const verdict = await createPasswords(systemIds, { memoryKib: 128, passes: 1 }).verify('correct horse battery', phc)
  assert.deepEqual(verdict, { matches: true, isOutdated: true })
})

test('the default cost is 19 MiB and two passes', () => {
  assert.deepEqual(defaultCost, { memoryKib: 19_456, passes: 2 })
})

test('two are computed, fifty wait, and one more is refused with 503', async () => {
  const passwords = createPasswords(systemIds, cheap)
  const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => passwords.hash('a long enough password')))
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  assert.equal(refused.length, 8)
  for (const { reason } of refused) assert.ok(reason instanceof ServiceError && reason.code === 'temporarily_unavailable')
  assert.ok(await passwords.hash('a long enough password'))
})

test('weak passwords are refused in words', async () => {
  const own = ['maya@example.com', 'Maya Angelou Smith', 'Acme']
  assert.equal(await passwordProblem('short', own), 'Use at least 12 characters.')
  assert.equal(await passwordProblem('x'.repeat(1_025), own), 'Use at most 1024 bytes.')
  assert.match((await passwordProblem('MAYA@example.com', own)) ?? '', /other than your email/)
  assert.match((await passwordProblem('Maya Angelou Smith', own)) ?? '', /other than your email/)
  assert.match((await passwordProblem('1q2w3e4r5t6y', own)) ?? '', /common/)
  assert.equal(await passwordProblem('a quiet lake at dusk', own), undefined)
})
