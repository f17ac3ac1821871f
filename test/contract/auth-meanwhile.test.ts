// What was true when it was looked at and is no longer when it is acted on: passwords, members, approvals, on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { createInvitation, readInvitations } from '../../server/accounts/invitations.ts'
import { resetPassword, setPassword } from '../../server/accounts/new-password.ts'
import { insertUser } from '../../server/accounts/people.ts'
import { endDelegation, findDelegation } from '../../server/agents/registration.ts'
import { operator } from '../../server/accounts/audit.ts'
import { createLink } from '../../server/accounts/links.ts'
import { dropMember } from '../../server/accounts/account.ts'
import { insertAgent } from '../../server/agents/register.ts'
import { systemIds } from '@rostrum/base/clock'
import { scopes, type UserPrincipal } from '../../server/platform/principal.ts'
import { person, principalOf, refused } from '../auth/agents.ts'
import type { Idp } from '../auth/idp.ts'
import { approvedIn, idp, issuer } from '../auth/idp.ts'
import type { AuthWorld, Browser } from '../auth/support.ts'
import { address, authWorld, owner } from '../auth/support.ts'
import { eachTriedOnce, untilHeldUp } from '../support/held-up.ts'
import { eachStore } from '../support/stores.ts'

const second = 1_000

async function userOf(world: AuthWorld, browser: Browser): Promise<UserPrincipal> {
  const principal = await world.authenticate(undefined, { header: browser.header() })
  assert.ok(principal.kind === 'user')
  return principal
}

const signIn = async (world: AuthWorld, password: string) =>
  (await world.browser().json('/dashboard/sign-in', { email: owner.email, password })).status

async function reset({ store, clock, deps }: AuthWorld, { userId }: UserPrincipal, password: string): Promise<void> {
  const now = clock.now()
  const { token } = await store.write((tx) => createLink(tx, deps.ids, { kind: 'reset', userId, ttlMs: second, now }))
  assert.deepEqual(await resetPassword(deps, token, password, { address, requestId: systemIds.uuid(), now }), {
    ok: true,
    email: owner.email,
  })
}

/** The password that is looked at next is right, and before anything comes of that its person has reset it. */
function resetMeanwhile(world: AuthWorld, whose: UserPrincipal, password: string): void {
  const { passwords } = world.deps
  const { verify } = passwords
  passwords.verify = async (...given) => {
    const verdict = await verify(...given)
    assert.ok(verdict.matches)
    passwords.verify = verify
    await reset(world, whose, password)
    return verdict
  }
}

eachStore((name, open) => {
  test('who signs in with the old password while it is reset is refused, and the old one does not come back', async () => {
    const { store } = await open()
    const before = authWorld(store)
    const maya = await userOf(before, await person(before))
    // Signing in would keep the old password at a higher cost.
    const world = authWorld(store, { clock: before.clock, passwordCost: { memoryKib: 64, passes: 2 } })
    await world.clock.advance(second)
    resetMeanwhile(world, maya, 'a second quiet lake')
    assert.equal(await signIn(world, owner.password), 401)
    assert.deepEqual(await store.read.selectFrom('sign_ins').select('id').where('ended_at', 'is', null).execute(), [])
    assert.equal(await signIn(world, owner.password), 401)
    assert.equal(await signIn(world, 'a second quiet lake'), 200)
    await before.close()
    await world.close()
  })

  test('who changes the password by the old one while it is reset is refused, and the reset stands', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const maya = await userOf(world, browser)
    await world.clock.advance(second)
    resetMeanwhile(world, maya, 'a second quiet lake')
    const change = world.call(setPassword, maya, { password: owner.password, newPassword: 'a third quiet lake' })
    await assert.rejects(change, refused('sign_in_required', 403))
    const fresh = world.call(setPassword, maya, { newPassword: 'a third quiet lake' })
    await assert.rejects(fresh, refused('login_required', 401))
    assert.equal(await signIn(world, 'a third quiet lake'), 401)
    assert.equal(await signIn(world, 'a second quiet lake'), 200)
    await world.close()
  })

  test('a password that is changed while it is reset does not undo the reset', async () => {
    const world = authWorld((await open()).store)
    const maya = await userOf(world, await person(world))
    const { passwords } = world.deps
    const { hash } = passwords
    passwords.hash = async (password) => {
      passwords.hash = hash
      await reset(world, maya, 'a second quiet lake')
      return hash(password)
    }
    await assert.rejects(world.call(setPassword, maya, { newPassword: 'a third quiet lake' }), refused('sign_in_required', 403))
    assert.equal(await signIn(world, 'a second quiet lake'), 200)
    await world.close()
  })

  test('who signs in from two browsers at once is let in by both, also where the hash is made anew', async () => {
    const { store } = await open()
    const before = authWorld(store)
    await person(before)
    const world = authWorld(store, { passwordCost: { memoryKib: 64, passes: 2 } })
    assert.deepEqual(await Promise.all([signIn(world, owner.password), signIn(world, owner.password)]), [200, 200])
    await before.close()
    await world.close()
  })

  test('a member who was removed does not come back by another invitation that was open', async () => {
    const world = authWorld((await open()).store)
    const maya = await userOf(world, await person(world))
    const invite = async () => {
      const { url } = z.object({ url: z.string() }).parse(await world.call(createInvitation, maya, { email: 'ben@example.com' }))
      return new URL(url).pathname
    }
    const [used, other] = [await invite(), await invite()]
    const browser = world.browser()
    assert.equal((await browser.submit(used, { name: 'Ben', password: 'an orange paper boat' })).status, 303)
    const ben = await userOf(world, browser)
    const late = await invite()
    await dropMember(world.deps, operator(world.clock.now()), { accountId: ben.accountId, userId: ben.userId, byRole: 'owner' })
    const gone = async (path: string) => (await browser.get(path)).status
    assert.deepEqual([await gone(other), await gone(late)], [410, 410])
    assert.deepEqual(await readInvitations(world.store.read, maya.accountId, world.clock.now()), [])
    await world.close()
  })

  // From here on writes wait for each other, and SQLite makes one at a time.
  if (name !== 'postgres') return

  const ends: Record<string, (provider: Idp, maya: UserPrincipal) => Promise<unknown>> = {
    'its provider revokes it': async ({ world, signEvent }) =>
      world.browser().raw('/agent/event/notify', 'application/secevent+jwt', await signEvent()),
    'its person leaves': ({ world }, { accountId, userId }) =>
      dropMember(world.deps, operator(world.clock.now()), { accountId, userId, byRole: 'owner' }),
  }
  for (const [words, end] of Object.entries(ends))
    test(`an agent that registers while ${words} ends with that`, async () => {
      const provider = idp((await eachTriedOnce(open)()).store)
      const { world } = provider
      const maya = await userOf(world, await approvedIn(provider))
      const { store, deps } = world
      const now = world.clock.now()
      const other = { email: 'ben@example.com', name: 'Ben', passwordHash: 'x', accountId: maya.accountId, role: 'owner', now } as const
      await store.write((tx) => insertUser(tx, deps.ids, other))
      const { ending, agent } = await store.write(async (tx) => {
        const bornBoundTo = await findDelegation(tx, issuer, 'maya-1')
        assert.ok(bornBoundTo)
        const ending = end(provider, maya)
        await untilHeldUp(store, ending)
        const call = { principal: { kind: 'nobody' }, now, requestId: systemIds.uuid(), address, signal: AbortSignal.abort() } as const
        const subject = { issuer, subject: 'maya-1' }
        const made = { kind: 'id_jag', clientName: 'Copilot', emailHint: owner.email, scopes, subject, bornBoundTo } as const
        return { ending, agent: await insertAgent(tx, deps, call, made) }
      })
      await ending
      await assert.rejects(principalOf(world, agent.token), refused('invalid_token', 401))
      // Else it would be back with its person.
      assert.deepEqual(await store.read.selectFrom('registrations').select('id').where('state', '=', 'claimed').execute(), [])
      await world.close()
    })

  test('an agent that registers while another of its subject is removed asks its person again', async () => {
    const provider = idp((await eachTriedOnce(open)()).store)
    const { world, sign, send } = provider
    await approvedIn(provider)
    const assertion = await sign()
    const { sending } = await world.store.write(async (tx) => {
      await endDelegation(tx, issuer, 'maya-1', world.clock.now())
      const sending = send(assertion)
      sending.catch(() => undefined)
      await untilHeldUp(world.store, sending)
      return { sending }
    })
    await assert.rejects(sending, refused('interaction_required', 401))
    await world.close()
  })
})
