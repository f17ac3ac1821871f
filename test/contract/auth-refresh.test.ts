// Spec 5.2, 5.7: what becomes of a refresh token when its use is cut short, or meets the claim of its registration, on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../server/platform/db/store.ts'
import { lockRegistration } from '../../server/agents/registration.ts'
import { person } from '../auth/agents.ts'
import { approveAt, complete, errorOf, exchange, post, posted, refreshAnswer, registerAnonymous, startedAnswer } from '../auth/identity.ts'
import type { AuthWorld } from '../auth/support.ts'
import { authWorld, owner } from '../auth/support.ts'
import { eachTriedOnce, untilHeldUp } from '../support/held-up.ts'
import { eachStore } from '../support/stores.ts'

const refresh = (world: AuthWorld, refresh_token: string) => post(world, '/agent/identity', { type: 'refresh', refresh_token })

/** An agent, and a code with which it is claimed at once. */
async function approvedAgent(world: AuthWorld) {
  const browser = await person(world)
  const { claim, identity } = await registerAnonymous(world)
  const started = { type: 'service_auth', claim_token: claim.token, login_hint: owner.email }
  const { attempt } = await posted(world, '/agent/identity/claim', started, startedAnswer)
  const code = await approveAt(browser, attempt.verification_uri)
  return { token: identity.refresh_token.value, claim: () => complete(world, claim.token, code) }
}

/** Each write first takes what `due` has for it. */
function watched(store: Store, due: (() => unknown)[]): Store {
  return {
    ...store,
    async write(fn, manner) {
      await due.shift()?.()
      return store.write(fn, manner)
    },
  }
}

const goOn = () => undefined
const fail = () => {
  throw new Error('The store is away.')
}

eachStore((name, open) => {
  test('an agent whose refresh was cut short after any write refreshes later: its registration once ended as stolen', async () => {
    for (const cut of [[fail], [goOn, fail]]) {
      const due: (() => unknown)[] = []
      const world = authWorld(watched((await open()).store, due))
      const { identity } = await registerAnonymous(world)
      due.push(...cut)
      const answer = await refresh(world, identity.refresh_token.value).catch(() => undefined)
      due.length = 0
      const token = answer?.status === 200 ? refreshAnswer.parse(JSON.parse(answer.text)).identity.refresh_token.value : undefined
      await world.clock.advance(11_000)
      assert.equal((await refresh(world, token ?? identity.refresh_token.value)).status, 200, `cut at write ${cut.length}`)
      await world.close()
    }
  })

  test('a refresh during which the agent is claimed gives nothing that works afterwards: its next token once did', async () => {
    for (const before of [[], [goOn]]) {
      const due: (() => unknown)[] = []
      const world = authWorld(watched((await open()).store, due))
      const agent = await approvedAgent(world)
      const claimed = Promise.withResolvers<void>()
      const claim = async () => {
        assert.equal((await agent.claim()).status, 200)
        claimed.resolve()
      }
      due.push(...before, claim)
      const answer = await refresh(world, agent.token)
      // A refresh of fewer writes is over before.
      await due.shift()?.()
      await claimed.promise
      if (answer.status === 200) {
        const { identity } = refreshAnswer.parse(JSON.parse(answer.text))
        assert.deepEqual(await errorOf(refresh(world, identity.refresh_token.value)), [400, 'invalid_grant'])
        assert.deepEqual(await errorOf(exchange(world, identity.assertion)), [400, 'invalid_grant'])
      } else assert.deepEqual(await errorOf(Promise.resolve(answer)), [400, 'invalid_grant'])
      await world.close()
    }
  })

  // Here writes wait for each other, and SQLite makes one at a time.
  if (name !== 'postgres') return

  test('a refresh waits for the claim before it and is refused, and neither is tried again', async () => {
    const { store } = await eachTriedOnce(open)()
    const world = authWorld(store)
    const agent = await approvedAgent(world)
    const { id } = await store.read.selectFrom('registrations').select('id').executeTakeFirstOrThrow()
    const { claiming, refreshing } = await store.write(async (tx) => {
      await lockRegistration(tx, id)
      const claiming = agent.claim()
      assert.equal(await untilHeldUp(store, claiming), 1)
      const refreshing = refresh(world, agent.token)
      assert.equal(await untilHeldUp(store, claiming, refreshing), 2)
      return { claiming, refreshing }
    })
    assert.equal((await claiming).status, 200)
    assert.deepEqual(await errorOf(refreshing), [400, 'invalid_grant'])
    await world.close()
  })
})
