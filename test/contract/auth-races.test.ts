// What is spent once is spent once: 50 at the same time, on a slow store, on both stores (RFC 6749 section 4.1.2, Spec 5.6).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueKey } from '../../server/accounts/keys.ts'
import { operator } from '../../server/accounts/audit.ts'
import { ensureOwnerAccount } from '../../server/accounts/people.ts'
import { systemIds } from '@rostrum/base/clock'
import { approve, claim, person, register } from '../auth/agents.ts'
import { authWorld } from '../auth/support.ts'
import { delayedStore, eachStore } from '../support/stores.ts'

const callers = 50
const delayMs = 5
const all = <T>(act: (n: number) => Promise<T>) => Promise.allSettled(Array.from({ length: callers }, (_, n) => act(n)))

eachStore((_name, open) => {
  test(`of ${callers} agents that send one code at once, its own alone is claimed, once`, async () => {
    const world = authWorld(delayedStore((await open()).store, delayMs))
    const agents = [await register(world), await register(world)]
    const code = await approve(await person(world), agents[0] ?? { claim_uri: '' })
    const answers = await all((n) => claim(world, agents[n === 0 ? 1 : 0]?.access_token ?? '', code))
    const bound = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.bound_at] : []))
    assert.equal(bound.length, callers - 1, 'a repeat by the same agent answers the same')
    assert.equal(new Set(bound).size, 1)
    assert.equal(answers[0]?.status, 'rejected')
    const { store } = world
    const spent = await store.read.selectFrom('claim_attempts').select('id').where('spent_at', 'is not', null).execute()
    const claimed = await store.read.selectFrom('audit').select('id').where('action', '=', 'agent.claimed').execute()
    assert.deepEqual([spent.length, claimed.length], [1, 1])
    await world.close()
  })

  test(`${callers} first keys at once make one owner account, and each its own key`, async () => {
    const store = delayedStore((await open()).store, delayMs)
    const made = await all(async () => {
      const accountId = await ensureOwnerAccount(store, systemIds, 'Rostrum', 1)
      return issueKey({ store, ids: systemIds }, operator(1), { accountId, name: 'first' })
    })
    const keys = made.flatMap((each) => (each.status === 'fulfilled' ? [each.value.key] : []))
    assert.equal(new Set(keys).size, callers)
    assert.equal((await store.read.selectFrom('accounts').select('id').execute()).length, 1)
  })
})
