// Spec 5.2 and the account part of the API: keys, members, invitations, passwords, sign-ins, agents, on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { createInvitation, deleteInvitation } from '../../server/accounts/invitations.ts'
import { createKey, listKeys, revokeKey, updateKey } from '../../server/accounts/keys.ts'
import { endSignIn, listSignIns } from '../../server/accounts/sign-ins.ts'
import { getAccount, listMembers, removeMember, switchAccount, updateMember, updateAccount } from '../../server/accounts/account.ts'
import { listAgents, undoClaim } from '../../server/agents/agents.ts'
import { listAudit } from '../../server/accounts/audit.ts'
import { setPassword } from '../../server/accounts/new-password.ts'
import { accountDeclarations } from '../../server/agents/operations.ts'
import { createLink } from '../../server/accounts/links.ts'
import { systemIds } from '@rostrum/base/clock'
import type { UserPrincipal } from '../../server/platform/principal.ts'
import { approve, claim, person, principalOf, refused, register } from '../auth/agents.ts'
import type { AuthWorld, Browser } from '../auth/support.ts'
import { authWorld, owner } from '../auth/support.ts'
import { sessionRow } from '../support/rows.ts'
import { delayedStore, eachStore } from '../support/stores.ts'

async function userOf(world: AuthWorld, browser: Browser): Promise<UserPrincipal> {
  const principal = await world.authenticate(undefined, { header: browser.header() })
  assert.ok(principal.kind === 'user')
  return principal
}

const keyAnswer = z.object({ id: z.string(), key: z.string(), last4: z.string() })
const keysAnswer = z.object({ keys: z.array(z.object({ id: z.string(), name: z.string(), expiresAt: z.string().nullable() })) })
const inviteAnswer = z.object({ id: z.string(), url: z.string() })
const membersAnswer = z.object({ members: z.array(z.object({ userId: z.string(), role: z.string() })) })
const accountAnswer = z.object({
  csrf: z.string(),
  role: z.string(),
  account: z.object({ id: z.string() }),
  accounts: z.array(z.object({ id: z.string() })),
  peopleViews: z.array(z.object({ name: z.string(), query: z.string() })),
})

/** Invites `email`, and accepts in a new browser. */
async function join(world: AuthWorld, host: UserPrincipal, email: string, role = 'member'): Promise<Browser> {
  const { url } = inviteAnswer.parse(await world.call(createInvitation, host, { email, role }))
  const browser = world.browser()
  const done = await browser.submit(new URL(url).pathname, { name: 'Ben Adeyemi', password: 'an orange paper boat' })
  assert.equal(done.status, 303, done.text)
  return browser
}

eachStore((_name, open) => {
  test('[5.2-1] a key made in the dashboard works, is listed without its secret, renamed and revoked', async () => {
    const world = authWorld((await open()).store)
    const maya = await userOf(world, await person(world))
    const made = keyAnswer.parse(await world.call(createKey, maya, { name: 'CI', expiresIn: null }))
    const principal = await world.authenticate(`Bearer ${made.key}`)
    assert.ok(principal.kind === 'api_key' && principal.userId === maya.userId)
    const listed = await world.call(listKeys, maya)
    assert.ok(!JSON.stringify(listed).includes(made.key))
    assert.deepEqual(keysAnswer.parse(listed).keys, [{ id: made.id, name: 'CI', expiresAt: null }])
    await world.call(updateKey, maya, { keyId: made.id.toUpperCase(), name: 'Build' })
    assert.equal(keysAnswer.parse(await world.call(listKeys, maya)).keys[0]?.name, 'Build')
    await world.call(revokeKey, maya, { keyId: made.id })
    await assert.rejects(world.authenticate(`Bearer ${made.key}`), refused('invalid_token'))
    await world.close()
  })

  test('making a key asks for the password after ten minutes', async () => {
    const world = authWorld((await open()).store)
    const maya = await userOf(world, await person(world))
    await world.clock.advance(10 * 60_000)
    await assert.rejects(world.call(createKey, maya, { name: 'CI' }), refused('login_required', 401))
    await assert.rejects(world.call(createKey, maya, { name: 'CI', password: 'a wrong password' }), refused('sign_in_failed', 401))
    assert.ok(await world.call(createKey, maya, { name: 'CI', password: owner.password }))
    assert.ok(await world.call(createKey, maya, { name: 'CI 2' }))
    await world.close()
  })

  test('the account part is for signed-in people: a bearer credential gets 403, nobody 401', async () => {
    const world = authWorld((await open()).store)
    const agent = await principalOf(world, (await register(world)).access_token)
    for (const declared of accountDeclarations) {
      await assert.rejects(world.call(declared, agent), refused('sign_in_required', 403))
      await assert.rejects(world.call(declared, { kind: 'nobody' }), refused('invalid_token', 401))
    }
    await world.close()
  })

  test('an invitation works once, for its address, and its person sees and does what the role allows', async () => {
    const world = authWorld((await open()).store)
    const maya = await userOf(world, await person(world))
    const ben = await userOf(world, await join(world, maya, 'Ben@example.com'))
    assert.deepEqual([ben.accountId, ben.role], [maya.accountId, 'member'])
    const mine = keyAnswer.parse(await world.call(createKey, maya, { name: 'of Maya' }))
    await world.call(createKey, ben, { name: 'of Ben' })
    assert.deepEqual(
      keysAnswer.parse(await world.call(listKeys, ben)).keys.map(({ name }) => name),
      ['of Ben'],
    )
    assert.equal(keysAnswer.parse(await world.call(listKeys, maya)).keys.length, 2)
    await assert.rejects(world.call(revokeKey, ben, { keyId: mine.id }), refused('not_found', 404))
    for (const forbidden of [listMembers, listAudit]) await assert.rejects(world.call(forbidden, ben), refused('forbidden', 403))
    await assert.rejects(world.call(createInvitation, ben, { email: 'x@example.com' }), refused('forbidden', 403))
    await world.close()
  })

  test('an invitation shown to an admin does not verify the address: the admin approved agents that name it', async () => {
    const world = authWorld((await open()).store)
    const maya = await userOf(world, await person(world))
    const impostor = await join(world, maya, 'victim@example.com')
    const agent = await register(world, {
      identity_type: 'identity_assertion',
      assertion_type: 'verified_email',
      assertion: 'victim@example.com',
    })
    assert.equal((await impostor.get(new URL(agent.claim_uri).pathname)).status, 403)
    await world.close()
  })

  test('of 50 who accept one invitation at once, one joins', async () => {
    const world = authWorld(delayedStore((await open()).store, 5))
    const maya = await userOf(world, await person(world))
    const { url } = inviteAnswer.parse(await world.call(createInvitation, maya, { email: 'ben@example.com' }))
    const path = new URL(url).pathname
    const fields = { name: 'Ben', password: 'an orange paper boat' }
    const sent = await Promise.all(Array.from({ length: 50 }, () => world.browser().submit(path, fields)))
    assert.equal(sent.filter(({ status }) => status === 303).length >= 1, true)
    assert.equal(membersAnswer.parse(await world.call(listMembers, maya)).members.length, 2)
    const used = await world.store.read.selectFrom('audit').select('id').where('action', '=', 'member.joined').execute()
    assert.equal(used.length, 1)
    await world.close()
  })

  test('a withdrawn invitation is dead, and one for a person who exists asks them to sign in', async () => {
    const world = authWorld((await open()).store)
    const maya = await userOf(world, await person(world))
    const withdrawn = inviteAnswer.parse(await world.call(createInvitation, maya, { email: 'ben@example.com' }))
    await world.call(deleteInvitation, maya, { invitationId: withdrawn.id })
    assert.equal((await world.browser().get(new URL(withdrawn.url).pathname)).status, 410)
    const own = inviteAnswer.parse(await world.call(createInvitation, maya, { email: owner.email }))
    assert.equal((await world.browser().get(new URL(own.url).pathname)).headers.get('location'), '/dashboard/sign-in')
    await world.close()
  })

  test('where sign-up is closed an invitation reaches people who are here, and an earlier one lets nobody new in', async () => {
    const { store } = await open()
    const opened = authWorld(store)
    const maya = await userOf(opened, await person(opened))
    const early = inviteAnswer.parse(await opened.call(createInvitation, maya, { email: 'ben@example.com' }))
    const closed = authWorld(store, { settings: { ...opened.deps.settings, signup: 'closed' } })
    await assert.rejects(closed.call(createInvitation, maya, { email: 'noor@example.com' }), refused('forbidden', 403))
    assert.ok(inviteAnswer.parse(await closed.call(createInvitation, maya, { email: owner.email })).url)
    const [browser, path] = [closed.browser(), new URL(early.url).pathname]
    const before = await browser.get('/dashboard/sign-in')
    const fields = { name: 'Ben', password: 'an orange paper boat', csrf: before.csrf ?? '' }
    for (const { status, text } of [await browser.get(path), await browser.post(path, fields)]) {
      assert.equal(status, 403)
      assert.match(text, /takes no new people/)
    }
    assert.equal(membersAnswer.parse(await closed.call(listMembers, maya)).members.length, 1)
    await opened.close()
    await closed.close()
  })

  test('two owners who lower each other at once leave one owner', async () => {
    const world = authWorld(delayedStore((await open()).store, 5))
    const maya = await userOf(world, await person(world))
    const ben = await userOf(world, await join(world, maya, 'ben@example.com', 'owner'))
    const both = await Promise.allSettled([
      world.call(updateMember, maya, { userId: ben.userId, role: 'member' }),
      world.call(updateMember, ben, { userId: maya.userId, role: 'member' }),
    ])
    assert.equal(both.filter(({ status }) => status === 'fulfilled').length, 1)
    const roles = await world.store.read.selectFrom('memberships').select('role').execute()
    assert.deepEqual(
      roles.map(({ role }) => role).toSorted((a, b) => a.localeCompare(b)),
      ['member', 'owner'],
    )
    await world.close()
  })

  test('an admin changes no owner, and the last owner stays', async () => {
    const world = authWorld((await open()).store)
    const maya = await userOf(world, await person(world))
    const ben = await userOf(world, await join(world, maya, 'ben@example.com', 'admin'))
    await assert.rejects(world.call(updateMember, ben, { userId: maya.userId, role: 'member' }), refused('forbidden'))
    await assert.rejects(world.call(updateMember, ben, { userId: ben.userId, role: 'owner' }), refused('forbidden'))
    await assert.rejects(world.call(removeMember, ben, { userId: maya.userId }), refused('forbidden'))
    await assert.rejects(world.call(removeMember, maya, { userId: maya.userId }), refused('conflict', 409))
    await assert.rejects(world.call(removeMember, maya, { userId: systemIds.uuid() }), refused('not_found'))
    await world.close()
  })

  test('a removed member loses keys, agents and sign-ins of the account at once', async () => {
    const world = authWorld((await open()).store)
    const maya = await userOf(world, await person(world))
    const browser = await join(world, maya, 'ben@example.com')
    const ben = await userOf(world, browser)
    const { key } = keyAnswer.parse(await world.call(createKey, ben, { name: 'of Ben' }))
    const agent = await register(world)
    await claim(world, agent.access_token, await approve(browser, agent))
    await world.call(removeMember, maya, { userId: ben.userId })
    await assert.rejects(world.authenticate(`Bearer ${key}`), refused('invalid_token'))
    await assert.rejects(principalOf(world, agent.access_token), refused('invalid_token'))
    assert.equal((await world.authenticate(undefined, { header: browser.header() })).kind, 'nobody')
    await world.close()
  })

  test('a new password ends every other sign-in and gives this one a new id', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const other = await person(world)
    const maya = await userOf(world, browser)
    await assert.rejects(world.call(setPassword, maya, { newPassword: 'short' }), refused('invalid_request'))
    await world.call(setPassword, maya, { newPassword: 'a second quiet lake' })
    for (const each of [browser, other]) assert.equal((await world.authenticate(undefined, { header: each.header() })).kind, 'nobody')
    const again = world.browser()
    assert.equal((await again.json('/dashboard/sign-in', { email: owner.email, password: owner.password })).status, 401)
    assert.equal((await again.json('/dashboard/sign-in', { email: owner.email, password: 'a second quiet lake' })).status, 200)
    await world.close()
  })

  test('of 50 who use one reset link at once, one sets the password', async () => {
    const world = authWorld(delayedStore((await open()).store, 5))
    const maya = await userOf(world, await person(world))
    const now = world.clock.now()
    const { token } = await world.store.write((tx) =>
      createLink(tx, systemIds, { kind: 'reset', userId: maya.userId, ttlMs: 1_800_000, now }),
    )
    const browsers = Array.from({ length: 50 }, () => world.browser())
    const sent = await Promise.all(browsers.map((browser, i) => browser.submit(`/reset/${token}`, { password: `a long password ${i}` })))
    assert.equal(sent.filter(({ status }) => status === 200).length, 1)
    assert.equal((await world.store.read.selectFrom('audit').select('id').where('action', '=', 'password.reset').execute()).length, 1)
    assert.equal((await world.browser().get(`/reset/${token}`)).status, 410)
    await world.close()
  })

  test('one browser can be signed out from another, and only by the same person', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const lost = await person(world)
    const [maya, there] = [await userOf(world, browser), await userOf(world, lost)]
    const ben = await userOf(world, await join(world, maya, 'ben@example.com'))
    await assert.rejects(world.call(endSignIn, ben, { signInId: there.signInId }), refused('not_found'))
    assert.match(JSON.stringify(await world.call(listSignIns, maya)), /"isCurrent":true/)
    await world.call(endSignIn, maya, { signInId: there.signInId })
    assert.equal((await world.authenticate(undefined, { header: lost.header() })).kind, 'nobody')
    await world.close()
  })

  test('views of people are the account’s: a member keeps one, the owner finds it, and another account does not', async () => {
    const world = authWorld((await open()).store)
    const maya = await userOf(world, await person(world))
    const ben = await userOf(world, await join(world, maya, 'ben@example.com'))
    const viewsOf = async (who: UserPrincipal) => accountAnswer.parse(await world.call(getAccount, who)).peopleViews
    assert.deepEqual(await viewsOf(maya), [])
    const view = { name: 'To call', query: 'status=new&days=7' }
    await world.call(updateAccount, ben, { peopleViews: [view] })
    assert.deepEqual(await viewsOf(maya), [view])
    await world.call(updateAccount, maya, { name: 'Maya L.' })
    assert.deepEqual(await viewsOf(ben), [view], 'a change that names none leaves them')
    const rows = await world.store.read.selectFrom('accounts').select('people_views').where('id', '!=', maya.accountId).execute()
    assert.ok(rows.every(({ people_views }) => people_views === null))
    await world.close()
  })

  test('switching works among one’s own accounts and gives a new sign-in', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const maya = await userOf(world, browser)
    const read = accountAnswer.parse(await world.call(getAccount, maya))
    assert.deepEqual([read.account.id, read.role, read.accounts.length], [maya.accountId, 'owner', 1])
    await assert.rejects(world.call(switchAccount, maya, { accountId: systemIds.uuid() }), refused('not_found'))
    const shown = accountAnswer.parse(await world.call(switchAccount, maya, { accountId: maya.accountId }))
    assert.notEqual(shown.csrf, read.csrf)
    assert.equal((await world.authenticate(undefined, { header: browser.header() })).kind, 'nobody')
    await world.close()
  })

  test('a claim can be taken back for 24 hours: the agent dies and what it brought leaves', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const maya = await userOf(world, browser)
    const agent = await register(world)
    const principal = await principalOf(world, agent.access_token)
    assert.ok(principal.kind === 'agent')
    const row = sessionRow({ account_id: principal.accountId, created_by_kind: 'agent', created_by_id: principal.credentialId })
    const own = sessionRow({ id: systemIds.uuid(), slug: 'own', account_id: maya.accountId })
    await world.store.write(async (tx) => void (await tx.insertInto('sessions').values([row, own]).execute()))
    await claim(world, agent.access_token, await approve(browser, agent))
    assert.match(JSON.stringify(await world.call(listAgents, maya)), /Sales Copilot/)
    assert.deepEqual(await world.call(undoClaim, maya, { agentId: agent.registration_id }), { sessionsReturned: 1 })
    await assert.rejects(principalOf(world, agent.access_token), refused('invalid_token'))
    const left = await world.store.read.selectFrom('sessions').select('id').where('account_id', '=', maya.accountId).execute()
    assert.deepEqual(left, [{ id: own.id }])
    const late = await register(world)
    await claim(world, late.access_token, await approve(browser, late))
    await world.clock.advance(86_400_001)
    await assert.rejects(world.call(undoClaim, maya, { agentId: late.registration_id }), refused('gone', 410))
    await world.close()
  })

  test('the audit log tells the story by pages, without secrets', async () => {
    const world = authWorld((await open()).store)
    const maya = await userOf(world, await person(world))
    for (let i = 0; i < 5; i++) await world.call(createKey, maya, { name: `Key ${i}` })
    const answer = z.object({ entries: z.array(z.object({ action: z.string(), id: z.string() })), nextCursor: z.string().optional() })
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = answer.parse(await world.call(listAudit, maya, { limit: 2, ...(cursor !== undefined && { cursor }) }))
      seen.push(...page.entries.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    assert.equal(seen.length, 7)
    assert.equal(new Set(seen).size, 7)
    await world.close()
  })
})
