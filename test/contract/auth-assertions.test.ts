// Spec 5.2, `urn:ietf:params:oauth:token-type:id-jag`: each check of a signed assertion by a negative, and the whole story, on both
// stores. The issuer signs with real keys; only its key address is served from memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportJWK } from 'jose'
import { readAgents, removeAgent, takeBackClaim } from '../../server/agents/agents.ts'
import { operator } from '../../server/accounts/audit.ts'
import { ServiceError } from '@rostrum/base/errors'
import { pagePath, person, principalOf, refused } from '../auth/agents.ts'
import { approvedIn, idp, jwksUri, stranger } from '../auth/idp.ts'
import { baseUrl } from '../auth/support.ts'
import { delayedStore, eachStore, openTestStore } from '../support/stores.ts'

async function pageOf(promise: Promise<unknown>): Promise<{ claim_uri: string }> {
  const error = await promise.then(
    () => assert.fail('a token was given'),
    (thrown: unknown) => thrown,
  )
  assert.ok(refused('interaction_required', 401)(error) && error instanceof ServiceError)
  assert.equal(error.extra.headers?.['WWW-Authenticate'], 'AgentAuth error="interaction_required"')
  assert.deepEqual([error.extra.members?.['expires_in'], error.extra.members?.['interval']], [3_600, 5])
  return { claim_uri: String(error.extra.members?.['claim_uri']) }
}

eachStore((_name, open) => {
  test('[5.2-3] a person approves once; from then on each fresh assertion gives a full token', async () => {
    const { world, sign, send } = idp((await open()).store)
    const browser = await person(world)
    const page = await pageOf(send(await sign()))
    const approved = await browser.submit(pagePath(page), { decision: 'approve' })
    assert.equal(approved.status, 200)
    assert.ok(!approved.text.includes('claim-code'))
    const agent = await send(await sign())
    assert.equal(agent.scope, 'sessions:read sessions:write analytics:read leads:read checkout:write')
    assert.equal(agent.expires_in, 90 * 86_400)
    const principal = await principalOf(world, agent.access_token)
    const user = await world.authenticate(undefined, { header: browser.header() })
    assert.ok(principal.kind === 'agent' && user.kind === 'user')
    assert.deepEqual([principal.accountId, principal.userId], [user.accountId, user.userId])
    assert.equal((await browser.get(pagePath(agent))).status, 409)
    assert.equal((await send(await sign({ scope: 'sessions:read leads:read' }), { scope: 'leads:read' })).scope, 'leads:read')
    await world.close()
  })

  test('a standing approval for less than an assertion says gives every agent of it no more', async () => {
    const { world, sign, send } = idp((await open()).store)
    const browser = await person(world)
    const path = pagePath(await pageOf(send(await sign())))
    const { csrf = '' } = await browser.get(path)
    const fields = new URLSearchParams([
      ['decision', 'approve'],
      ['csrf', csrf],
      ['narrows', '1'],
      ['scope', 'sessions:read'],
      ['scope', 'leads:read'],
    ])
    assert.equal((await browser.raw(path, 'application/x-www-form-urlencoded', fields.toString())).status, 200)
    assert.equal((await send(await sign())).scope, 'sessions:read leads:read')
    assert.equal((await send(await sign({ scope: 'leads:read analytics:read' }))).scope, 'leads:read')
    await assert.rejects(send(await sign({ scope: 'analytics:read' })), refused('invalid_request'))
    await world.close()
  })

  const ends = { 'removing the agent': removeAgent, 'taking its claim back': takeBackClaim }
  for (const [words, end] of Object.entries(ends))
    test(`${words} ends the approval too`, async () => {
      const provider = idp((await open()).store)
      const { world, sign, send } = provider
      await approvedIn(provider)
      const agent = await send(await sign())
      const principal = await principalOf(world, agent.access_token)
      assert.ok(principal.kind === 'agent')
      assert.equal((await readAgents(world.store.read, { accountId: principal.accountId })).length, 1)
      await end(world.deps, operator(world.clock.now()), { accountId: principal.accountId }, agent.registration_id)
      await assert.rejects(principalOf(world, agent.access_token), refused('invalid_token'))
      await pageOf(send(await sign()))
      await world.close()
    })

  test('somebody else cannot approve, and the same address at another issuer’s subject is not a delegation', async () => {
    const { world, sign, send } = idp((await open()).store)
    const browser = await person(world)
    const foreign = await pageOf(send(await sign({ email: 'ben@example.com', sub: 'ben-1' })))
    assert.equal((await browser.get(pagePath(foreign))).status, 403)
    await browser.submit(pagePath(await pageOf(send(await sign()))), { decision: 'approve' })
    await pageOf(send(await sign({ sub: 'maya-2' })))
    await world.close()
  })

  test('of 50 uses of one assertion at once one counts', async () => {
    const { world, sign, send } = idp(delayedStore((await open()).store, 5))
    const assertion = await sign()
    const sent = await Promise.allSettled(Array.from({ length: 50 }, () => send(assertion)))
    const codes = sent.map((each) => (each.status === 'rejected' && each.reason instanceof ServiceError ? each.reason.code : 'token'))
    assert.equal(codes.filter((code) => code === 'interaction_required').length, 1)
    assert.equal(codes.filter((code) => code === 'replay_detected').length, 49)
    await world.close()
  })

  test('every fault of an assertion has its code, and does not burn its id', async () => {
    const { world, sign, send, requests } = idp((await open()).store)
    const now = Math.floor(world.clock.now() / 1_000)
    const cases: [string, string, number][] = [
      ['x', 'invalid_assertion', 400],
      ['a.b.c', 'invalid_assertion', 400],
      [`${await sign()}.x`, 'invalid_assertion', 400],
      [await sign({ pad: 'x'.repeat(9_000) }), 'invalid_assertion', 400],
      [await sign({}, { header: { typ: 'JWT' } }), 'invalid_assertion', 400],
      [await sign({}, { header: { crit: ['b64'], b64: true } }), 'invalid_assertion', 400],
      [await sign({ iss: 'https://evil.example' }), 'issuer_not_enabled', 400],
      [await sign({}, { by: stranger.privateKey }), 'invalid_signature', 400],
      [await sign({}, { by: stranger.privateKey, header: { jwk: await exportJWK(stranger.publicKey) } }), 'invalid_signature', 400],
      [await sign({ aud: 'https://other.example' }), 'audience_mismatch', 400],
      [await sign({ aud: [baseUrl, 'https://other.example'] }), 'invalid_assertion', 400],
      [await sign({ exp: now - 1 }), 'credential_expired', 400],
      [await sign({ exp: now + 700 }), 'credential_expired', 400],
      [await sign({ iat: now + 120, exp: now + 200 }), 'credential_expired', 400],
      [await sign({ sub: '' }), 'invalid_assertion', 400],
      [await sign({ jti: '' }), 'invalid_assertion', 400],
      [await sign({ client_id: 'other' }), 'client_not_allowed', 400],
      [await sign({ email_verified: 'true' }), 'email_not_verified', 400],
      [await sign({ email: undefined }), 'email_not_verified', 400],
      [await sign({ cnf: { jkt: 'x' } }), 'invalid_assertion', 400],
      [await sign({ resource: 'https://other.example' }), 'invalid_assertion', 400],
      [await sign({ auth_time: now - 3_601 }), 'login_required', 401],
      [await sign({ auth_time: undefined }), 'login_required', 401],
    ]
    for (const [assertion, code, status] of cases) await assert.rejects(send(assertion), refused(code, status), code)
    await assert.rejects(send(undefined), refused('invalid_request', 400))
    assert.equal(requests.length, 1)
    assert.deepEqual([requests[0]?.url, requests[0]?.redirects, requests[0]?.maxBytes], [jwksUri, 0, 65_536])
    assert.equal((await world.store.read.selectFrom('assertion_ids').select('jti').execute()).length, 0)
    for (const aud of [[baseUrl], `${baseUrl}/`, `${baseUrl}/mcp`, `${baseUrl}/api/v1/mcp`]) await pageOf(send(await sign({ aud })))
    await world.close()
  })
})

test('keys are kept, used for a day while the issuer is down, and asked for again at most once a minute', async () => {
  const store = await openTestStore()
  const { world, sign, send, requests, state } = idp(store, undefined)
  state.isUp = false
  await assert.rejects(send(await sign()), refused('temporarily_unavailable', 503))
  await assert.rejects(send(await sign()), refused('temporarily_unavailable', 503))
  assert.equal(requests.length, 1)
  state.isUp = true
  await world.clock.advance(60_000)
  await pageOf(send(await sign()))
  await pageOf(send(await sign()))
  assert.equal(requests.length, 2)
  await assert.rejects(send(await sign({}, { header: { kid: 'k2' }, by: stranger.privateKey })), refused('invalid_signature'))
  assert.equal(requests.length, 2)
  state.isUp = false
  await world.clock.advance(23 * 3_600_000)
  await pageOf(send(await sign()))
  await world.clock.advance(2 * 3_600_000)
  await assert.rejects(send(await sign()), refused('temporarily_unavailable', 503))
  await world.close()
  await store.close()
})
