// Spec 5.2: a key is replaced with overlap. The old one works on for the grace and not a moment longer, on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { z } from 'zod'
import { ensureOwnerAccount } from '../../server/accounts/people.ts'
import { listAudit } from '../../server/accounts/audit.ts'
import { endKey, issueKey, readKeys, replaceKey, rotateKey as rotateOperation } from '../../server/accounts/keys.ts'
import { operator } from '../../server/accounts/audit.ts'
import { systemIds } from '@rostrum/base/clock'
import { person, refused } from '../auth/agents.ts'
import type { AuthWorld } from '../auth/support.ts'
import { authWorld, owner } from '../auth/support.ts'
import { withService } from '../support/service.ts'
import { eachStore, openTestStore } from '../support/stores.ts'

const hour = 3_600_000

async function keyOf(world: AuthWorld, lifeMs?: number | null) {
  const accountId = await ensureOwnerAccount(world.store, systemIds, 'Acme', world.clock.now())
  const made = await issueKey(world.deps, operator(world.clock.now()), { accountId, name: 'CI', scopes: ['leads:read'], lifeMs })
  const rotate = (graceMs: number, id = made.id) => replaceKey(world.deps, operator(world.clock.now()), { accountId }, { id, graceMs })
  const works = (key: string) =>
    world.authenticate(`Bearer ${key}`).then(
      (principal) => principal.kind === 'api_key',
      () => false,
    )
  return { accountId, made, rotate, works }
}

const rotated = z.object({
  id: z.string(),
  key: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  previous: z.object({ id: z.string(), endsAt: z.string() }),
})

eachStore((_, open) => {
  test('both keys work until the grace is over, and then the new one alone', async () => {
    const world = authWorld((await open()).store)
    const { accountId, made, rotate, works } = await keyOf(world)
    const next = await rotate(hour)
    assert.deepEqual([next.name, next.scopes, next.previous], ['CI', ['leads:read'], { id: made.id, endsAt: world.clock.now() + hour }])
    await world.clock.advance(hour - 1)
    assert.deepEqual([await works(made.key), await works(next.key)], [true, true])
    const during = await readKeys(world.store.read, { accountId }, world.clock.now())
    assert.deepEqual(
      new Map(during.map(({ id, replacedBy }) => [id, replacedBy])),
      new Map([
        [next.id, null],
        [made.id, next.id],
      ]),
    )
    await world.clock.advance(1)
    assert.deepEqual([await works(made.key), await works(next.key)], [false, true])
    assert.deepEqual(
      (await readKeys(world.store.read, { accountId }, world.clock.now())).map(({ id }) => id),
      [next.id],
    )
    await world.close()
  })

  test('without a grace the old key is refused with its next call', async () => {
    const world = authWorld((await open()).store)
    const { made, rotate, works } = await keyOf(world)
    const next = await rotate(0)
    assert.deepEqual([await works(made.key), await works(next.key)], [false, true])
    await world.close()
  })

  test('a grace lengthens no life, and the new key lives as long as the old one was made for', async () => {
    const world = authWorld((await open()).store)
    const short = await keyOf(world, hour)
    const end = world.clock.now() + hour
    await world.clock.advance(hour / 2)
    const next = await short.rotate(30 * 24 * hour)
    assert.deepEqual([next.previous.endsAt, next.expiresAt], [end, world.clock.now() + hour])
    const endless = await keyOf(world, null)
    assert.equal((await endless.rotate(hour)).expiresAt, null)
    await world.close()
  })

  test('of 50 rotations at once one makes a key', async () => {
    const world = authWorld((await open()).store)
    const { accountId, rotate } = await keyOf(world)
    const sent = await Promise.allSettled(Array.from({ length: 50 }, () => rotate(hour)))
    assert.equal(sent.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const each of sent) assert.ok(each.status === 'fulfilled' || refused('conflict', 409)(each.reason))
    assert.equal((await readKeys(world.store.read, { accountId }, world.clock.now())).length, 2)
    await world.close()
  })

  test('a key that is revoked, expired or of another account cannot be rotated', async () => {
    const world = authWorld((await open()).store)
    const { accountId, made, rotate } = await keyOf(world, hour)
    const foreign = replaceKey(world.deps, operator(1), { accountId: systemIds.uuid() }, { id: made.id, graceMs: hour })
    await assert.rejects(foreign, refused('not_found', 404))
    await world.clock.advance(hour)
    await assert.rejects(rotate(hour), refused('not_found', 404))
    const other = await keyOf(world)
    await endKey(world.deps, operator(world.clock.now()), { accountId }, other.made.id)
    await assert.rejects(other.rotate(hour), refused('not_found', 404))
    await world.close()
  })

  test('a person rotates with a fresh password, and the audit log says so without the key', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const maya = await world.authenticate(undefined, { header: browser.header() })
    const { made } = await keyOf(world)
    await world.clock.advance(600_000)
    await assert.rejects(world.call(rotateOperation, maya, { keyId: made.id }), refused('login_required', 401))
    const next = rotated.parse(await world.call(rotateOperation, maya, { keyId: made.id.toUpperCase(), password: owner.password }))
    assert.equal(next.previous.endsAt, new Date(world.clock.now() + 24 * hour).toISOString())
    const told = JSON.stringify(await world.call(listAudit, maya))
    assert.match(told, /"key\.rotated".*"graceSeconds":86400/)
    assert.ok(!told.includes(next.key) && !told.includes(made.key))
    await assert.rejects(world.call(rotateOperation, maya, { keyId: next.id, graceSeconds: 31 * 86_400 }), refused('invalid_request', 400))
    await world.close()
  })

  test('a webhook made with the old key outlives its grace', () =>
    withService(open, async (app) => {
      const body = { url: 'https://hooks.example.com/in', event_types: ['session.created'] }
      assert.equal((await app.api('POST', '/api/v1/webhooks', body)).status, 201)
      const [old] = await readKeys(app.store.read, { accountId: app.accountId }, app.clock.now())
      const next = await replaceKey(
        app.service.auth.deps,
        operator(app.clock.now()),
        { accountId: app.accountId },
        { id: old?.id ?? '', graceMs: 0 },
      )
      const owners = await app.store.read.selectFrom('webhook_subscriptions').select('owner_credential_id').execute()
      assert.deepEqual(owners, [{ owner_credential_id: next.id }])
    }))

  test('a stream that was opened with the old key ends with its grace', async () => {
    const world = authWorld((await open()).store)
    const { made, rotate } = await keyOf(world)
    let isClosed = false
    world.openStreams.track(await world.authenticate(`Bearer ${made.key}`), () => (isClosed = true))
    await rotate(10_000)
    await world.clock.advance(9_000)
    assert.equal(isClosed, false)
    await world.clock.advance(2_000)
    assert.equal(isClosed, true)
    await world.close()
  })
})

test('whatever the lives and graces, a chain of rotations leaves one key and those whose grace runs', async () => {
  const store = await openTestStore()
  const world = authWorld(store)
  const steps = fc.array(fc.record({ waitMs: fc.integer({ min: 0, max: 3 * hour }), graceMs: fc.integer({ min: 0, max: 5 * hour }) }), {
    minLength: 1,
    maxLength: 6,
  })
  await fc.assert(
    fc.asyncProperty(steps, async (chain) => {
      const { made, rotate, works } = await keyOf(world, null)
      const ends: { key: string; endsAt: number }[] = []
      let last = { id: made.id, key: made.key }
      for (const { waitMs, graceMs } of chain) {
        await world.clock.advance(waitMs)
        const next = await rotate(graceMs, last.id)
        ends.push({ key: last.key, endsAt: next.previous.endsAt })
        last = next
        for (const { key, endsAt } of ends) assert.equal(await works(key), world.clock.now() < endsAt)
        assert.ok(await works(last.key))
      }
    }),
    { numRuns: 30 },
  )
  await world.close()
  await store.close()
})
