// Spec 5.2, 5.6, the current auth.md generation: `/agent/identity`, its claim, and the grants of agents at the token endpoint, on both
// stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAgents } from '../../server/agents/agents.ts'
import { revokeCredential } from '../../server/agents/register.ts'
import { dropMember } from '../../server/accounts/account.ts'
import { operator } from '../../server/accounts/audit.ts'
import { person, principalOf, refused } from '../auth/agents.ts'
import {
  approveAt,
  assertedAnswer,
  claimGrant,
  complete,
  completedAnswer,
  errorOf,
  exchange,
  grant,
  pendingAnswer,
  personAnswer,
  post,
  posted,
  refreshAnswer,
  registerAnonymous,
  startedAnswer,
  tokenAnswer,
  tokenOf,
} from '../auth/identity.ts'
import { idJag, idp } from '../auth/idp.ts'
import { authWorld, baseUrl, owner } from '../auth/support.ts'
import { delayedStore, eachStore } from '../support/stores.ts'

const hour = 3_600_000
const all = ['sessions:read', 'sessions:write', 'analytics:read', 'leads:read', 'checkout:write']

eachStore((_name, open) => {
  test('an anonymous agent works at once, is claimed by a code, and gains the elevated scopes', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await registerAnonymous(world)
    assert.deepEqual(agent.scopes, { pre_claim: all.slice(0, 3), post_claim: all })
    const before = await tokenOf(world, agent.identity.assertion)
    assert.deepEqual([before.scope, before.expires_in], ['sessions:read sessions:write analytics:read', 3_600])
    assert.equal((await principalOf(world, before.access_token)).kind, 'agent')

    const started = { type: 'service_auth', claim_token: agent.claim.token, login_hint: owner.email }
    assert.deepEqual(await errorOf(complete(world, agent.claim.token, 'BDFK-RTWX')), [400, 'claim_not_confirmed'])
    const { attempt } = await posted(world, '/agent/identity/claim', started, startedAnswer)
    const code = await approveAt(browser, attempt.verification_uri)
    assert.deepEqual(await errorOf(complete(world, agent.claim.token, 'BBBB-BBBB')), [400, 'invalid_user_code'])
    const claim = { claim_token: agent.claim.token, user_code: code }
    const done = await posted(world, '/agent/identity/claim/complete', claim, completedAnswer)

    const after = await tokenOf(world, done.identity.assertion)
    assert.equal(after.scope, all.join(' '))
    const principal = await principalOf(world, after.access_token)
    const user = await world.authenticate(undefined, { header: browser.header() })
    assert.ok(principal.kind === 'agent' && user.kind === 'user')
    assert.deepEqual([principal.accountId, principal.userId], [user.accountId, user.userId])
    const [listed, ...more] = await readAgents(world.store.read, { accountId: user.accountId })
    assert.deepEqual([listed?.id, listed?.scopes.split(' '), more], [agent.id, all, []])
    await world.close()
  })

  test('what was handed out before the claim gives nothing after it', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await registerAnonymous(world)
    const { access_token } = await tokenOf(world, agent.identity.assertion)
    const started = { type: 'login_hint', claim_token: agent.claim.token, login_hint: owner.email }
    const { attempt } = await posted(world, '/agent/identity/claim', started, startedAnswer)
    await complete(world, agent.claim.token, await approveAt(browser, attempt.verification_uri))
    await assert.rejects(principalOf(world, access_token), refused('invalid_token'))
    assert.deepEqual(await errorOf(exchange(world, agent.identity.assertion)), [400, 'invalid_grant'])
    const refresh = { type: 'refresh', refresh_token: agent.identity.refresh_token.value }
    assert.deepEqual(await errorOf(post(world, '/agent/identity', refresh)), [400, 'invalid_grant'])
    assert.deepEqual(await errorOf(post(world, '/agent/identity/claim', started)), [409, 'claimed_or_in_flight'])
    assert.deepEqual(await errorOf(grant(world, { grant_type: claimGrant, claim_token: agent.claim.token })), [400, 'invalid_grant'])
    await world.close()
  })

  test('a lost answer to the code is had again with the same code, and with no other', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await posted(world, '/agent/identity', { type: 'service_auth', login_hint: owner.email }, personAnswer)
    const code = await approveAt(browser, agent.claim.attempt.verification_uri)
    for (let n = 0; n < 2; n++) {
      const answer = await complete(world, agent.claim.token, code)
      await tokenOf(world, completedAnswer.parse(JSON.parse(answer.text)).identity.assertion)
    }
    assert.deepEqual(await errorOf(complete(world, agent.claim.token, 'BBBB-BBBB')), [409, 'previously_claimed'])
    await world.close()
  })

  test('service_auth has no identity before its person has approved, and answers the same for every address', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const stranger = await posted(world, '/agent/identity', { type: 'service_auth', login_hint: 'ben@example.com' }, personAnswer)
    assert.equal((await browser.get(new URL(stranger.claim.attempt.verification_uri).pathname)).status, 403)
    const other = { type: 'service_auth', claim_token: stranger.claim.token, login_hint: owner.email }
    assert.deepEqual(await errorOf(post(world, '/agent/identity/claim', other)), [409, 'claimed_or_in_flight'])
    assert.deepEqual(await errorOf(post(world, '/agent/identity', { type: 'service_auth', login_hint: 'nobody' })), [
      400,
      'invalid_login_hint',
    ])
    await world.close()
  })

  test('the claim grant waits for the approval, then gives a token with an identity', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await posted(world, '/agent/identity', { type: 'service_auth', login_hint: owner.email }, personAnswer)
    const ask = () => grant(world, { grant_type: claimGrant, claim_token: agent.claim.token })
    assert.deepEqual(await errorOf(ask()), [400, 'authorization_pending'])
    await approveAt(browser, agent.claim.attempt.verification_uri)
    for (let n = 0; n < 2; n++) {
      const shown = await ask()
      assert.equal(shown.status, 200, shown.text)
      const answer = tokenAnswer
        .extend({ identity_assertion: completedAnswer.shape.identity.shape.assertion })
        .parse(JSON.parse(shown.text))
      assert.equal((await principalOf(world, answer.access_token)).kind, 'agent')
      await tokenOf(world, answer.identity_assertion)
    }
    await world.close()
  })

  test('the claim grant says to slow down, that it was refused, and that an approval is too old', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const make = () => posted(world, '/agent/identity', { type: 'service_auth', login_hint: owner.email }, personAnswer)
    const ask = (token: string) => errorOf(grant(world, { grant_type: claimGrant, claim_token: token }))
    const [denied, old, hasty] = [await make(), await make(), await make()]
    await browser.submit(new URL(denied.claim.attempt.verification_uri).pathname, { decision: 'deny' })
    assert.deepEqual(await ask(denied.claim.token), [400, 'access_denied'])
    await approveAt(browser, old.claim.attempt.verification_uri)
    await world.clock.advance(11 * 60_000)
    assert.deepEqual(await ask(old.claim.token), [400, 'expired_token'])
    assert.deepEqual(await errorOf(complete(world, old.claim.token, 'BBBB-BBBB')), [410, 'user_code_expired'])
    for (let n = 0; n < 12; n++) assert.deepEqual(await ask(hasty.claim.token), [400, 'authorization_pending'])
    assert.deepEqual(await ask(hasty.claim.token), [400, 'slow_down'])
    await world.clock.advance(24 * hour)
    assert.deepEqual(await ask(hasty.claim.token), [400, 'expired_token'])
    assert.deepEqual(await errorOf(complete(world, hasty.claim.token, 'BBBB-BBBB')), [410, 'claim_expired'])
    for (const token of ['', 'rst_clm_x', hasty.claim.token.replace('clm', 'agt')])
      assert.deepEqual(await ask(token), [400, 'invalid_grant'])
    await world.close()
  })

  test('an assertion lives an hour, its registration a day, and a refresh carries it over', async () => {
    const world = authWorld((await open()).store)
    const agent = await registerAnonymous(world)
    await world.clock.advance(hour)
    assert.deepEqual(await errorOf(exchange(world, agent.identity.assertion)), [400, 'invalid_grant'])
    const refresh = (refresh_token: string) => post(world, '/agent/identity', { type: 'refresh', refresh_token })
    const next = refreshAnswer.parse(JSON.parse((await refresh(agent.identity.refresh_token.value)).text))
    const { access_token } = await tokenOf(world, next.identity.assertion)
    // At once, it may be the repeat of a lost answer; later it is a copy, and the whole registration ends.
    assert.deepEqual(await errorOf(refresh(agent.identity.refresh_token.value)), [400, 'invalid_grant'])
    assert.equal((await principalOf(world, access_token)).kind, 'agent')
    await world.clock.advance(11_000)
    assert.deepEqual(await errorOf(refresh(agent.identity.refresh_token.value)), [400, 'invalid_grant'])
    await assert.rejects(principalOf(world, access_token), refused('invalid_token'))
    assert.deepEqual(await errorOf(refresh(next.identity.refresh_token.value)), [400, 'invalid_grant'])
    const late = await registerAnonymous(world)
    await world.clock.advance(24 * hour)
    assert.deepEqual(await errorOf(refresh(late.identity.refresh_token.value)), [400, 'invalid_grant'])
    await world.close()
  })

  test('a token may be asked for with fewer scopes and for our addresses alone', async () => {
    const world = authWorld((await open()).store)
    const { identity } = await registerAnonymous(world)
    const narrow = await exchange(world, identity.assertion, { scope: 'sessions:read leads:read', resource: `${baseUrl}/mcp` })
    assert.equal(tokenAnswer.parse(JSON.parse(narrow.text)).scope, 'sessions:read')
    assert.deepEqual(await errorOf(exchange(world, identity.assertion, { scope: 'leads:read' })), [400, 'invalid_scope'])
    assert.deepEqual(await errorOf(exchange(world, identity.assertion, { resource: 'https://other.example/' })), [400, 'invalid_target'])
    for (const assertion of ['', 'x', `${identity.assertion}x`, identity.assertion.split('.').slice(0, 2).join('.')])
      assert.deepEqual(await errorOf(exchange(world, assertion)), [400, 'invalid_grant'])
    await world.close()
  })

  test('neither a claim token nor a refresh token nor an assertion authenticates a call; revoking one ends the registration', async () => {
    const world = authWorld((await open()).store)
    for (const pick of ['claim', 'refresh', 'access'] as const) {
      const agent = await registerAnonymous(world)
      const { access_token } = await tokenOf(world, agent.identity.assertion)
      for (const dead of [agent.claim.token, agent.identity.refresh_token.value, agent.identity.assertion])
        await assert.rejects(principalOf(world, dead), refused('invalid_token'))
      const token = { claim: agent.claim.token, refresh: agent.identity.refresh_token.value, access: access_token }[pick]
      assert.equal((await world.browser().post('/oauth2/revoke', { token })).status, 200)
      await assert.rejects(principalOf(world, access_token), refused('invalid_token'))
      assert.deepEqual(await errorOf(exchange(world, agent.identity.assertion)), [400, 'invalid_grant'])
      assert.deepEqual(await errorOf(complete(world, agent.claim.token, 'BBBB-BBBB')), [400, 'invalid_claim_token'])
    }
    await world.close()
  })

  test('a token that has expired, found in a log, ends neither its agent nor what the agent holds', async () => {
    const world = authWorld((await open()).store)
    const agent = await registerAnonymous(world)
    const { access_token: token } = await tokenOf(world, agent.identity.assertion)
    await world.clock.advance(2 * hour)
    assert.equal((await world.browser().post('/oauth2/revoke', { token })).status, 200)
    const answer = await world.call(revokeCredential, { kind: 'nobody' }, { token })
    assert.deepEqual(answer, { status: 'revoked', token_revoked: false, revoked_at: new Date(world.clock.now()).toISOString() })
    const refresh = { type: 'refresh', refresh_token: agent.identity.refresh_token.value }
    const { identity } = await posted(world, '/agent/identity', refresh, refreshAnswer)
    await principalOf(world, (await tokenOf(world, identity.assertion)).access_token)
    await world.close()
  })

  test('an ID-JAG with an approval gives an identity; without one, the page, and after it the code or the poll', async () => {
    const { world, sign } = idp((await open()).store)
    const browser = await person(world)
    const ask = async (claims = {}) =>
      post(world, '/agent/identity', { type: 'identity_assertion', assertion_type: idJag, assertion: await sign(claims) })
    const first = await ask({ scope: 'sessions:read leads:read' })
    assert.equal(first.status, 401)
    assert.equal(first.headers.get('www-authenticate'), 'AgentAuth error="interaction_required"')
    const pending = pendingAnswer.parse(JSON.parse(first.text))
    const second = pendingAnswer.parse(JSON.parse((await ask()).text))
    const code = await approveAt(browser, pending.claim.attempt.verification_uri)
    const done = completedAnswer.parse(JSON.parse((await complete(world, pending.claim.token, code)).text))
    assert.equal((await tokenOf(world, done.identity.assertion)).scope, 'sessions:read leads:read')
    await approveAt(browser, second.claim.attempt.verification_uri)
    assert.equal((await grant(world, { grant_type: claimGrant, claim_token: second.claim.token })).status, 200)
    const known = assertedAnswer.parse(JSON.parse((await ask()).text))
    assert.equal((await tokenOf(world, known.identity.assertion)).scope, all.join(' '))
    assert.deepEqual(await errorOf(ask({ auth_time: 1 })), [401, 'login_required'])
    assert.deepEqual(await errorOf(ask({ aud: 'https://other.example' })), [400, 'audience_mismatch'])
    assert.deepEqual(await errorOf(post(world, '/agent/identity', { type: 'anonymous' })), [400, 'anonymous_not_enabled'])
    await world.close()
  })

  test('who leaves the account takes their agents along', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const agent = await posted(world, '/agent/identity', { type: 'service_auth', login_hint: owner.email }, personAnswer)
    const code = await approveAt(browser, agent.claim.attempt.verification_uri)
    const { identity } = completedAnswer.parse(JSON.parse((await complete(world, agent.claim.token, code)).text))
    const principal = await principalOf(world, (await tokenOf(world, identity.assertion)).access_token)
    assert.ok(principal.kind === 'agent' && principal.userId !== undefined)
    const { accountId, userId } = principal
    // Another owner, or the last one could not leave.
    const second = '018f0000-0000-7000-8000-00000000beef'
    await world.store.write(async (tx) => {
      const row = { id: second, account_id: accountId, user_id: second, role: 'owner', created_at: 1 } as const
      await tx.insertInto('memberships').values(row).execute()
    })
    await dropMember(world.deps, operator(world.clock.now()), { accountId, userId, byRole: 'owner' })
    assert.deepEqual(await errorOf(exchange(world, identity.assertion)), [400, 'invalid_grant'])
    const refresh = { type: 'refresh', refresh_token: identity.refresh_token.value }
    assert.deepEqual(await errorOf(post(world, '/agent/identity', refresh)), [400, 'invalid_grant'])
    await world.close()
  })

  test('of 50 completions, polls and refreshes at once, on a slow store, one registration is bound and one refresh token lives', async () => {
    const world = authWorld(delayedStore((await open()).store, 5))
    const browser = await person(world)
    const agent = await posted(world, '/agent/identity', { type: 'service_auth', login_hint: owner.email }, personAnswer)
    const code = await approveAt(browser, agent.claim.attempt.verification_uri)
    const answers = await Promise.all(Array.from({ length: 50 }, () => complete(world, agent.claim.token, code)))
    assert.ok(answers.every(({ status }) => status === 200))
    const acts = await world.store.read.selectFrom('audit').select('id').where('action', '=', 'agent.claimed').execute()
    assert.equal(acts.length, 1)
    const [answer] = answers
    const refresh_token = completedAnswer.parse(JSON.parse(answer?.text ?? '')).identity.refresh_token.value
    const refreshed = await Promise.all(
      Array.from({ length: 50 }, () => post(world, '/agent/identity', { type: 'refresh', refresh_token })),
    )
    assert.equal(refreshed.filter(({ status }) => status === 200).length, 1)
    await world.close()
  })
})
