// Spec 4.2, 5 and 7 on a real socket: headers byte for byte, credentials sent twice or in the address, cookies with their proof.
import assert from 'node:assert/strict'
import { request as rawRequest } from 'node:http'
import { after, before, test } from 'node:test'
import { bareChallenge, challengeFor, invalidTokenChallenge } from '../../server/accounts/authenticate.ts'
import { discoveryRoutes } from '../../server/agents/oauth/discovery.ts'
import { accountDeclarations, authDeclarations } from '../../server/agents/operations.ts'
import { ensureOwner } from '../../server/accounts/sign-in.ts'
import type { AuthWorld } from '../auth/support.ts'
import { authWorld, baseUrl, membersOf, owner, wideRates } from '../auth/support.ts'
import type { TestHttp } from '../support/http.ts'
import { openHttp, problem } from '../support/http.ts'
import { openTestStore } from '../support/stores.ts'

let world: AuthWorld
let surface: TestHttp
let origin: string

before(async () => {
  world = authWorld(await openTestStore())
  const { settings } = world.deps
  surface = await openHttp({
    options: {
      operations: [...authDeclarations, ...accountDeclarations].map((declared) => declared.bind(world.deps)),
      routes: [...world.routes, ...discoveryRoutes(settings)],
      authenticate: world.authenticator.authenticate,
      challenge: (error) => challengeFor(error, baseUrl),
      limiter: world.deps.limiter,
      clock: world.clock,
    },
  })
  origin = `http://127.0.0.1:${await surface.http.listen()}`
})

after(async () => {
  await surface.http.close(0)
  await surface.store.close()
  await world.close()
  await world.store.close()
})

const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
})
const newAgent = { client_name: 'Sales Copilot', identity_type: 'anonymous' }
const read = async (response: Response) => membersOf({ text: await response.text() })

test('[5.3-1] [5.3-2] 401 has the bare challenge without a credential, and says invalid_token with a bad one', async () => {
  const bare = await fetch(`${origin}/api/v1/auth/claim`, json({ claim_id: 'BDFK-RTWX' }))
  assert.equal(bare.headers.get('www-authenticate'), bareChallenge(baseUrl))
  await problem(bare, 401, 'invalid_token')
  const bad = await fetch(`${origin}/api/v1/auth/claim`, json({ claim_id: 'BDFK-RTWX' }, { Authorization: 'Bearer nope' }))
  assert.equal(bad.headers.get('www-authenticate'), invalidTokenChallenge(baseUrl))
  await problem(bad, 401, 'invalid_token')
})

test('two Authorization headers are 400, whichever comes first', async () => {
  const { access_token: token } = await read(await fetch(`${origin}/api/v1/auth/register`, json(newAgent)))
  const status = await new Promise((resolve, reject) => {
    const headers = ['Authorization', `Bearer ${String(token)}`, 'Authorization', 'Bearer nope', 'Host', 'x']
    const sent = rawRequest(`${origin}/api/v1/account`, { headers }, (response) => resolve(response.resume().statusCode))
    sent.once('error', reject).end()
  })
  assert.equal(status, 400)
})

test('a credential in the address is 400', async () => {
  await problem(await fetch(`${origin}/api/v1/account?access_token=x`), 400, 'invalid_request')
})

test('registering ignores a dead credential and an Idempotency-Key, and is never stored', async () => {
  const headers = { Authorization: 'Bearer dead', 'Idempotency-Key': 'same' }
  const [one, two] = [
    await fetch(`${origin}/api/v1/auth/register`, json(newAgent, headers)),
    await fetch(`${origin}/api/v1/auth/register`, json(newAgent, headers)),
  ]
  assert.deepEqual([one.status, two.status], [200, 200])
  assert.equal(one.headers.get('cache-control'), 'no-store')
  assert.notEqual((await read(one))['access_token'], (await read(two))['access_token'])
})

test('revoking takes a form as RFC 7009 has it, and JSON', async () => {
  for (const encode of [
    (token: string) => new URLSearchParams({ token, token_type_hint: 'access_token' }),
    (token: string) => JSON.stringify({ token }),
  ]) {
    const { access_token: token } = await read(await fetch(`${origin}/api/v1/auth/register`, json(newAgent)))
    const body = encode(String(token))
    const headers = { 'Content-Type': typeof body === 'string' ? 'application/json' : 'application/x-www-form-urlencoded' }
    const revoked = await read(await fetch(`${origin}/api/v1/auth/revoke`, { method: 'POST', headers, body }))
    assert.deepEqual([revoked['status'], revoked['token_revoked']], ['revoked', true])
  }
  await problem(await fetch(`${origin}/api/v1/auth/revoke`, json({})), 400, 'invalid_request')
})

test('the cookie of a sign-in makes a key only with the token of its page', async () => {
  await ensureOwner(world.deps, owner, world.clock.now())
  const signedIn = await fetch(`${origin}/dashboard/sign-in`, json({ email: owner.email, password: owner.password }))
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const csrf = String((await read(signedIn))['csrf'])
  const path = `${origin}/api/v1/account/keys`
  await problem(await fetch(path, json({ name: 'CI' }, { Cookie: cookie })), 403, 'csrf_failed')
  await problem(
    await fetch(path, json({ name: 'CI' }, { Cookie: cookie, 'X-CSRF-Token': csrf, Origin: 'https://evil.example' })),
    403,
    'csrf_failed',
  )
  const made = await fetch(path, json({ name: 'CI' }, { Cookie: cookie, 'X-CSRF-Token': csrf, Origin: baseUrl }))
  assert.equal(made.status, 201)
  assert.equal(made.headers.get('cache-control'), 'no-store')
  const key = String((await read(made))['key'])
  await problem(await fetch(path, { headers: { Authorization: `Bearer ${key}`, Cookie: cookie } }), 403, 'sign_in_required')
  const failed = await fetch(`${origin}/dashboard/sign-in`, json({ email: owner.email, password: 'a wrong password' }))
  assert.equal(failed.headers.get('www-authenticate'), null)
  await problem(failed, 401, 'sign_in_failed')
})

test('pages keep their own strict headers behind the surface', async () => {
  const page = await fetch(`${origin}/dashboard/sign-in`, { headers: { Accept: 'text/html' } })
  assert.equal(page.status, 200)
  assert.match(
    page.headers.get('content-security-policy') ?? '',
    /^default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; /,
  )
  assert.equal(page.headers.get('cache-control'), 'no-store')
  assert.equal((await fetch(`${origin}/claim/unknown`, { headers: { Accept: 'text/html' } })).status, 404)
})

test('the OAuth endpoints that discovery names answer, with JSON errors of RFC 6749 alone', async () => {
  const metadata = await read(await fetch(`${origin}/.well-known/oauth-authorization-server`))
  const at = (name: string) => origin + new URL(String(metadata[name])).pathname
  const client = await read(
    await fetch(at('registration_endpoint'), json({ redirect_uris: ['https://client.example/cb'], client_name: 'X' })),
  )
  assert.equal(typeof client['client_id'], 'string')
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: String(client['client_id']),
    code: 'x',
    code_verifier: 'x'.repeat(43),
  })
  const token = await fetch(at('token_endpoint'), { method: 'POST', body: form, headers: { Accept: 'text/html' } })
  assert.deepEqual([token.status, token.headers.get('cache-control')], [400, 'no-store'])
  const failed = await read(token)
  assert.deepEqual(Object.keys(failed), ['error', 'error_description'])
  assert.equal(failed['error'], 'invalid_grant')
  assert.equal((await fetch(at('jwks_uri'))).status, 200)
  const authorize = await fetch(`${at('authorization_endpoint')}?client_id=unknown`, {
    headers: { Accept: 'text/html' },
    redirect: 'manual',
  })
  assert.equal(authorize.status, 400)
  assert.match(authorize.headers.get('content-security-policy') ?? '', /default-src 'none'/)
})

test('a forged Host changes no address that is handed out', async () => {
  const headers = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'http', Forwarded: 'host=evil.example' }
  const agent = await read(await fetch(`${origin}/api/v1/auth/register`, json(newAgent, headers)))
  assert.ok(String(agent['claim_uri']).startsWith(`${baseUrl}/claim/`))
  const client = await read(await fetch(`${origin}/oauth2/register`, json({ redirect_uris: ['https://client.example/cb'] })))
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: String(client['client_id']),
    redirect_uri: 'https://client.example/cb',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  })
  const started = await fetch(`${origin}/oauth2/authorize?${query.toString()}`, { headers, redirect: 'manual' })
  assert.equal(started.status, 303)
  assert.ok(!JSON.stringify([...started.headers]).includes('evil'))
})

test('what is answered 403, 404 or 405 takes nothing of the registrations of an address', async () => {
  const strict = authWorld(await openTestStore(), { rates: { ...wideRates, register: { count: 2, windowMs: 3_600_000 } } })
  const { deps, routes, authenticator } = strict
  const at = await openHttp({
    options: {
      operations: [...authDeclarations, ...accountDeclarations].map((declared) => declared.bind(deps)),
      routes,
      authenticate: authenticator.authenticate,
      challenge: (error) => challengeFor(error, baseUrl),
      limiter: deps.limiter,
      clock: strict.clock,
    },
  })
  const send = async (path: string, init = json(newAgent)) => (await at.request(path, init)).status
  const statuses: number[] = []
  for (let i = 0; i < 5; i++) {
    statuses.push(await send('/api/v1/auth/register/'), await send('/api/v1/auth/registers'), await send('/agent/identities'))
    statuses.push(await send('/api/v1/auth/register', { method: 'GET' }), await send('/claim/AAAAAAAAAAAAAAAAAAAAAA', { method: 'GET' }))
    statuses.push(await send('/api/v1/account/keys', json({ name: 'K' }, { Cookie: 'rostrum=x' })))
  }
  assert.deepEqual(new Set(statuses), new Set([401, 404, 405]))
  const { access_token: token } = await read(await at.request('/api/v1/auth/register', json(newAgent)))
  // A live agent that asks for what it may not have.
  const forbidden = json({ name: 'K' }, { Authorization: `Bearer ${String(token)}` })
  for (let i = 0; i < 5; i++) assert.equal(await send('/api/v1/account/keys', forbidden), 403)
  assert.deepEqual([await send('/api/v1/auth/register'), await send('/api/v1/auth/register')], [200, 429])
  await at.store.close()
  await strict.close()
  await strict.store.close()
})
