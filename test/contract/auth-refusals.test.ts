// Spec 5.5 and 7 in the audit log: a refused scope and a crossed limit leave one line an hour for each caller, over HTTP and MCP alike.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureOwnerAccount } from '../../server/accounts/people.ts'
import { operator } from '../../server/accounts/audit.ts'
import { issueKey } from '../../server/accounts/keys.ts'
import { admit, scoped } from '../../server/platform/operation.ts'
import type { Principal } from '../../server/platform/principal.ts'
import { systemIds } from '@rostrum/base/clock'
import { passGate } from '../../server/mcp/route.ts'
import { principalOf, refused } from '../auth/agents.ts'
import type { AuthWorld } from '../auth/support.ts'
import { address, authWorld, wideRates } from '../auth/support.ts'
import { eachStore } from '../support/stores.ts'

const hour = 3_600_000
const rates = { ...wideRates, api: { count: 2, windowMs: 60_000 }, register: { count: 1, windowMs: 60_000 } }

async function keyHolder(world: AuthWorld): Promise<Principal> {
  const now = world.clock.now()
  const accountId = await ensureOwnerAccount(world.store, systemIds, 'Acme', now)
  const { key } = await issueKey(world.deps, operator(now), { accountId, name: 'CI', scopes: ['sessions:read'] })
  return principalOf(world, key)
}

const callOf = (world: AuthWorld, principal: Principal) => ({ principal, now: world.clock.now(), requestId: systemIds.uuid(), address })

async function lines(world: AuthWorld, action: string) {
  await world.close()
  const rows = await world.store.read.selectFrom('audit').selectAll().where('action', '=', action).orderBy('at').execute()
  return rows.map(({ account_id, actor_kind, actor_id, data }) => ({
    account_id,
    actor_kind,
    actor_id,
    data: JSON.parse(data ?? '{}') as unknown,
  }))
}

eachStore((_name, open) => {
  test('[7-5] a refused scope is told once an hour for each credential, whichever surface and node refused it', async () => {
    const { store, another } = await open()
    const world = authWorld(store)
    const other = authWorld(await another())
    const principal = await keyHolder(world)
    assert.ok(principal.kind === 'api_key')
    const access = scoped('leads:read')
    const refuse = (at: AuthWorld) =>
      assert.throws(() => admit(access, callOf(at, principal), at.deps.limiter), refused('insufficient_scope'))
    for (let n = 0; n < 20; n++) for (const each of [world, other]) refuse(each)
    const operations = new Map([['export_leads', { access, limit: 'api' } as never]])
    const gate = { operations, requireAuth: false, limiter: world.deps.limiter }
    const messages = [{ method: 'tools/call', tool: 'export_leads' }]
    assert.throws(() => passGate(messages, callOf(world, principal), gate), refused('insufficient_scope'))
    admit(scoped('sessions:read'), callOf(world, principal), world.deps.limiter)
    await world.clock.advance(hour)
    refuse(world)
    await other.close()
    const line = {
      account_id: principal.accountId,
      actor_kind: 'api_key',
      actor_id: principal.credentialId,
      data: { needed: ['leads:read'] },
    }
    assert.deepEqual(await lines(world, 'scope.refused'), [line, line])
  })

  test('[7-5] a crossed limit is told once an hour for each credential, and once for all strangers together', async () => {
    const world = authWorld((await open()).store, { rates })
    const principal = await keyHolder(world)
    assert.ok(principal.kind === 'api_key')
    for (let n = 0; n < 6; n++) await world.deps.limiter.consume('api', callOf(world, principal))
    for (let n = 0; n < 6; n++) {
      const call = { ...callOf(world, { kind: 'nobody' }), address: `203.0.113.${n % 3}` }
      await world.deps.limiter.consume('register', call)
    }
    assert.deepEqual(
      (await lines(world, 'limit.crossed'))
        .map(({ account_id, actor_kind, data }) => ({ account_id, actor_kind, data }))
        .toSorted((a) => (a.account_id === null ? 1 : -1)),
      [
        { account_id: principal.accountId, actor_kind: 'api_key', data: { limit: 'api' } },
        { account_id: null, actor_kind: 'nobody', data: { limit: 'register' } },
      ],
    )
  })
})
