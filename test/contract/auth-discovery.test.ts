// Spec 4.3 and 5.3: what a client finds with nothing but the base address.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { bareChallenge } from '../../server/accounts/authenticate.ts'
import { discoveryRoutes } from '../../server/agents/oauth/discovery.ts'
import { registerAgent, revokeCredential } from '../../server/agents/register.ts'
import { scopes } from '../../server/platform/principal.ts'
import { principalOf, refused } from '../auth/agents.ts'
import { address, authWorld, baseUrl, membersOf } from '../auth/support.ts'
import { openTestStore } from '../support/stores.ts'

const options = { baseUrl, title: 'Rostrum', agentTtlMs: 86_400_000, agentClaimedTtlMs: 90 * 86_400_000, anonymous: true }

async function read(path: string, { headers = {} }: { headers?: Record<string, string> } = {}) {
  const route = discoveryRoutes(options).find((candidate) => candidate.path === path)
  assert.ok(route, path)
  const request = new Request(baseUrl + path, { headers })
  const response = await route.handle({ request, params: {}, requestId: 'r', address, now: 0 })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('[4.3-2] each document of resource metadata names what it is for byte for byte, and the five scopes', async () => {
  const expected = {
    resource: baseUrl,
    resource_name: 'Rostrum',
    authorization_servers: [baseUrl],
    scopes_supported: ['sessions:read', 'sessions:write', 'analytics:read', 'leads:read', 'checkout:write'],
    bearer_methods_supported: ['header'],
    resource_documentation: `${baseUrl}/docs/mcp`,
  }
  assert.deepEqual(membersOf(await read('/.well-known/oauth-protected-resource')), expected)
  for (const path of ['/mcp', '/api/v1/mcp']) {
    const members = membersOf(await read(`/.well-known/oauth-protected-resource${path}`))
    assert.deepEqual(members, { ...expected, resource: baseUrl + path })
  }
  const server = membersOf(await read('/.well-known/oauth-authorization-server'))
  assert.deepEqual(server['protected_resources'], [baseUrl, `${baseUrl}/mcp`, `${baseUrl}/api/v1/mcp`])
})

test('[4.3-3] the server metadata carries the agent_auth block, and names nothing that does not answer', async () => {
  const members = membersOf(await read('/.well-known/oauth-authorization-server'))
  assert.equal(members['issuer'], baseUrl)
  const profile = z.record(z.string(), z.unknown()).parse(members['agent_auth'])
  assert.deepEqual(
    [profile['skill'], profile['register_uri'], profile['claim_uri'], profile['revocation_uri']],
    [`${baseUrl}/auth.md`, ...['register', 'claim', 'revoke'].map((act) => `${baseUrl}/api/v1/auth/${act}`)],
  )
  assert.deepEqual(profile['anonymous'], { credential_types_supported: ['access_token'] })
  assert.deepEqual(profile['identity_assertion'], {
    assertion_types_supported: ['urn:ietf:params:oauth:token-type:id-jag', 'verified_email'],
    credential_types_supported: ['access_token'],
  })
  assert.equal(members['token_endpoint'], `${baseUrl}/oauth2/token`)
  assert.deepEqual(membersOf(await read('/.well-known/openid-configuration')), members)
  assert.deepEqual(profile['identity_types_supported'], ['anonymous', 'identity_assertion', 'service_auth'])
  assert.deepEqual(profile['events_supported'], ['https://schemas.workos.com/events/agent/auth/identity/assertion/revoked'])
  assert.deepEqual(members['grant_types_supported'], [
    'authorization_code',
    'refresh_token',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'urn:workos:agent-auth:grant-type:claim',
  ])
  const endpoints = ['identity_endpoint', 'claim_endpoint', 'events_endpoint'].map((name) => String(profile[name]))
  const named = [...Object.values(members), ...endpoints].filter(
    (value): value is string => typeof value === 'string' && /\/oauth2\/|\/agent\//.test(value),
  )
  assert.equal(named.length, 7)
  const world = authWorld(await openTestStore())
  for (const endpoint of named)
    assert.ok(
      world.routes.some(({ path }) => endpoint === baseUrl + path),
      endpoint,
    )
  await world.close()
  await world.store.close()
})

test('documents are public, revalidated and readable from every origin', async () => {
  const first = await read('/auth.md')
  assert.equal(first.headers.get('content-type'), 'text/markdown; charset=utf-8')
  assert.equal(first.headers.get('access-control-allow-origin'), '*')
  assert.equal(first.headers.get('cache-control'), 'public, max-age=300')
  const again = await read('/auth.md', { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })
  assert.deepEqual([again.status, again.text], [304, ''])
})

test('every registration example of /auth.md is accepted as it stands, and the revocation ends it', async () => {
  const world = authWorld(await openTestStore())
  const { text } = await read('/auth.md')
  const example = /POST \S+\/auth\/register\n[^]*?\n\n(\{[^]*?\})\n```/.exec(text)?.[1] ?? ''
  const members = membersOf({ text: JSON.stringify(await world.call(registerAgent, { kind: 'nobody' }, JSON.parse(example))) })
  const shown = /```json\n(\{[^]*?\})\n```/.exec(text)?.[1] ?? ''
  assert.deepEqual(Object.keys(membersOf({ text: shown })), Object.keys(members))
  for (const scope of scopes) assert.ok(text.includes(`\`${scope}\``))
  const token = String(members['access_token'])
  await world.call(revokeCredential, { kind: 'nobody' }, { token })
  await assert.rejects(principalOf(world, token), refused('invalid_token'))
  await world.close()
  await world.store.close()
})

test('the bare challenge leads to the resource metadata', async () => {
  const address = /resource_metadata="([^"]+)"/.exec(bareChallenge(baseUrl))?.[1] ?? ''
  assert.equal((await read(new URL(address).pathname)).status, 200)
})
