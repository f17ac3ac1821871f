// The agents and invitations of an account, as its people see and end them (spec 5.6, 5.7), on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { createInvitation, listInvitations } from '../../server/accounts/invitations.ts'
import { getAgent, revokeAgent } from '../../server/agents/agents.ts'
import { updateAccount } from '../../server/accounts/account.ts'
import { systemIds } from '@rostrum/base/clock'
import { scopes } from '../../server/platform/principal.ts'
import { approve, claim, person, principalOf, refused, register } from '../auth/agents.ts'
import { authWorld } from '../auth/support.ts'
import { eachStore } from '../support/stores.ts'

eachStore((_name, open) => {
  test('a claimed agent is shown and ended by its account, and unknown to every other', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const maya = await world.authenticate(undefined, { header: browser.header() })
    const agent = await register(world)
    const agentId = agent.registration_id
    await assert.rejects(world.call(getAgent, maya, { agentId }), refused('not_found', 404))
    await claim(world, agent.access_token, await approve(browser, agent))
    const shown = z
      .looseObject({ id: z.string(), name: z.string(), scopes: z.array(z.string()) })
      .parse(await world.call(getAgent, maya, { agentId }))
    assert.deepEqual([shown.id, shown.name, shown.scopes], [agentId, 'Sales Copilot', [...scopes]])
    assert.ok(maya.kind === 'user')
    const stranger = { ...maya, accountId: systemIds.uuid() }
    for (const hidden of [getAgent, revokeAgent]) await assert.rejects(world.call(hidden, stranger, { agentId }), refused('not_found', 404))
    const member = { ...maya, role: 'member', userId: systemIds.uuid() } as const
    await assert.rejects(world.call(revokeAgent, member, { agentId }), refused('not_found', 404))
    await world.call(revokeAgent, maya, { agentId })
    await assert.rejects(principalOf(world, agent.access_token), refused('invalid_token', 401))
    await world.close()
  })

  test('open invitations are listed without their links, to admins alone', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const maya = await world.authenticate(undefined, { header: browser.header() })
    assert.ok(maya.kind === 'user')
    const made = z.object({ url: z.string() }).parse(await world.call(createInvitation, maya, { email: 'ben@example.com' }))
    const listed = JSON.stringify(await world.call(listInvitations, maya))
    assert.match(listed, /ben@example\.com/)
    assert.ok(!listed.includes(made.url.slice(-22)))
    await assert.rejects(world.call(listInvitations, { ...maya, role: 'member' }), refused('forbidden', 403))
    await world.clock.advance(7 * 86_400_000)
    assert.deepEqual(await world.call(listInvitations, maya), { invitations: [] })
    await world.close()
  })

  test('people rename themselves, and only an admin the account', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const maya = await world.authenticate(undefined, { header: browser.header() })
    assert.ok(maya.kind === 'user')
    const shown = JSON.stringify(await world.call(updateAccount, maya, { name: ' Maya A. ', accountName: 'Acme Grid' }))
    assert.match(shown, /"name":"Maya A\."[^]*"name":"Acme Grid"/)
    await assert.rejects(world.call(updateAccount, { ...maya, role: 'member' }, { accountName: 'Mine' }), refused('forbidden', 403))
    await assert.rejects(world.call(updateAccount, maya, { name: '  ' }), refused('invalid_request', 400))
    await world.close()
  })
})
