// The OAuth server for connectors (RFC 6749, 7591, 7636, 8707, 9207), through its routes and the consent page, on both stores.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { z } from 'zod'
import { listApps, revokeApp } from '../../server/agents/clients.ts'
import { operator } from '../../server/accounts/audit.ts'
import { dropMember } from '../../server/accounts/account.ts'
import { revokeCredential } from '../../server/agents/register.ts'
import { ensureOwner } from '../../server/accounts/sign-in.ts'
import { person, principalOf, refused, register } from '../auth/agents.ts'
import type { AuthWorld, Browser, Shown } from '../auth/support.ts'
import { authWorld, baseUrl, membersOf, owner } from '../auth/support.ts'
import { delayedStore, eachStore } from '../support/stores.ts'

const redirectUri = 'https://client.example/callback'
const verifier = 'a-verifier-of-at-least-forty-three-characters-long'
const challenge = createHash('sha256').update(verifier).digest('base64url')
const tokens = z.object({
  access_token: z.string().regex(/^rst_oat_[0-9A-Za-z]{38}$/),
  refresh_token: z.string().regex(/^rst_ort_[0-9A-Za-z]{38}$/),
  token_type: z.literal('Bearer'),
  expires_in: z.literal(3_600),
  scope: z.string(),
})

async function registerClient(world: AuthWorld, change: object = {}): Promise<string> {
  const body = { client_name: 'Connector', redirect_uris: [redirectUri], token_endpoint_auth_method: 'client_secret_basic', ...change }
  const answer = await world.browser().json('/oauth2/register', body)
  assert.equal(answer.status, 201, answer.text)
  const members = membersOf(answer)
  assert.equal(members['token_endpoint_auth_method'], 'none')
  assert.ok(!('client_secret' in members))
  return String(members['client_id'])
}

function authorizePath(clientId: string, change: Readonly<Record<string, string | undefined>> = {}): string {
  const parameters: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'xyz',
    scope: 'sessions:read leads:read',
    resource: `${baseUrl}/mcp`,
    ...change,
  }
  const defined = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return `/oauth2/authorize?${new URLSearchParams(defined).toString()}`
}

const pathOf = (shown: Shown) => {
  const url = new URL(shown.headers.get('location') ?? '', baseUrl)
  return url.pathname + url.search
}

/** Goes through the consent page; gives where the browser is sent with the answer. */
async function decide(browser: Browser, path: string, fields: Readonly<Record<string, string>> = {}): Promise<URL> {
  const started = await browser.get(path)
  assert.equal(started.status, 303, started.text)
  const consent = pathOf(started)
  assert.match(consent, /^\/oauth2\/consent\//)
  const page = await browser.get(consent)
  assert.equal(page.status, 200, page.text)
  const scope = /value="leads:read"/.test(page.text) ? { scope: 'leads:read' } : { scope: 'sessions:read' }
  const sent = await browser.post(consent, { csrf: page.csrf ?? '', decision: 'allow', ...scope, ...fields })
  assert.equal(sent.status, 303, sent.text)
  const resumed = await browser.get(pathOf(sent))
  return new URL(resumed.headers.get('location') ?? '', baseUrl)
}

const exchange = (world: AuthWorld, fields: Readonly<Record<string, string>>) => world.browser().post('/oauth2/token', fields)
const codeFields = (clientId: string, code: string) => ({
  grant_type: 'authorization_code',
  client_id: clientId,
  code,
  redirect_uri: redirectUri,
  code_verifier: verifier,
})

eachStore((_name, open) => {
  test('a connector registers, is allowed by a person, and gets tokens of the one format', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const clientId = await registerClient(world)
    const back = await decide(browser, authorizePath(clientId))
    assert.deepEqual(
      [back.origin + back.pathname, back.searchParams.get('state'), back.searchParams.get('iss')],
      [redirectUri, 'xyz', baseUrl],
    )
    const answer = await exchange(world, codeFields(clientId, back.searchParams.get('code') ?? ''))
    assert.equal(answer.status, 200, answer.text)
    const issued = tokens.parse(JSON.parse(answer.text))
    assert.equal(issued.scope, 'leads:read')
    const principal = await principalOf(world, issued.access_token)
    const user = await world.authenticate(undefined, { header: browser.header() })
    assert.ok(principal.kind === 'oauth' && user.kind === 'user')
    assert.deepEqual(
      [principal.accountId, principal.userId, principal.scopes, principal.label],
      [user.accountId, user.userId, ['leads:read'], 'Connector'],
    )
    await assert.rejects(principalOf(world, issued.refresh_token), refused('invalid_token'))
    const rows = JSON.stringify(await world.store.read.selectFrom('oauth_records').selectAll().execute())
    for (const secret of [issued.access_token, issued.refresh_token, back.searchParams.get('code') ?? 'x'])
      assert.ok(!rows.includes(secret))
    await world.close()
  })

  test('of 50 exchanges of one code at once, on a slow store, at most one token lives', async () => {
    const world = authWorld(delayedStore((await open()).store, 5))
    const browser = await person(world)
    const clientId = await registerClient(world)
    const code = (await decide(browser, authorizePath(clientId))).searchParams.get('code') ?? ''
    const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(world, codeFields(clientId, code))))
    const issued = answers.filter(({ status }) => status === 200).map(({ text }) => tokens.parse(JSON.parse(text)))
    assert.ok(issued.length <= 1)
    const checked = await Promise.allSettled(issued.map(({ access_token }) => principalOf(world, access_token)))
    const alive = checked.filter(({ status }) => status === 'fulfilled').length
    assert.ok(alive <= 1)
    for (const { status, text } of answers.filter((each) => each.status !== 200)) {
      assert.equal(status, 400)
      assert.equal(membersOf({ text })['error'], 'invalid_grant')
    }
    await world.close()
  })

  test('of 50 uses of one refresh token at once, on a slow store, one gives a token; one more use ends the family', async () => {
    const world = authWorld(delayedStore((await open()).store, 5))
    const browser = await person(world)
    const clientId = await registerClient(world)
    const code = (await decide(browser, authorizePath(clientId))).searchParams.get('code') ?? ''
    const first = tokens.parse(JSON.parse((await exchange(world, codeFields(clientId, code))).text))
    const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token: first.refresh_token }
    const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(world, fields)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(membersOf(await exchange(world, fields))['error'], 'invalid_grant')
    await assert.rejects(principalOf(world, first.access_token), refused('invalid_token'))
    await world.close()
  })

  test('a refresh rotates; a spent refresh token, or a spent code, ends the family', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const clientId = await registerClient(world)
    const code = (await decide(browser, authorizePath(clientId))).searchParams.get('code') ?? ''
    const first = tokens.parse(JSON.parse((await exchange(world, codeFields(clientId, code))).text))
    const refresh = (token: string) => exchange(world, { grant_type: 'refresh_token', client_id: clientId, refresh_token: token })
    const second = tokens.parse(JSON.parse((await refresh(first.refresh_token)).text))
    assert.notEqual(second.refresh_token, first.refresh_token)
    assert.equal((await principalOf(world, second.access_token)).kind, 'oauth')
    assert.equal((await refresh(first.refresh_token)).status, 400)
    for (const { access_token } of [first, second]) await assert.rejects(principalOf(world, access_token), refused('invalid_token'))
    assert.equal((await refresh(second.refresh_token)).status, 400)
    await world.close()
  })

  test('revocation ends tokens at both addresses; a refresh token takes its family along', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const clientId = await registerClient(world)
    const issue = async () => {
      const code = (await decide(browser, authorizePath(clientId))).searchParams.get('code') ?? ''
      return tokens.parse(JSON.parse((await exchange(world, codeFields(clientId, code))).text))
    }
    const one = await issue()
    assert.equal((await world.browser().post('/oauth2/revoke', { client_id: clientId, token: one.access_token })).status, 200)
    await assert.rejects(principalOf(world, one.access_token), refused('invalid_token'))
    const two = await issue()
    await world.call(revokeCredential, { kind: 'nobody' }, { token: two.refresh_token })
    await assert.rejects(principalOf(world, two.access_token), refused('invalid_token'))
    await world.close()
  })

  test('a person sees what they allowed, and taking it back ends its tokens at once', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const clientId = await registerClient(world)
    const code = (await decide(browser, authorizePath(clientId))).searchParams.get('code') ?? ''
    const issued = tokens.parse(JSON.parse((await exchange(world, codeFields(clientId, code))).text))
    const user = await world.authenticate(undefined, { header: browser.header() })
    const { apps } = z.object({ apps: z.array(z.object({ id: z.string(), name: z.string() })) }).parse(await world.call(listApps, user))
    assert.deepEqual(
      apps.map(({ name }) => name),
      ['Connector'],
    )
    await assert.rejects(world.call(revokeApp, user, { grantId: 'unknown' }), refused('not_found'))
    await world.call(revokeApp, user, { grantId: apps[0]?.id })
    await assert.rejects(principalOf(world, issued.access_token), refused('invalid_token'))
    const refresh = await exchange(world, { grant_type: 'refresh_token', client_id: clientId, refresh_token: issued.refresh_token })
    assert.equal(membersOf(refresh)['error'], 'invalid_grant')
    await world.close()
  })

  test('leaving the account ends what was allowed there, and agent tokens can be revoked at the OAuth address', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const clientId = await registerClient(world)
    const code = (await decide(browser, authorizePath(clientId))).searchParams.get('code') ?? ''
    const issued = tokens.parse(JSON.parse((await exchange(world, codeFields(clientId, code))).text))
    const user = await world.authenticate(undefined, { header: browser.header() })
    assert.ok(user.kind === 'user')
    const { accountId, userId } = user
    const second = { id: 'other', account_id: accountId, user_id: 'other', role: 'owner', created_at: 1 } as const
    await world.store.write(async (tx) => void (await tx.insertInto('memberships').values(second).execute()))
    await dropMember(world.deps, operator(world.clock.now()), { accountId, byRole: 'owner', userId })
    await assert.rejects(principalOf(world, issued.access_token), refused('invalid_token'))
    const refresh = await exchange(world, { grant_type: 'refresh_token', client_id: clientId, refresh_token: issued.refresh_token })
    assert.equal(membersOf(refresh)['error'], 'invalid_grant')
    const agent = await register(world)
    const revoked = await world.browser().post('/oauth2/revoke', { token: agent.access_token })
    assert.deepEqual([revoked.status, revoked.text], [200, ''])
    await assert.rejects(principalOf(world, agent.access_token), refused('invalid_token'))
    await world.close()
  })

  test('denying answers access_denied with state and iss', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const clientId = await registerClient(world)
    const back = await decide(browser, authorizePath(clientId), { decision: 'deny' })
    assert.deepEqual(
      [back.searchParams.get('error'), back.searchParams.get('state'), back.searchParams.get('iss')],
      ['access_denied', 'xyz', baseUrl],
    )
    await world.close()
  })

  test('without a sign-in the person signs in first and comes back; another browser cannot decide', async () => {
    const world = authWorld((await open()).store)
    await ensureOwner(world.deps, owner, world.clock.now())
    const clientId = await registerClient(world)
    const browser = world.browser()
    const consent = pathOf(await browser.get(authorizePath(clientId)))
    assert.equal((await browser.get(consent)).headers.get('location'), '/dashboard/sign-in')
    const signedIn = await browser.submit('/dashboard/sign-in', { email: owner.email, password: owner.password })
    assert.equal(signedIn.headers.get('location'), consent)
    const page = await browser.get(consent)
    assert.match(page.text, /client\.example/)
    assert.match(page.headers.get('content-security-policy') ?? '', /form-action 'self' https:\/\/client\.example;/)
    const thief = await person(world)
    assert.equal((await thief.get(consent)).status, 410)
    assert.equal((await browser.post(consent, { decision: 'allow', scope: 'leads:read' })).status, 403)
    await world.close()
  })

  test('absent scopes are those of an agent, unknown ones are dropped, every address of ours is the MCP server', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const clientId = await registerClient(world)
    const cases: [Record<string, string | undefined>, RegExp][] = [
      [{ scope: undefined, resource: undefined }, /value="analytics:read"/],
      [{ scope: 'nonsense sessions:read openid', resource: baseUrl }, /value="sessions:read"/],
      [{ resource: `${baseUrl}/api/v1/mcp` }, /value="leads:read"/],
    ]
    for (const [change, expected] of cases) {
      const started = await browser.get(authorizePath(clientId, change))
      assert.match((await browser.get(pathOf(started))).text, expected)
    }
    const other = await browser.get(authorizePath(clientId, { resource: 'https://other.example/mcp' }))
    assert.equal(new URL(other.headers.get('location') ?? '').searchParams.get('error'), 'invalid_target')
    await world.close()
  })

  test('no PKCE, a wrong verifier, another redirect, another client: no token', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const [clientId, otherId] = [await registerClient(world), await registerClient(world)]
    const plain = await browser.get(authorizePath(clientId, { code_challenge: undefined, code_challenge_method: undefined }))
    assert.equal(new URL(plain.headers.get('location') ?? '').searchParams.get('error'), 'invalid_request')
    const elsewhere = await browser.get(authorizePath(clientId, { redirect_uri: 'https://evil.example/' }))
    assert.equal(elsewhere.status, 400)
    assert.match(elsewhere.text, /<h1>This request cannot go on<\/h1>/)
    const bad: [Record<string, string>, number][] = [
      [{ code_verifier: `${verifier}x` }, 400],
      [{ redirect_uri: 'https://client.example/other' }, 400],
      [{ client_id: otherId }, 400],
    ]
    for (const [change, status] of bad) {
      const code = (await decide(browser, authorizePath(clientId))).searchParams.get('code') ?? ''
      const answer = await exchange(world, { ...codeFields(clientId, code), ...change })
      assert.equal(answer.status, status, answer.text)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    }
    await world.close()
  })

  test('a client with a bad redirect is not registered', async () => {
    const world = authWorld((await open()).store)
    for (const uri of ['http://client.example/', 'javascript:alert(1)', 'https://a.example/#x']) {
      const answer = await world.browser().json('/oauth2/register', { redirect_uris: [uri] })
      assert.deepEqual([answer.status, membersOf(answer)['error']], [400, 'invalid_redirect_uri'])
    }
    await world.close()
  })
})
