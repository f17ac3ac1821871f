// OAuth 2.1 as a strict client sees it (RFC 6749, 7591, 7636, 7009, 8414, 8707, 9207, 9728): `oauth4webapi` checks every answer of
// the listening server, and a browser without scripts goes through the consent page.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import type { FormBrowser } from '../auth/form-browser.ts'
import { formBrowser, signIn } from '../auth/form-browser.ts'
import type { TestServer } from '../support/server.ts'
import { startServer } from '../support/server.ts'

const owner = { email: 'maya@example.com', password: 'a quiet lake at dusk' }
const redirectUri = 'https://client.example/callback'
// The rule of https is the client's own; a test server has no certificate.
const plain = { [oauth.allowInsecureRequests]: true }

let server: TestServer
let as: oauth.AuthorizationServer
let resource: string
let maya: FormBrowser

before(async () => {
  server = await startServer({
    env: {
      ROSTRUM_OWNER_EMAIL: owner.email,
      ROSTRUM_OWNER_PASSWORD: owner.password,
      ROSTRUM_RATE_API: 'off',
      ROSTRUM_RATE_CLIENTS: 'off',
      ROSTRUM_RATE_PAGES: 'off',
    },
  })
  const mcp = new URL(`${server.baseUrl}/mcp`)
  const metadata = await oauth.processResourceDiscoveryResponse(mcp, await oauth.resourceDiscoveryRequest(mcp, plain))
  resource = metadata.resource
  const issuer = new URL(metadata.authorization_servers?.[0] ?? '')
  as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...plain, algorithm: 'oauth2' }))
  maya = formBrowser(server.baseUrl)
  await signIn(maya, owner)
})
after(() => server.stop())

async function register(change: Partial<oauth.Client> = {}): Promise<oauth.Client> {
  const wanted = { client_name: 'Connector', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none', ...change }
  return oauth.processDynamicClientRegistrationResponse(await oauth.dynamicClientRegistrationRequest(as, wanted, plain))
}

interface Asking {
  client: oauth.Client
  verifier: string
  state: string
  address: URL
}

async function ask(client: oauth.Client, change: Readonly<Record<string, string>> = {}): Promise<Asking> {
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  const address = new URL(as.authorization_endpoint ?? '')
  const parameters = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    scope: 'sessions:read leads:read',
    resource,
    ...change,
  }
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  return { client, verifier, state, address }
}

/** Allows what is asked; gives the address at the client. */
async function allow(browser: FormBrowser, asking: Asking): Promise<URL> {
  const page = await browser.open(asking.address.href)
  if (page.url.origin !== server.baseUrl) return page.url
  assert.equal(page.status, 200, page.text)
  const answer = await browser.submit(page, { decision: 'allow' })
  assert.equal(answer.url.origin + answer.url.pathname, redirectUri, answer.text)
  return answer.url
}

interface Exchange {
  verifier?: string
  redirect?: string
  resource?: string
  client?: oauth.Client
}

const send = (asking: Asking, back: URL, change: Exchange = {}) =>
  oauth.authorizationCodeGrantRequest(
    as,
    change.client ?? asking.client,
    oauth.None(),
    oauth.validateAuthResponse(as, asking.client, back, asking.state),
    change.redirect ?? redirectUri,
    change.verifier ?? asking.verifier,
    { ...plain, additionalParameters: { resource: change.resource ?? resource } },
  )

async function tokens(client: oauth.Client, browser = maya, wanted = resource): Promise<oauth.TokenEndpointResponse> {
  const asking = await ask(client, { resource: wanted })
  return oauth.processAuthorizationCodeResponse(as, client, await send(asking, await allow(browser, asking), { resource: wanted }))
}

async function refresh(client: oauth.Client, token: string | undefined, scope?: string): Promise<oauth.TokenEndpointResponse> {
  const options = { ...plain, ...(scope !== undefined && { additionalParameters: { scope } }) }
  const answer = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), token ?? '', options)
  return oauth.processRefreshTokenResponse(as, client, answer)
}

const refused = (error: string) => (thrown: unknown) => {
  assert.ok(thrown instanceof oauth.ResponseBodyError, String(thrown))
  assert.deepEqual([thrown.error, thrown.status], [error, 400])
  return true
}

const statusOf = async (token: string) =>
  (await oauth.protectedResourceRequest(token, 'GET', new URL(`${server.baseUrl}/api/v1/agent/sessions`), undefined, undefined, plain))
    .status
const isDead = async (token: string) =>
  assert.rejects(statusOf(token), (error) => error instanceof oauth.WWWAuthenticateChallengeError && error.status === 401)

test('a client finds everything by discovery, is allowed on the consent page, and its token works in the account of the person', async () => {
  assert.equal(as.issuer, server.baseUrl)
  assert.equal(resource, `${server.baseUrl}/mcp`)
  const issued = await tokens(await register())
  assert.deepEqual([issued.token_type, issued.expires_in, issued.scope], ['bearer', 3_600, 'sessions:read leads:read'])
  assert.equal(await statusOf(issued.access_token), 200)
})

const listing = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_sessions', arguments: {} } })
const json = () => new Headers({ 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' })
const places = [
  ['/mcp', 'POST', listing],
  ['/api/v1/mcp', 'POST', listing],
  ['/api/v1/agent/sessions', 'GET', undefined],
] as const

test('a strict client accepts the document that every challenge names, and the own document of the address', async () => {
  const discovered = async (resourceUrl: URL, answer: Promise<Response>) =>
    (await oauth.processResourceDiscoveryResponse(resourceUrl, await answer)).resource
  for (const [path, method, body] of places) {
    const address = new URL(server.baseUrl + path)
    const [challenge] = await oauth.protectedResourceRequest('none', method, address, json(), body, plain).then(
      () => assert.fail(`${path} took a token that is none`),
      (error: unknown) => {
        assert.ok(error instanceof oauth.WWWAuthenticateChallengeError, String(error))
        return error.cause
      },
    )
    const named = challenge?.parameters.resource_metadata ?? ''
    assert.equal(named, `${server.baseUrl}/.well-known/oauth-protected-resource`)
    const whole = await discovered(new URL(server.baseUrl), fetch(named))
    assert.ok(address.href.startsWith(whole), `${whole} does not hold ${address.href}`)
    if (method === 'POST') assert.equal(await discovered(address, oauth.resourceDiscoveryRequest(address, plain)), address.href)
  }
})

test('a token for any resource that a document names is good at every address', async () => {
  const client = await register()
  for (const wanted of as.protected_resources as unknown as string[]) {
    const { access_token: token } = await tokens(client, maya, wanted)
    for (const [path, method, body] of places) {
      const answer = await oauth.protectedResourceRequest(token, method, new URL(server.baseUrl + path), json(), body, plain)
      assert.equal(answer.status, 200, `${wanted} at ${path}: ${await answer.clone().text()}`)
      assert.match(await answer.text(), /sessions/)
    }
  }
})

test('a tool that needs more than was allowed is answered by a challenge, from which a client asks for the rest', async () => {
  const { access_token: token } = await tokens(await register())
  const call = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'create_session', arguments: { title: 'X' } },
  })
  await assert.rejects(oauth.protectedResourceRequest(token, 'POST', new URL(resource), json(), call, plain), (error) => {
    assert.ok(error instanceof oauth.WWWAuthenticateChallengeError, String(error))
    const { error: code, scope } = error.cause[0]?.parameters ?? {}
    assert.deepEqual([error.status, code, scope], [403, 'insufficient_scope', 'sessions:write'])
    return true
  })
})

test('every answer to the client carries iss, and the client refuses one without it', async () => {
  const client = await register()
  const asking = await ask(client)
  const page = await maya.open(asking.address.href)
  const denied = await maya.submit(page, { decision: 'deny' })
  assert.equal(denied.url.searchParams.get('iss'), server.baseUrl)
  assert.throws(() => oauth.validateAuthResponse(as, client, denied.url, asking.state), oauth.AuthorizationResponseError)
  const again = await ask(client)
  const back = await allow(maya, again)
  const bare = new URL(back)
  bare.searchParams.delete('iss')
  assert.throws(() => oauth.validateAuthResponse(as, client, bare, again.state))
  assert.throws(() => oauth.validateAuthResponse(as, client, back, oauth.generateRandomState()))
})

test('a refresh rotates and may narrow, never widen; a spent one ends the whole family', async () => {
  const client = await register()
  const first = await tokens(client)
  const second = await refresh(client, first.refresh_token, 'sessions:read')
  assert.equal(second.scope, 'sessions:read')
  assert.notEqual(second.refresh_token, first.refresh_token)
  await assert.rejects(refresh(client, second.refresh_token, 'sessions:read checkout:write'), refused('invalid_scope'))
  const third = await refresh(client, second.refresh_token)
  assert.equal(await statusOf(third.access_token), 200)
  await assert.rejects(refresh(client, first.refresh_token), refused('invalid_grant'))
  for (const { access_token } of [first, second, third]) await isDead(access_token)
  await assert.rejects(refresh(client, third.refresh_token), refused('invalid_grant'))
})

test('a code is good once, and its second use ends what the first gave', async () => {
  const asking = await ask(await register())
  const back = await allow(maya, asking)
  const issued = await oauth.processAuthorizationCodeResponse(as, asking.client, await send(asking, back))
  await assert.rejects(
    async () => oauth.processAuthorizationCodeResponse(as, asking.client, await send(asking, back)),
    refused('invalid_grant'),
  )
  await isDead(issued.access_token)
})

test('revoking either token ends the whole family, and an unknown token is no error', async () => {
  const client = await register()
  const revoke = async (token: string) =>
    oauth.processRevocationResponse(await oauth.revocationRequest(as, client, oauth.None(), token, plain))
  for (const pick of ['access_token', 'refresh_token'] as const) {
    const issued = await tokens(client)
    const other = await tokens(client)
    await revoke(issued[pick] ?? '')
    await isDead(issued.access_token)
    await assert.rejects(refresh(client, issued.refresh_token), refused('invalid_grant'))
    assert.equal(await statusOf(other.access_token), 200, 'another consent of the same client lives on')
  }
  await revoke('no-token-of-ours')
})

const wrong: Readonly<Record<string, readonly [string, () => Promise<Exchange>]>> = {
  'another verifier': ['invalid_grant', async () => ({ verifier: oauth.generateRandomCodeVerifier() })],
  'another redirect address': ['invalid_grant', async () => ({ redirect: 'https://client.example/other' })],
  'another resource': ['invalid_target', async () => ({ resource: 'https://other.example/mcp' })],
  'another client': ['invalid_grant', async () => ({ client: await register() })],
}
for (const [name, [error, change]] of Object.entries(wrong)) {
  test(`a code with ${name} gives no token`, async () => {
    const asking = await ask(await register())
    const answer = await send(asking, await allow(maya, asking), await change())
    await assert.rejects(oauth.processAuthorizationCodeResponse(as, asking.client, answer), refused(error))
  })
}

test('a request for a foreign resource, without PKCE or with PKCE in clear goes back as an error; a foreign redirect stays here', async () => {
  const client = await register()
  for (const [change, error] of [
    [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    [{ code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
  ] as const) {
    const { url } = await maya.open((await ask(client, change)).address.href)
    assert.equal(url.origin + url.pathname, redirectUri)
    assert.deepEqual([url.searchParams.get('error'), url.searchParams.get('iss')], [error, server.baseUrl])
  }
  for (const redirect_uri of [
    'https://evil.example/callback',
    `${redirectUri}/`,
    `${redirectUri}?x=1`,
    'https://client.example:444/callback',
  ]) {
    const page = await maya.open((await ask(client, { redirect_uri })).address.href)
    assert.deepEqual([page.status, page.url.origin], [400, server.baseUrl])
  }
})

test('the second person on one browser is asked anew, and what they allow is theirs alone', async () => {
  const browser = formBrowser(server.baseUrl)
  await signIn(browser, owner)
  const client = await register()
  const first = await tokens(client, browser)
  const invited = await browser.api('POST', '/api/v1/account/invitations', { email: 'noor@example.com', role: 'member' })
  assert.equal(invited.status, 201, invited.text)
  const noor = formBrowser(server.baseUrl)
  const { url } = JSON.parse(invited.text) as { url: string }
  await noor.submit(await noor.open(url), { name: 'Noor', password: 'seven green umbrellas' })

  // The provider's own cookies stay in the browser; only our sign-in is somebody else's now.
  const asking = await ask(client)
  await browser.open(asking.address.href)
  browser.cookies.set('rostrum', noor.cookies.get('rostrum') ?? '')
  const page = await browser.open((await ask(client)).address.href)
  assert.match(page.url.pathname, /^\/oauth2\/consent\//)
  const second = await tokens(client, browser)

  const apps = async (person: FormBrowser) => {
    const answer = await person.api('GET', '/api/v1/account/apps')
    return (JSON.parse(answer.text) as { apps: { id: string }[] }).apps.map(({ id }) => id)
  }
  const [own] = await apps(noor)
  assert.equal((await apps(noor)).length, 1)
  assert.ok(!(await apps(maya)).includes(own ?? ''))
  assert.equal((await noor.api('DELETE', `/api/v1/account/apps/${own}`)).status, 204)
  await isDead(second.access_token)
  assert.equal(await statusOf(first.access_token), 200)
})
