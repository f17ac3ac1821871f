// What was true when it was looked at and is no longer when it is acted on: passwords, members, approvals, on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setPassword } from '../../src/auth/account/set-password.ts'
import { resetPassword } from '../../src/auth/change-password.ts'
import { createLink } from '../../src/auth/links.ts'
import { systemIds } from '../../src/kernel/ids.ts'
import type { UserPrincipal } from '../../src/kernel/principal.ts'
import { person, refused } from '../auth/agents.ts'
import type { AuthWorld, Browser } from '../auth/support.ts'
import { address, authWorld, owner } from '../auth/support.ts'
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
  assert.deepEqual(await resetPassword(deps, token, password, { address, requestId: systemIds.uuid(), now }), { ok: true })
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

eachStore((_name, open) => {
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
})
