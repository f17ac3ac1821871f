import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idempotencyRows } from '../../src/storage/idempotency.ts'
import { eachStore } from '../support/stores.ts'

const now = Date.UTC(2026, 10, 20)
const answer = { status: 200, headers: { 'Content-Type': 'application/json' }, body: '{"a":1}' }

eachStore((_, open) => {
  test('of 50 concurrent duplicates exactly one runs', async () => {
    const { store } = await open()
    const table = idempotencyRows(store)
    const states = await Promise.all(Array.from({ length: 50 }, () => table.begin('k', 'hash', now)))
    assert.equal(states.filter((state) => state === 'new').length, 1)
    assert.equal(states.filter((state) => state === 'running').length, 49)
  })

  test('a repeat gets the kept answer, another body is told so, and a day later the key is free', async () => {
    const { store } = await open()
    const table = idempotencyRows(store)
    assert.equal(await table.begin('k', 'hash', now), 'new')
    await table.keep('k', answer, now)
    assert.deepEqual(await table.begin('k', 'hash', now + 1_000), answer)
    assert.equal(await table.begin('k', 'other', now + 1_000), 'other_body')
    assert.equal(await table.begin('k', 'other', now + 24 * 3_600_000), 'new')
  })

  test('a call that failed, or died without an answer, may be repeated', async () => {
    const { store } = await open()
    const table = idempotencyRows(store)
    await table.begin('failed', 'hash', now)
    await table.abandon('failed')
    assert.equal(await table.begin('failed', 'hash', now), 'new')
    await table.begin('died', 'hash', now)
    assert.equal(await table.begin('died', 'hash', now + 59_000), 'running')
    assert.equal(await table.begin('died', 'hash', now + 60_000), 'new')
  })
})
