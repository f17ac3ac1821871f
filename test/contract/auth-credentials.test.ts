// Spec 5: API keys and the check of every bearer credential, on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureOwnerAccount } from '../../server/accounts/people.ts'
import { operator } from '../../server/accounts/audit.ts'
import { challengeFor } from '../../server/accounts/authenticate.ts'
import { endKey, issueKey, readKeys, renameKey } from '../../server/accounts/keys.ts'
import { hashSecret, mint } from '../../server/accounts/credentials.ts'
import { ServiceError } from '@rostrum/base/errors'
import { systemIds } from '@rostrum/base/clock'
import { scopes } from '../../server/platform/principal.ts'
import type { AuthWorld } from '../auth/support.ts'
import { authWorld, baseUrl } from '../auth/support.ts'
import { eachStore } from '../support/stores.ts'

async function keyOf(world: AuthWorld, change: { scopes?: readonly ['leads:read']; lifeMs?: number | null } = {}) {
  const accountId = await ensureOwnerAccount(world.store, systemIds, 'Acme', world.clock.now())
  return { accountId, made: await issueKey(world.deps, operator(world.clock.now()), { accountId, name: 'CI', ...change }) }
}

const refused = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code

eachStore((_, open) => {
  test('a key authenticates with its account, scopes and name', async () => {
    const world = authWorld((await open()).store)
    const { accountId, made } = await keyOf(world)
    const expected = { kind: 'api_key', accountId, credentialId: made.id, scopes: [...scopes], label: 'CI' }
    assert.deepEqual(await world.authenticate(`Bearer ${made.key}`), expected)
    assert.deepEqual(await world.authenticator.authenticateToken(made.key, world.clock.now()), expected)
    await world.close()
  })

  test('a narrowed key holds its scopes alone', async () => {
    const world = authWorld((await open()).store)
    const { made } = await keyOf(world, { scopes: ['leads:read'] })
    const principal = await world.authenticate(`Bearer ${made.key}`)
    assert.deepEqual(principal.kind === 'api_key' && principal.scopes, ['leads:read'])
    await world.close()
  })

  test('[5.1-1] no header, or another scheme, is nobody; anything else that is no live token is 401 with one and the same challenge', async () => {
    const world = authWorld((await open()).store)
    const { made } = await keyOf(world)
    assert.deepEqual(await world.authenticate(undefined), { kind: 'nobody' })
    assert.deepEqual(await world.authenticate('Basic bWF5YTpzZWNyZXQ='), { kind: 'nobody' })
    const seen = new Set<string>()
    for (const value of [
      'Bearer',
      'Bearer x',
      `Bearer ${mint('live', systemIds)}`,
      `Bearer ${made.key}x`,
      `Bearer ${mint('ort', systemIds)}`,
      `Bearer ${mint('att', systemIds)}`,
    ]) {
      await assert.rejects(world.authenticate(value), (error) => {
        assert.ok(refused('invalid_token')(error) && error instanceof ServiceError)
        seen.add(`${error.message} ${challengeFor(error, baseUrl)}`)
        return true
      })
    }
    assert.equal(seen.size, 1)
    await assert.rejects(world.authenticate([`Bearer ${made.key}`, `Bearer ${made.key}`]), refused('invalid_request'))
    await world.close()
  })

  test('[5.7-1] a revoked key is dead with the next call, and cannot be revoked again', async () => {
    const world = authWorld((await open()).store)
    const { accountId, made } = await keyOf(world)
    await endKey(world.deps, operator(world.clock.now()), { accountId }, made.id)
    await assert.rejects(world.authenticate(`Bearer ${made.key}`), refused('invalid_token'))
    await assert.rejects(endKey(world.deps, operator(world.clock.now()), { accountId }, made.id), refused('not_found'))
    assert.deepEqual(await readKeys(world.store.read, { accountId }, world.clock.now()), [])
    await world.close()
  })

  test('a key dies at its expiry, and one without expiry does not', async () => {
    const world = authWorld((await open()).store)
    const { made: short } = await keyOf(world, { lifeMs: 60_000 })
    const { made: endless } = await keyOf(world, { lifeMs: null })
    await world.clock.advance(59_999)
    assert.equal((await world.authenticate(`Bearer ${short.key}`)).kind, 'api_key')
    await world.clock.advance(1)
    await assert.rejects(world.authenticate(`Bearer ${short.key}`), refused('invalid_token'))
    await world.clock.advance(10 * 365 * 86_400_000)
    assert.equal((await world.authenticate(`Bearer ${endless.key}`)).kind, 'api_key')
    await world.close()
  })

  test('a key of a closed account is dead', async () => {
    const world = authWorld((await open()).store)
    const { accountId, made } = await keyOf(world)
    await world.store.write((tx) => tx.updateTable('accounts').set({ closed_at: 1 }).where('id', '=', accountId).execute())
    await assert.rejects(world.authenticate(`Bearer ${made.key}`), refused('invalid_token'))
    await world.close()
  })

  test('the store keeps the hash and the last four characters, never the key', async () => {
    const world = authWorld((await open()).store)
    const { made } = await keyOf(world)
    const rows = await world.store.read.selectFrom('credentials').selectAll().execute()
    assert.equal(rows[0]?.hash, hashSecret(made.key))
    const everything = JSON.stringify([rows, await world.store.read.selectFrom('audit').selectAll().execute()])
    assert.ok(!everything.includes(made.key))
    assert.equal(rows[0]?.last4, made.key.slice(-4))
    await world.close()
  })

  test('"last used" is written within ten seconds, at most once a minute', async () => {
    const world = authWorld((await open()).store)
    const { accountId, made } = await keyOf(world)
    const start = world.clock.now()
    await world.authenticate(`Bearer ${made.key}`)
    await world.clock.advance(10_000)
    await world.close()
    assert.equal((await readKeys(world.store.read, { accountId }, world.clock.now()))[0]?.lastUsedAt, start)
    await world.authenticate(`Bearer ${made.key}`)
    await world.close()
    assert.equal((await readKeys(world.store.read, { accountId }, world.clock.now()))[0]?.lastUsedAt, start)
  })

  test('a key of another account can be neither renamed nor revoked', async () => {
    const world = authWorld((await open()).store)
    const { made } = await keyOf(world)
    const other = { accountId: systemIds.uuid() }
    await assert.rejects(renameKey(world.deps, other, made.id, { name: 'Mine', now: 1 }), refused('not_found'))
    await assert.rejects(endKey(world.deps, operator(1), other, made.id), refused('not_found'))
    assert.equal((await world.authenticate(`Bearer ${made.key}`)).kind, 'api_key')
    await world.close()
  })

  test('50 first commands at once make one owner account', async () => {
    const { store } = await open()
    const ids = await Promise.all(Array.from({ length: 50 }, () => ensureOwnerAccount(store, systemIds, 'Rostrum', 1)))
    assert.equal(new Set(ids).size, 1)
    assert.equal((await store.read.selectFrom('accounts').select('id').execute()).length, 1)
  })
})
