// Spec 3.2, 5.7: what ends credentials without a call of their own: time, and revocation under an open stream, on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureOwnerAccount } from '../../server/accounts/people.ts'
import { operator } from '../../server/accounts/audit.ts'
import { endKey, issueKey } from '../../server/accounts/keys.ts'
import { removeAgent } from '../../server/agents/agents.ts'
import { createOpenStreams } from '../../server/accounts/credentials.ts'
import { sweepAuth } from '../../server/agents/sweep.ts'
import { systemIds } from '@rostrum/base/clock'
import { approve, claim, person, principalOf, refused, register } from '../auth/agents.ts'
import { approvedIn, idp } from '../auth/idp.ts'
import { authWorld } from '../auth/support.ts'
import { manualClock } from '../support/clock.ts'
import { sessionRow } from '../support/rows.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const day = 86_400_000
const fail = (error: unknown) => {
  throw error
}

eachStore((_, open) => {
  test('an unclaimed registration expires with its token, and its sessions go a day later', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const [left, kept] = [await register(world), await register(world)]
    for (const agent of [left, kept]) {
      const principal = await principalOf(world, agent.access_token)
      assert.ok(principal.kind === 'agent')
      const row = sessionRow({ id: systemIds.uuid(), slug: systemIds.uuid(), account_id: principal.accountId })
      await world.store.write(async (tx) => void (await tx.insertInto('sessions').values(row).execute()))
    }
    await claim(world, kept.access_token, await approve(browser, kept))
    await world.clock.advance(day)
    await assert.rejects(principalOf(world, left.access_token), refused('invalid_token'))
    assert.equal((await principalOf(world, kept.access_token)).kind, 'agent')
    const removed: string[] = []
    const sweep = (now: number) =>
      sweepAuth(
        {
          store: world.store,
          stopRuns: () => Promise.resolve(),
          async forget(tx, id) {
            removed.push(id)
            await tx.deleteFrom('sessions').where('id', '=', id).execute()
          },
        },
        now,
      )
    await sweep(world.clock.now())
    assert.deepEqual(removed, [])
    await sweep(world.clock.now() + day)
    assert.equal(removed.length, 1)
    await sweep(world.clock.now() + day)
    assert.equal(removed.length, 1)
    const states = await world.store.read.selectFrom('registrations').select(['id', 'state']).execute()
    assert.equal(states.find(({ id }) => id === left.registration_id)?.state, 'expired')
    assert.equal(states.find(({ id }) => id === kept.registration_id)?.state, 'claimed')
    await sweep(world.clock.now() + 31 * day)
    const remaining = await world.store.read.selectFrom('registrations').select('id').execute()
    assert.deepEqual(remaining, [{ id: kept.registration_id }])
    await world.close()
  })

  test('a talk of an agent that nobody claimed ends when its session is removed: it stayed open, and its log for ever', () =>
    withService(open, async ({ api, service, store, clock, stream }) => {
      const registering = { client_name: 'Copilot', identity_type: 'anonymous' }
      const { access_token } = (await api('POST', '/api/v1/auth/register', registering, null)).body
      const slides = [{ textContent: 'Grid\n- A battery shifts the evening peak' }]
      const { slug } = (await api('POST', '/api/v1/agent/sessions', { title: 'Grid', isLive: true, slides }, access_token)).body
      const { runId, attendeeToken } = (await api('POST', `/api/v1/rooms/${slug}/attendees`, {}, null)).body
      const seen = await stream(`/api/v1/runs/${runId}/stream`, attendeeToken)
      const { stopRuns, forget } = service.sessions
      await sweepAuth({ store, stopRuns, forget }, clock.now() + 10 * day)
      assert.deepEqual(await store.read.selectFrom('sessions').select('id').execute(), [])
      const ended = await store.read.selectFrom('runs').select('end_reason').execute()
      assert.deepEqual(ended, [{ end_reason: 'deleted' }])
      const last = (await seen.read()).at(-1)
      assert.deepEqual([last?.event, last?.data.reason], ['closed', 'deleted'])
    }))

  test('the sessions of a person outlive an agent that was bound to their account from its birth', async () => {
    const provider = idp((await open()).store)
    const { world, sign, send } = provider
    const browser = await approvedIn(provider)
    const agent = await send(await sign())
    const maya = await world.authenticate(undefined, { header: browser.header() })
    assert.ok(maya.kind === 'user')
    const { accountId } = maya
    await world.store.write((tx) =>
      tx
        .insertInto('sessions')
        .values(sessionRow({ account_id: accountId }))
        .execute(),
    )
    await removeAgent(world.deps, operator(world.clock.now()), { accountId }, agent.registration_id)
    await world.clock.advance(2 * day)
    await sweepAuth({ store: world.store, stopRuns: () => Promise.resolve(), forget: () => Promise.resolve() }, world.clock.now())
    assert.equal((await world.store.read.selectFrom('sessions').select('id').execute()).length, 1)
    await world.close()
  })

  test('[5.7-2] a stream opened with a key ends within a second of its revocation, on this node and on another', async () => {
    const { store, another } = await open()
    const second = await another()
    const world = authWorld(store)
    const [here, there] = [manualClock(), manualClock()]
    const accountId = await ensureOwnerAccount(store, systemIds, 'Acme', world.clock.now())
    const made = await issueKey(world.deps, operator(world.clock.now()), { accountId, name: 'CI' })
    const other = await issueKey(world.deps, operator(world.clock.now()), { accountId, name: 'Other' })
    const closed: string[] = []
    const nodes = [createOpenStreams(store, here, fail), createOpenStreams(second, there, fail)] as const
    for (const [i, node] of nodes.entries()) {
      node.track(await world.authenticate(`Bearer ${made.key}`), () => closed.push(`node ${i}`))
      node.track(await world.authenticate(`Bearer ${made.key}`), () => closed.push('left before'))?.()
      node.track(await world.authenticate(`Bearer ${other.key}`), () => closed.push('another key'))
      node.track({ kind: 'nobody' }, () => closed.push('nobody'))
    }
    await endKey(world.deps, operator(world.clock.now()), { accountId }, made.id)
    for (const clock of [here, there]) await clock.advance(1_000)
    assert.deepEqual(
      closed.toSorted((a, b) => a.localeCompare(b)),
      ['node 0', 'node 1'],
    )
    for (const node of nodes) node.stop()
    await world.close()
  })
})
