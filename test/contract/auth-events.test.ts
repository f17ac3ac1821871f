// Spec 5.7, RFC 8935: a provider ends what it has vouched for by a security event token. Each check by a negative, replay, and the
// effect on tokens and open streams, on both stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportJWK } from 'jose'
import { createOpenStreams } from '../../server/accounts/credentials.ts'
import { pagePath, person, principalOf, refused } from '../auth/agents.ts'
import { assertedAnswer, errorOf, exchange, post, tokenOf } from '../auth/identity.ts'
import type { Idp } from '../auth/idp.ts'
import { identityRevoked, idJag, idp, issuer, stranger } from '../auth/idp.ts'
import type { Shown } from '../auth/support.ts'
import { baseUrl, membersOf } from '../auth/support.ts'
import { manualClock } from '../support/clock.ts'
import { eachStore, openTestStore } from '../support/stores.ts'

const fail = (error: unknown) => {
  throw error
}

function notify({ world }: Idp, token: string): Promise<Shown> {
  return world.browser().raw('/agent/event/notify', 'application/secevent+jwt', token)
}

/** An agent of each generation, approved once. */
async function twoAgents({ world, sign, send }: Idp) {
  const browser = await person(world)
  const asked = await post(world, '/agent/identity', { type: 'identity_assertion', assertion_type: idJag, assertion: await sign() })
  const { claim } = JSON.parse(asked.text) as { claim: { attempt: { verification_uri: string } } }
  await browser.submit(pagePath({ claim_uri: claim.attempt.verification_uri }), { decision: 'approve' })
  const older = await send(await sign())
  const answer = await post(world, '/agent/identity', { type: 'identity_assertion', assertion_type: idJag, assertion: await sign() })
  const { identity } = assertedAnswer.parse(JSON.parse(answer.text))
  return { older, identity, token: (await tokenOf(world, identity.assertion)).access_token }
}

eachStore((_, open) => {
  test('a revocation ends the approval and every token of the subject, and nothing of another', async () => {
    const provider = idp((await open()).store)
    const { world, sign, send, signEvent } = provider
    const { older, identity, token } = await twoAgents(provider)
    assert.equal((await notify(provider, await signEvent({ sub: 'ben-1' }))).status, 202)
    await principalOf(world, token)
    const answer = await notify(provider, await signEvent())
    assert.deepEqual([answer.status, answer.text], [202, ''])
    for (const dead of [older.access_token, token]) await assert.rejects(principalOf(world, dead), refused('invalid_token'))
    assert.deepEqual(await errorOf(exchange(world, identity.assertion)), [400, 'invalid_grant'])
    await assert.rejects(send(await sign()), refused('interaction_required'))
    const [act, ...more] = await world.store.read.selectFrom('audit').selectAll().where('action', '=', 'delegation.revoked').execute()
    assert.deepEqual([JSON.parse(act?.data ?? ''), more], [{ issuer, agents: 3 }, []])
    await world.close()
  })

  test('a repeat is acknowledged and ends nothing that was approved since', async () => {
    const provider = idp((await open()).store)
    const { world, sign, send, signEvent } = provider
    const event = await signEvent()
    assert.equal((await notify(provider, event)).status, 202)
    await twoAgents(provider)
    assert.equal((await notify(provider, event)).status, 202)
    const alive = await send(await sign())
    const answers = await Promise.all(Array.from({ length: 20 }, () => notify(provider, event)))
    assert.ok(answers.every(({ status }) => status === 202))
    await principalOf(world, alive.access_token)
    await world.close()
  })

  test('every fault of an event has its word, and ends nothing', async () => {
    const provider = idp((await open()).store)
    const { world, signEvent, sign } = provider
    const { token } = await twoAgents(provider)
    const now = Math.floor(world.clock.now() / 1_000)
    const cases: [string, string][] = [
      ['x', 'invalid_request'],
      ['', 'invalid_request'],
      [await sign(), 'invalid_request'],
      [await signEvent({}, { header: { typ: 'JWT' } }), 'invalid_request'],
      [await signEvent({}, { header: { crit: ['b64'], b64: true } }), 'invalid_request'],
      [await signEvent({ pad: 'x'.repeat(9_000) }), 'invalid_request'],
      [await signEvent({ iss: 'https://evil.example' }), 'invalid_issuer'],
      [await signEvent({}, { by: stranger.privateKey }), 'invalid_key'],
      [await signEvent({}, { by: stranger.privateKey, header: { jwk: await exportJWK(stranger.publicKey) } }), 'invalid_key'],
      [await signEvent({ aud: 'https://other.example' }), 'invalid_audience'],
      [await signEvent({ iat: now + 120 }), 'invalid_request'],
      [await signEvent({ iat: now - 86_401 }), 'invalid_request'],
      [await signEvent({ jti: undefined }), 'invalid_request'],
      [await signEvent({ sub: undefined }), 'invalid_request'],
      [await signEvent({ sub: undefined, sub_id: { format: 'iss_sub', iss: 'https://evil.example', sub: 'maya-1' } }), 'invalid_request'],
      [await signEvent({ events: undefined }), 'invalid_request'],
      [await signEvent({ events: {} }), 'invalid_request'],
    ]
    for (const [event, err] of cases) {
      const answer = await notify(provider, event)
      assert.equal(answer.status, 400, `${err}: ${answer.text}`)
      assert.equal(membersOf(answer)['err'], err)
      assert.equal(typeof membersOf(answer)['description'], 'string')
    }
    // What we do not know is no fault, and neither is an audience among others.
    assert.equal((await notify(provider, await signEvent({ events: { 'https://schemas.example/other': {} } }))).status, 202)
    await principalOf(world, token)
    const named = { sub: undefined, sub_id: { format: 'iss_sub', iss: issuer, sub: 'maya-1' }, aud: ['https://other.example', baseUrl] }
    assert.equal(
      (await notify(provider, await signEvent({ ...named, events: { [identityRevoked]: {}, 'https://schemas.example/other': {} } })))
        .status,
      202,
    )
    await assert.rejects(principalOf(world, token), refused('invalid_token'))
    await world.close()
  })

  test('[5.7-2] streams that the subject’s agents hold end within a second, on this node and on another', async () => {
    const { store, another } = await open()
    const provider = idp(store)
    const { world, signEvent } = provider
    const { older, token } = await twoAgents(provider)
    const clocks = [manualClock(), manualClock()] as const
    const nodes = [createOpenStreams(store, clocks[0], fail), createOpenStreams(await another(), clocks[1], fail)] as const
    const closed: string[] = []
    for (const [i, node] of nodes.entries()) {
      node.track(await principalOf(world, token), () => closed.push(`new ${i}`))
      node.track(await principalOf(world, older.access_token), () => closed.push(`old ${i}`))
    }
    assert.equal((await notify(provider, await signEvent())).status, 202)
    for (const clock of clocks) await clock.advance(1_000)
    assert.deepEqual(closed.toSorted(), ['new 0', 'new 1', 'old 0', 'old 1'])
    for (const node of nodes) node.stop()
    await world.close()
  })
})

test('while the keys of the issuer are away, an event is to come again', async () => {
  const provider = idp(await openTestStore())
  provider.state.isUp = false
  const answer = await notify(provider, await provider.signEvent())
  assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '60'])
  await provider.world.close()
  await provider.world.store.close()
})
