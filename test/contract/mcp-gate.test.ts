// Who may send what (spec 5, 7): every method and tool, in both eras, at both addresses, and what a refusal looks like.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestService } from '../support/service.ts'
import { openService } from '../support/service.ts'
import { type Scope, scopes } from '../../server/platform/principal.ts'
import type { toolNames } from '../mcp/rpc.ts'
import { addresses, callTool, eras, post, rpc } from '../mcp/rpc.ts'

let app: TestService
before(async () => {
  app = await openService()
})
after(() => app.close())

const challenge = 'Bearer resource_metadata="https://rostrum.test/.well-known/oauth-protected-resource"'
const needs: Readonly<Record<(typeof toolNames)[number], Scope | 'nothing' | 'any'>> = {
  create_session: 'sessions:write',
  list_sessions: 'sessions:read',
  get_session: 'sessions:read',
  get_session_analytics: 'analytics:read',
  export_leads: 'leads:read',
  discover_sessions: 'nothing',
  pap_query_presenter: 'any',
  submit_attendee_lead: 'any',
}
const openMethods: readonly [string, Record<string, unknown>][] = [
  ['tools/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['prompts/list', {}],
  ['resources/read', { uri: 'service://docs/pap' }],
  ['server/discover', {}],
]
const credentialMethods: readonly [string, Record<string, unknown>][] = [
  ['prompts/get', { name: 'prepare_presentation_brief', arguments: { topic: 'Grids' } }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'prepare_presentation_brief' }, argument: { name: 'ctaGoal', value: '' } }],
]
const places = eras.flatMap((era) => addresses.map((path) => ({ era, path })))

test('open methods answer without a credential', async () => {
  for (const place of places) {
    for (const [method, params] of openMethods)
      assert.equal((await rpc(app, method, params, { ...place, token: null })).status, 200, method)
  }
})

test('prompts and completions need any credential', async () => {
  const key = await app.newKey({ scopes: [] })
  for (const place of places) {
    for (const [method, params] of credentialMethods) {
      const refused = await rpc(app, method, params, { ...place, token: null })
      assert.deepEqual([refused.status, refused.headers.get('www-authenticate')], [401, challenge])
      assert.equal((await rpc(app, method, params, { ...place, token: key })).status, 200)
    }
  }
})

for (const [tool, need] of Object.entries(needs)) {
  test(`${tool} needs ${need}`, async () => {
    const params = { name: tool, arguments: {} }
    const without = await app.newKey({ scopes: scopes.filter((scope) => scope !== need) })
    const exact = await app.newKey({ scopes: need === 'any' || need === 'nothing' ? [] : [need] })
    for (const place of places) {
      const nobody = await rpc(app, 'tools/call', params, { ...place, token: null })
      if (need === 'nothing') assert.equal(nobody.status, 200)
      else {
        assert.deepEqual([nobody.status, nobody.headers.get('www-authenticate')], [401, challenge])
        assert.deepEqual([nobody.message.id, nobody.message.error.code, nobody.message.error.data.code], [7, 401, 'invalid_token'])
      }
      if (need !== 'any' && need !== 'nothing') {
        const { status, message } = await rpc(app, 'tools/call', params, { ...place, token: without })
        const { isError, content, _meta: meta } = message.result
        assert.deepEqual([status, isError, meta['x-rostrum/error'].code], [200, true, 'insufficient_scope'])
        assert.match(content[0].text, new RegExp(`This needs ${need}`))
      }
      assert.equal((await rpc(app, 'tools/call', params, { ...place, token: exact })).status, 200)
    }
  })
}

test('a bad credential is refused on every method, the open ones too', async () => {
  for (const place of places) {
    for (const [method, params] of [...openMethods, ...credentialMethods]) {
      const { status, headers } = await rpc(app, method, params, { ...place, token: 'rst_live_wrong' })
      assert.equal(status, 401, method)
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer resource_metadata="[^"]+", error="invalid_token", error_description="/)
    }
  }
})

test('a cookie is never read', async () => {
  const { status } = await rpc(
    app,
    'tools/call',
    { name: 'list_sessions', arguments: {} },
    { token: null, headers: { Cookie: 'rostrum=x' } },
  )
  assert.equal(status, 401)
})

test('one message of a batch that may not be sent refuses the whole', async () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_sessions', arguments: {} } }
  assert.equal((await post(app, [list, call])).status, 401)
  const { body, status } = await post(app, [list, call], '/mcp', { Authorization: `Bearer ${app.key}` })
  assert.equal(status, 200)
  assert.deepEqual(body.map(({ id }: { id: number }) => id).toSorted(), [1, 2])
})

test('an unknown tool or method is unknown to everybody', async () => {
  for (const token of [null, app.key]) {
    for (const era of eras) {
      const tool = await rpc(app, 'tools/call', { name: 'nope', arguments: {} }, { era, token })
      assert.deepEqual([tool.status, tool.message.error.code], [200, -32_602])
      assert.match(tool.message.error.message, /tools\/list/)
      const method = await rpc(app, 'no/such', {}, { era, token })
      assert.deepEqual([method.status, method.message.error.code], [era === 'modern' ? 404 : 200, -32_601])
    }
  }
})

test('an object of another account is answered like an unknown id', async () => {
  const { body } = await app.api('POST', '/api/v1/agent/sessions', { title: 'Mine' })
  const stranger = await app.newKey()
  for (const name of ['get_session', 'get_session_analytics', 'export_leads']) {
    const ask = async (sessionId: unknown) =>
      JSON.stringify((await rpc(app, 'tools/call', { name, arguments: { sessionId } }, { token: stranger })).message.result)
    assert.equal(await ask(body.sessionId), await ask('0198c1d2-7a53-7c1e-9a40-000000000000'), name)
  }
})

test('with ROSTRUM_MCP_REQUIRE_AUTH every message needs a credential', async () => {
  const strict = await openService({ env: { ROSTRUM_MCP_REQUIRE_AUTH: '1' } })
  try {
    for (const [method, params] of openMethods) {
      assert.equal((await rpc(strict, method, params, { token: null })).status, 401)
      assert.equal((await rpc(strict, method, params)).status, 200)
    }
  } finally {
    await strict.close()
  }
})

test('responses have the limit of open methods, each of a batch: anybody could send them without end', async () => {
  const tight = await openService({ env: { ROSTRUM_RATE_DISCOVERY: '4/1m' } })
  try {
    const response = { jsonrpc: '2.0', id: 1, result: {} }
    assert.equal((await post(tight, [response, response, response])).status, 202)
    assert.equal((await post(tight, response)).status, 202)
    const over = await post(tight, response)
    assert.deepEqual([over.status, over.message.error.code], [429, 429])
  } finally {
    await tight.close()
  }
})

test('a call that is refused for its scopes tells an unclaimed agent how its person claims it', async () => {
  const registered = await app.request('/api/v1/auth/register', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'Scout', identity_type: 'anonymous' }),
  })
  const token = registered.body.access_token
  for (const era of eras) {
    const { content } = await callTool(app, 'export_leads', { sessionId: crypto.randomUUID() }, { era, token })
    assert.match(content[0].text, /needs leads:read.*claim_uri.*https:\/\/rostrum\.test\/api\/v1\/auth\/registration/)
  }
  for (let i = 0; i < 3; i++) await callTool(app, 'create_session', { title: `Trial ${i}` }, { token })
  const { content } = await callTool(app, 'create_session', { title: 'One more' }, { token })
  assert.match(content[0].text, /3 sessions.*do not come back with time.*https:\/\/rostrum\.test\/claim\//)
})

test('a call beyond the limit is a result that says how long to wait, in both eras, and the same call works then', async () => {
  const tight = await openService({ env: { ROSTRUM_RATE_API: '1/1m' } })
  try {
    for (const era of eras) {
      const token = await tight.newKey()
      const call = () => rpc(tight, 'tools/call', { name: 'list_sessions', arguments: {} }, { era, token })
      assert.deepEqual((await call()).message.result.structuredContent.sessions, [])
      const { status, headers, message } = await call()
      assert.deepEqual([status, message.result.isError, Number(headers.get('retry-after')) >= 1], [200, true, true])
      assert.match(message.result.content[0].text, /^Too many calls\. Try again in \d+ s\. The same call works then\.$/)
      assert.deepEqual(message.result._meta['x-rostrum/error'], { code: 'rate_limited', retryable: true })
      await tight.clock.advance(60_000)
      assert.deepEqual((await call()).message.result.structuredContent.sessions, [])
    }
  } finally {
    await tight.close()
  }
})

test('open methods have a limit by address, tools by credential', async () => {
  const tight = await openService({ env: { ROSTRUM_RATE_DISCOVERY: '2/1m', ROSTRUM_RATE_API: '3/1m' } })
  try {
    const list = () => rpc(tight, 'tools/list', {}, { token: null })
    await list()
    await list()
    const third = await list()
    assert.deepEqual([third.status, third.message.error.code], [429, 429])
    assert.ok(Number(third.headers.get('retry-after')) >= 1)
    const batch = [1, 2, 3, 4].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'list_sessions', arguments: {} } }))
    assert.equal((await post(tight, batch, '/mcp', { Authorization: `Bearer ${tight.key}` })).status, 429)
  } finally {
    await tight.close()
  }
})
