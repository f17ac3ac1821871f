// What nobody uses goes: registered OAuth clients after 30 days of rest, expired tokens after 30 more; what is still needed stays.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { credentialScopes } from '../../server/accounts/credentials.ts'
import { sweepAuth } from '../../server/agents/sweep.ts'
import { principalOf } from '../auth/agents.ts'
import { errorOf, post, refreshAnswer, registerAnonymous, tokenOf } from '../auth/identity.ts'
import type { AuthWorld } from '../auth/support.ts'
import { authWorld, membersOf } from '../auth/support.ts'
import { eachStore } from '../support/stores.ts'

const day = 86_400_000
const sweep = (world: AuthWorld) =>
  sweepAuth({ store: world.store, stopRuns: () => Promise.resolve(), forget: () => Promise.resolve() }, world.clock.now())

async function registerClient(world: AuthWorld): Promise<string> {
  const answer = await world.browser().json('/oauth2/register', { client_name: 'Connector', redirect_uris: ['https://client.example/cb'] })
  assert.equal(answer.status, 201, answer.text)
  return String(membersOf(answer)['client_id'])
}

/** A known client has no such refresh token; an unknown one is no client. */
const askAs = (world: AuthWorld, client_id: string) =>
  errorOf(world.browser().post('/oauth2/token', { grant_type: 'refresh_token', client_id, refresh_token: 'x' }))

const subscription = {
  id: 'wh_018f00000000700080000000000000aa',
  session_id: null,
  url: 'https://hooks.example/',
  event_types: '["session.created"]',
  description: null,
  disabled_reason: null,
  secret: Buffer.from('x'),
  secret_hint: 'x',
  format: 'standard' as const,
  token: null,
  previous_secret: null,
  previous_secret_until: null,
  ed25519_seed: null,
  public_key: null,
  dead_letters: 0,
  failing_since: null,
  deleted_at: null,
}

eachStore((_name, open) => {
  test('a client that is used stays; one that rests for 30 days is unknown, and its row goes with the sweep', async () => {
    const world = authWorld((await open()).store)
    const [used, unused] = [await registerClient(world), await registerClient(world)]
    for (let month = 0; month < 3; month++) {
      await world.clock.advance(29 * day)
      assert.deepEqual(await askAs(world, used), [400, 'invalid_grant'])
    }
    assert.deepEqual(await askAs(world, unused), [401, 'invalid_client'])
    await sweep(world)
    const rows = await world.store.read.selectFrom('oauth_records').select('model').where('model', '=', 'Client').execute()
    assert.equal(rows.length, 1)
    await world.clock.advance(30 * day)
    assert.deepEqual(await askAs(world, used), [401, 'invalid_client'])
    await world.close()
  })

  test('tokens go a month after their end, but not one that a webhook knows its owner by; the owner lives with the registration', async () => {
    const world = authWorld((await open()).store)
    const agent = await registerAnonymous(world)
    const tokens = [await tokenOf(world, agent.identity.assertion), await tokenOf(world, agent.identity.assertion)]
    const [owner, other] = await Promise.all(tokens.map(({ access_token }) => principalOf(world, access_token)))
    assert.ok(owner?.kind === 'agent' && other?.kind === 'agent')
    await world.store.write(async (tx) => {
      const made = { account_id: owner.accountId, owner_credential_id: owner.credentialId, created_at: 1, updated_at: 1 }
      await tx
        .insertInto('webhook_subscriptions')
        .values({ ...subscription, ...made })
        .execute()
    })
    await world.clock.advance(2 * 3_600_000)
    // The token is over, what it has started is not.
    assert.deepEqual(await credentialScopes(world.store.read, owner.credentialId, world.clock.now()), owner.scopes)
    const refresh = { type: 'refresh', refresh_token: agent.identity.refresh_token.value }
    refreshAnswer.parse(JSON.parse((await post(world, '/agent/identity', refresh)).text))
    await world.clock.advance(31 * day)
    assert.equal(await credentialScopes(world.store.read, owner.credentialId, world.clock.now()), null)
    const ids = async () => (await world.store.read.selectFrom('credentials').select('id').execute()).map(({ id }) => id)
    assert.ok((await ids()).includes(other.credentialId))
    await world.store.write((tx) => tx.updateTable('registrations').set({ state: 'claimed' }).execute())
    await sweep(world)
    assert.deepEqual(await ids(), [owner.credentialId])
    await world.close()
  })

  test('what was spent is forgotten after a month, and not before', async () => {
    const { store } = await open()
    const now = Date.UTC(2026, 10, 20, 12)
    const spent = ['2026-10-20', '2026-10-21', '2026-11-20'].map((on) => ({
      account_id: 'a',
      day: on,
      kind: 'llm' as const,
      used: 1,
      told_at: null,
    }))
    await store.write((tx) => tx.insertInto('spending').values(spent).execute())
    await sweepAuth({ store, stopRuns: () => Promise.resolve(), forget: () => Promise.resolve() }, now)
    const left = await store.read.selectFrom('spending').select('day').orderBy('day').execute()
    assert.deepEqual(
      left.map((row) => row.day),
      ['2026-10-21', '2026-11-20'],
    )
  })
})
