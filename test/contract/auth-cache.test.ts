// Spec 5.7 beside the memory of half a second that PostgreSQL has: an ended or changed credential is so at the next call on its own
// node, and within a second on every other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureOwnerAccount } from '../../server/accounts/people.ts'
import { operator } from '../../server/accounts/audit.ts'
import { endKey, issueKey } from '../../server/accounts/keys.ts'
import { cachedLookup, type FoundCredential } from '../../server/accounts/credentials.ts'
import { systemIds } from '@rostrum/base/clock'
import { approve, claim, person, principalOf, refused, register } from '../auth/agents.ts'
import { authWorld } from '../auth/support.ts'
import { eventually } from '../support/clock.ts'
import { eachStore } from '../support/stores.ts'

const row: FoundCredential = {
  id: 'c',
  kind: 'live',
  account_kind: 'person',
  account_id: 'a',
  user_id: null,
  registration_id: null,
  name: 'CI',
  scopes: 'sessions:read',
  last_used_at: null,
  expires_at: null,
}

/** A lookup that counts, over a doorbell that the test rings. */
function counted(answer: () => Promise<FoundCredential | undefined>) {
  let [asked, ring] = [0, () => {}]
  const store = {
    listen(_prefix: string, listener: (topic: string) => void) {
      ring = () => listener('credentials')
      return () => undefined
    },
  }
  const { find } = cachedLookup(store, () => {
    asked++
    return answer()
  })
  return { find, ring: () => ring(), asked: () => asked }
}

test('a live credential is asked for once in half a second, a dead one each time', async () => {
  const live = counted(() => Promise.resolve(row))
  for (const now of [1_000, 1_001, 1_499]) assert.equal(await live.find('h', now), row)
  assert.equal(live.asked(), 1)
  await live.find('h', 1_500)
  assert.equal(live.asked(), 2)
  await live.find('h', 900)
  assert.equal(live.asked(), 3)
  const dead = counted(() => Promise.resolve(undefined))
  for (const now of [1_000, 1_001]) assert.equal(await dead.find('h', now), undefined)
  assert.equal(dead.asked(), 2)
})

test('nothing is remembered beyond its expiry, or after a ring, also one that comes while the question is under way', async () => {
  const short = counted(() => Promise.resolve({ ...row, expires_at: 1_100 }))
  await short.find('h', 1_000)
  await short.find('h', 1_100)
  assert.equal(short.asked(), 2)
  const rung = counted(() => Promise.resolve(row))
  await rung.find('h', 1_000)
  rung.ring()
  await rung.find('h', 1_000)
  assert.equal(rung.asked(), 2)
  const { promise, resolve } = Promise.withResolvers<FoundCredential>()
  const slow = counted(() => promise)
  const first = slow.find('h', 1_000)
  slow.ring()
  resolve(row)
  await first
  await slow.find('h', 1_000)
  assert.equal(slow.asked(), 2)
})

eachStore((_name, open) => {
  test('a revoked key is dead at the next call here, and on another process within a second', async () => {
    const { store, another } = await open()
    const [here, there] = [authWorld(store), authWorld(await another())]
    const actor = operator(here.clock.now())
    const accountId = await ensureOwnerAccount(store, systemIds, 'Acme', here.clock.now())
    const made = await issueKey(here.deps, actor, { accountId, name: 'CI' })
    for (const world of [here, there]) assert.equal((await principalOf(world, made.key)).kind, 'api_key')
    await endKey(here.deps, actor, { accountId }, made.id)
    await assert.rejects(principalOf(here, made.key), refused('invalid_token'))
    // On PostgreSQL its clock stands still, so only the doorbell can have told it; a file rings none.
    if (store.dialect === 'sqlite') await there.clock.advance(500)
    const isDead = () => principalOf(there, made.key).then(() => false, refused('invalid_token'))
    await eventually(isDead)
    for (const world of [here, there]) await world.close()
  })

  test('where no ring arrives, half a second passes at most', async () => {
    const { store, another } = await open()
    const [here, there] = [authWorld(store), authWorld({ ...(await another()), listen: () => () => undefined })]
    const accountId = await ensureOwnerAccount(store, systemIds, 'Acme', here.clock.now())
    const made = await issueKey(here.deps, operator(here.clock.now()), { accountId, name: 'CI' })
    await principalOf(there, made.key)
    await endKey(here.deps, operator(here.clock.now()), { accountId }, made.id)
    await there.clock.advance(500)
    await assert.rejects(principalOf(there, made.key), refused('invalid_token'))
    for (const world of [here, there]) await world.close()
  })

  test('a claimed agent has its new scopes and account at the next call', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await register(world)
    const before = await principalOf(world, agent.access_token)
    await claim(world, agent.access_token, await approve(browser, agent))
    const after = await principalOf(world, agent.access_token)
    assert.ok(before.kind === 'agent' && after.kind === 'agent')
    assert.notEqual(before.accountId, after.accountId)
    assert.ok(after.scopes.includes('leads:read'))
    await world.close()
  })
})
