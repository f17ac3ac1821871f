// RFC 7517: the keys this service signs with change every month, on both stores: published before their first use and after their last,
// the same for every process, and encrypted at rest.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { createSigningKeys } from '../../server/agents/signing-keys.ts'
import { sweepAuth } from '../../server/agents/sweep.ts'
import { systemIds } from '@rostrum/base/clock'
import type { Store } from '../../server/platform/db/store.ts'
import { registerAnonymous, tokenOf } from '../auth/identity.ts'
import { authWorld, membersOf } from '../auth/support.ts'
import { delayedStore, eachStore } from '../support/stores.ts'

const hour = 3_600_000
const day = 24 * hour
const start = Date.UTC(2026, 10, 20, 12)
const secret = 'a secret of the keys, thirty-two characters'
const keysOf = (store: Store, secrets: readonly string[] = [secret]) => createSigningKeys({ store, ids: systemIds, secrets })
const kids = async (keys: ReturnType<typeof keysOf>, now: number) => (await keys.published(now)).map(({ kid }) => kid)

eachStore((_name, open) => {
  test('the next key is published a day before its use, the last one until what it signed has expired', async () => {
    const { store } = await open()
    const keys = keysOf(store)
    const first = (await keys.current(start)).kid
    assert.deepEqual(await kids(keys, start + 29 * day - 1), [first])
    const both = await kids(keys, start + 29 * day)
    assert.deepEqual([both.length, both[0]], [2, first])
    assert.equal((await keys.current(start + 30 * day - 1)).kid, first)
    assert.equal((await keys.current(start + 30 * day)).kid, both[1])
    assert.deepEqual(await kids(keys, start + 30 * day + hour), both)
    assert.deepEqual(await kids(keys, start + 30 * day + 2 * hour), [both[1]])
    await sweepAuth({ store, stopRuns: () => Promise.resolve(), forget: () => Promise.resolve() }, start + 30 * day + 2 * hour)
    assert.equal((await store.read.selectFrom('signing_keys').select('kid').execute()).length, 1)
  })

  test('a restart, another process and a long rest change nothing but what is due', async () => {
    const { store, another } = await open()
    const { kid } = await keysOf(store).current(start)
    assert.equal((await keysOf(store).current(start + day)).kid, kid)
    assert.equal((await keysOf(await another()).current(start + day)).kid, kid)
    const late = start + 300 * day
    assert.equal((await keysOf(store).current(late)).kid, kid)
    const next = await kids(keysOf(await another()), late)
    assert.equal(next.length, 2)
    assert.equal((await keysOf(store).current(late + day)).kid, next[1])
  })

  test('50 processes that need a first key, or the next, on a slow store, make one', async () => {
    const slow = delayedStore((await open()).store, 5)
    const all = Array.from({ length: 50 }, () => keysOf(slow))
    const first = await Promise.all(all.map(async (keys) => (await keys.current(start)).kid))
    assert.equal(new Set(first).size, 1)
    const next = await Promise.all(all.map(async (keys) => (await kids(keys, start + 29 * day)).join(' ')))
    assert.equal(new Set(next).size, 1)
    assert.equal(next[0]?.split(' ').length, 2)
  })

  test('a new secret before the old one takes the keys over; without the old one they stay shut', async () => {
    const { store } = await open()
    const { kid } = await keysOf(store).current(start)
    await assert.rejects(keysOf(store, ['another secret of thirty-two characters']).current(start), /another ROSTRUM_SECRET/)
    assert.equal((await keysOf(store, ['another secret of thirty-two characters', secret]).current(start)).kid, kid)
    assert.equal((await keysOf(store, ['another secret of thirty-two characters']).current(start)).kid, kid)
    const [row] = await store.read.selectFrom('signing_keys').selectAll().execute()
    assert.ok(!Buffer.from(row?.private ?? '').includes('PRIVATE'))
    assert.ok(!('d' in membersOf({ text: row?.public ?? '' })))
  })

  test('an assertion signed just before the change is exchanged just after it, and the key set shows both keys', async () => {
    const world = authWorld((await open()).store)
    await registerAnonymous(world)
    const shown = async () => membersOf(await world.browser().get('/.well-known/jwks.json'))['keys']
    await world.clock.advance(29 * day)
    const keys = await shown()
    assert.ok(Array.isArray(keys) && keys.length === 2 && keys.every((key) => !('d' in key)))
    await world.clock.advance(day - hour / 2)
    const before = await registerAnonymous(world)
    await world.clock.advance(hour - 1)
    const after = await registerAnonymous(world)
    const kid = (assertion: string) => decodeProtectedHeader(assertion).kid
    assert.deepEqual(
      [kid(before.identity.assertion), kid(after.identity.assertion)],
      keys.map((key: { kid: string }) => key.kid),
    )
    for (const { identity } of [before, after]) await tokenOf(world, identity.assertion)
    assert.deepEqual(await shown(), keys)
    await world.clock.advance(2 * hour)
    assert.deepEqual(await shown(), keys.slice(1))
    await world.close()
  })
})
