// Signing out everywhere else: this browser and every other person stay signed in, on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endSignIns } from '../../server/accounts/sign-ins.ts'
import { insertUser } from '../../server/accounts/people.ts'
import { systemIds } from '@rostrum/base/clock'
import { person } from '../auth/agents.ts'
import { authWorld } from '../auth/support.ts'
import { eachStore } from '../support/stores.ts'

eachStore((_, open) => {
  test('signing out everywhere else leaves this browser and every other person signed in', async () => {
    const world = authWorld((await open()).store)
    const [browser, second, third] = [await person(world), await person(world), await person(world)]
    const maya = await world.authenticate(undefined, { header: browser.header() })
    assert.ok(maya.kind === 'user')
    const ben = { email: 'ben@example.com', password: 'an orange paper boat' }
    const passwordHash = await world.deps.passwords.hash(ben.password)
    const { accountId } = maya
    const now = world.clock.now()
    await world.store.write((tx) =>
      insertUser(tx, systemIds, { email: ben.email, name: 'Ben', passwordHash, accountId, role: 'member', now }),
    )
    const bens = world.browser()
    assert.equal((await bens.json('/dashboard/sign-in', ben)).status, 200)
    assert.deepEqual(await world.call(endSignIns, maya), { ended: 2 })
    for (const each of [second, third]) assert.equal((await world.authenticate(undefined, { header: each.header() })).kind, 'nobody')
    for (const each of [browser, bens]) assert.equal((await world.authenticate(undefined, { header: each.header() })).kind, 'user')
    assert.deepEqual(await world.call(endSignIns, maya), { ended: 0 })
    await world.close()
  })
})
