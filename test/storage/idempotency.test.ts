import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KeptAnswers, keptAnswers } from '../../server/platform/http/idempotency.ts'
import { eachStore } from '../support/stores.ts'

const now = Date.UTC(2026, 10, 20)
const answer = { status: 200, headers: { 'Content-Type': 'application/json' }, body: '{"a":1}' }

type Begun = Awaited<ReturnType<KeptAnswers['begin']>>
const isClaim = (begun: Begun) => typeof begun === 'object' && 'token' in begun

async function taken(begun: Promise<Begun>) {
  const claim = await begun
  assert.ok(typeof claim === 'object' && 'token' in claim)
  return claim
}

eachStore((_, open) => {
  test('of 50 concurrent duplicates exactly one runs', async () => {
    const { store } = await open()
    const table = keptAnswers(store)
    const states = await Promise.all(Array.from({ length: 50 }, () => table.begin('k', 'hash', now)))
    assert.equal(states.filter((state) => isClaim(state)).length, 1)
    assert.equal(states.filter((state) => state === 'running').length, 49)
  })

  test('a repeat gets the kept answer, another body is told so, and a day later the key is free', async () => {
    const { store } = await open()
    const table = keptAnswers(store)
    assert.equal(await table.keep(await taken(table.begin('k', 'hash', now)), answer, now), true)
    assert.deepEqual(await table.begin('k', 'hash', now + 1_000), answer)
    assert.equal(await table.begin('k', 'other', now + 1_000), 'other_body')
    await taken(table.begin('k', 'other', now + 24 * 3_600_000))
  })

  test('a call that failed, or died without an answer, may be repeated', async () => {
    const { store } = await open()
    const table = keptAnswers(store)
    await table.abandon(await taken(table.begin('failed', 'hash', now)))
    await taken(table.begin('failed', 'hash', now))
    await taken(table.begin('died', 'hash', now))
    assert.equal(await table.begin('died', 'hash', now + 59_000), 'running')
    await taken(table.begin('died', 'hash', now + 60_000))
  })

  test('a claim that is renewed lasts, and one that was lost changes nothing any more', async () => {
    const { store } = await open()
    const table = keptAnswers(store)
    const first = await taken(table.begin('k', 'hash', now))
    await table.renew(first, now + 40_000)
    assert.equal(await table.begin('k', 'hash', now + 90_000), 'running')
    const second = await taken(table.begin('k', 'hash', now + 100_000))
    await table.renew(first, now + 120_000)
    await table.abandon(first)
    assert.equal(await table.keep(first, answer, now + 120_000), false)
    assert.equal(await table.begin('k', 'hash', now + 120_000), 'running')
    assert.equal(await table.keep(second, answer, now + 120_000), true)
    assert.deepEqual(await table.begin('k', 'hash', now + 120_000), answer)
  })

  test('what is kept with the work is there when the work is, and not when it is undone', async () => {
    const { store } = await open()
    const table = keptAnswers(store)
    const claim = await taken(table.begin('k', 'hash', now))
    const work = (fails: boolean) =>
      store.write(async (tx) => {
        await tx.insertInto('usage').values({ account_id: 'a', period: 'p', sessions: 1 }).execute()
        await table.keep(claim, answer, now, tx)
        if (fails) throw new Error('On the way.')
      })
    await assert.rejects(work(true), /On the way/)
    assert.equal(await table.begin('k', 'hash', now), 'running')
    await work(false)
    // As after a failure that follows the commit.
    await table.abandon(claim)
    assert.deepEqual(await table.begin('k', 'hash', now + 120_000), answer)
  })
})
