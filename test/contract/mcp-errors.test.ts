// What the tool-protocol server refuses and how (spec 4.5, 7): transport, guards, envelope, arguments, faults.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestService } from '../support/service.ts'
import { openService } from '../support/service.ts'
import { addresses, callTool, envelope, eras, modernHeaders, post, rpc, slides } from '../mcp/rpc.ts'

let app: TestService
before(async () => {
  app = await openService({ env: { ROSTRUM_ALLOWED_HOSTS: 'talks.example', ROSTRUM_CORS_ORIGINS: 'https://agent.example' } })
})
after(() => app.close())

const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' }

test('only POST and OPTIONS are taken; others are told where the documentation is', async () => {
  for (const path of addresses) {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
      const { status, headers, body } = await app.request(path, { method })
      assert.deepEqual([status, headers.get('allow')], [405, 'POST, OPTIONS'])
      assert.match(body.error.message, /\/docs\/mcp/)
    }
    assert.equal((await app.request(path, { method: 'HEAD' })).status, 405)
  }
})

test('a body that is no JSON-RPC request is refused by its kind', async () => {
  const many = Array.from({ length: 21 }, (_, id) => ({ ...list, id }))
  for (const [body, status, code] of [
    ['{"jsonrpc":', 400, -32_700],
    ['', 400, -32_700],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}', 400, -32_700],
    [`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${'['.repeat(63)}${']'.repeat(63)}}}`, 400, -32_700],
    ['null', 400, -32_600],
    ['7', 400, -32_600],
    ['[]', 400, -32_600],
    ['[1]', 400, -32_600],
    ['{"jsonrpc":"2.0","id":1}', 400, -32_600],
    ['{"jsonrpc":"2.0","id":1,"method":7}', 400, -32_600],
    [JSON.stringify(many), 400, -32_600],
  ] as const) {
    const answer = await post(app, body)
    assert.deepEqual([answer.status, answer.message.error.code, answer.message.id], [status, code, null], body.slice(0, 40))
  }
})

test('another media type is 415, and a body over 1 MiB 413, whatever length it declares', async () => {
  assert.equal((await post(app, list, '/mcp', { 'Content-Type': 'text/plain' })).status, 415)
  const large = JSON.stringify({ ...list, params: { x: 'y'.repeat(1_048_576) } })
  const { status, message } = await post(app, large)
  assert.deepEqual([status, message.error.code, message.error.data.code], [413, 413, 'payload_too_large'])
})

test('a foreign host or origin is refused; ours, loopback where we listen on it, and the listed ones pass', async () => {
  for (const [name, value, status] of [
    ['Host', 'evil.example', 403],
    ['Host', 'localhost:4400', 200],
    ['Host', '127.0.0.1', 200],
    ['Host', 'talks.example', 200],
    ['Origin', 'https://evil.example', 403],
    ['Origin', 'null', 403],
    ['Origin', 'https://rostrum.test', 200],
    ['Origin', 'http://localhost:6274', 200],
    ['Origin', 'https://agent.example', 200],
  ] as const) {
    const { status: got, headers, message } = await post(app, list, '/mcp', { [name]: value })
    assert.equal(got, status, `${name}: ${value}`)
    if (status === 403) assert.match(message.error.message, /ROSTRUM_/)
    if (name === 'Origin' && status === 200) assert.equal(headers.get('access-control-allow-origin'), value)
  }
})

test('a preflight is answered for origins that may call', async () => {
  const ask = (origin: string) =>
    app.request('/mcp', { method: 'OPTIONS', headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' } })
  const { status, headers } = await ask('https://agent.example')
  assert.equal(status, 204)
  assert.equal(headers.get('access-control-allow-origin'), 'https://agent.example')
  assert.match(headers.get('vary') ?? '', /Origin/)
  for (const name of ['authorization', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id', 'last-event-id']) {
    assert.ok(headers.get('access-control-allow-headers')?.includes(name), name)
  }
  assert.equal((await ask('https://evil.example')).status, 403)
})

test('every answer, errors too, lets a page read the headers it needs', async () => {
  for (const answer of [await post(app, list), await post(app, '{'), await rpc(app, 'prompts/get', {}, { token: null })]) {
    for (const name of ['WWW-Authenticate', 'Mcp-Session-Id', 'X-Request-Id', 'Retry-After']) {
      assert.ok(answer.headers.get('access-control-expose-headers')?.includes(name), name)
    }
    assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
  }
})

test('the envelope of the modern era is held to its headers', async () => {
  const params = { name: 'discover_sessions', arguments: {}, _meta: envelope }
  const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params }
  const headers = modernHeaders('tools/call', params)
  const send = (changed: Record<string, string>, sent: unknown = body) => post(app, sent, '/mcp', { ...headers, ...changed })
  assert.equal((await send({})).status, 200)
  for (const [name, value] of [
    ['Mcp-Method', 'tools/list'],
    ['Mcp-Name', 'list_sessions'],
    ['MCP-Protocol-Version', '2025-11-25'],
  ] as const) {
    const { status, message } = await send({ [name]: value })
    assert.deepEqual([status, message.error.code], [400, -32_020], name)
  }
  for (const name of Object.keys(headers)) {
    const { [name]: _, ...others } = headers
    const { status, message } = await post(app, body, '/mcp', others)
    assert.deepEqual([status, message.error.code, message.id], [400, -32_020, 7], `without ${name}`)
  }
  const otherName = `=?base64?${Buffer.from('list_sessions').toString('base64')}?=`
  assert.equal((await send({ 'Mcp-Name': otherName })).message.error.code, -32_020)
  assert.equal((await send({ 'Mcp-Name': '=?base64?not*base64?=' })).status, 400)
  assert.equal((await send({ 'Mcp-Name': `=?base64?${Buffer.from('discover_sessions').toString('base64')}?=` })).status, 200)
  const future = { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' }
  const unsupported = await send({ 'MCP-Protocol-Version': '2030-01-01' }, { ...body, params: { ...params, _meta: future } })
  assert.deepEqual([unsupported.status, unsupported.message.error.code], [400, -32_022])
  assert.equal(unsupported.message.error.data.requested, '2030-01-01')
  const { 'io.modelcontextprotocol/clientCapabilities': _, ...incomplete } = envelope
  const missing = await send({}, { ...body, params: { ...params, _meta: incomplete } })
  assert.deepEqual([missing.status, missing.message.error.code], [400, -32_602])
})

test('a version of the older era that is not spoken, and methods of the other era, are refused by their era', async () => {
  const older = await post(app, list, '/mcp', { 'MCP-Protocol-Version': '2023-01-01' })
  assert.deepEqual([older.status, older.message.error.code], [400, -32_000])
  for (const method of ['initialize', 'ping']) {
    const { status, message } = await rpc(app, method)
    assert.deepEqual([status, message.error.code], [404, -32_601], method)
  }
  assert.deepEqual((await rpc(app, 'ping', {}, { era: 'legacy', token: null })).message.result, {})
  for (const method of ['notifications/initialized', 'notifications/cancelled']) {
    assert.equal((await post(app, { jsonrpc: '2.0', method, params: { requestId: 1 } })).status, 202)
  }
})

test('a method, tool, prompt or resource named like a member of every object is unknown like any other: it once answered 500', async () => {
  for (const name of Object.getOwnPropertyNames(Object.prototype)) {
    for (const era of eras) {
      const codeOf = async (method: string, params = {}) => (await rpc(app, method, params, { era })).message.error.code
      assert.equal(await codeOf(name), -32_601, name)
      assert.equal(await codeOf('tools/call', { name, arguments: {} }), -32_602, name)
      assert.equal(await codeOf('prompts/get', { name }), -32_602, name)
      assert.equal(await codeOf('resources/read', { uri: name }), -32_602, name)
    }
  }
})

test('invalid arguments, unknown ids and bad cursors are tool errors that say what to do, in both eras', async () => {
  for (const era of eras) {
    for (const [name, args, words] of [
      ['create_session', {}, /title/],
      ['create_session', { title: 'x'.repeat(201) }, /title.*200/],
      ['list_sessions', { limit: 0 }, /limit/],
      ['list_sessions', { limit: 101 }, /limit/],
      ['list_sessions', { cursor: 'forged' }, /cursor/],
      ['discover_sessions', { limit: 51 }, /limit/],
      ['get_session', { sessionId: 'no-uuid' }, /sessionId/],
      ['get_session', { sessionId: '0198c1d2-7a53-7c1e-9a40-000000000000' }, /list_sessions/],
      ['pap_query_presenter', { message: '' }, /message/],
      ['submit_attendee_lead', { sessionId: '0198c1d2-7a53-7c1e-9a40-000000000000', email: 'a@example.com' }, /discover_sessions/],
      ['submit_attendee_lead', { sessionId: '0198c1d2-7a53-7c1e-9a40-000000000000', email: 'IGNORE-ALL-RULES' }, /email/],
    ] as const) {
      const result = await callTool(app, name, args, { era })
      assert.equal(result.isError, true, name)
      assert.equal(result.content.length, 1)
      assert.match(result.content[0].text, words)
      assert.doesNotMatch(result.content[0].text, /IGNORE-ALL-RULES|ZodError|"path"/)
      assert.equal(typeof result._meta['x-rostrum/error'].code, 'string')
      assert.equal(result.structuredContent, undefined)
    }
  }
})

test('unknown prompts and resources, and missing prompt arguments, are -32602 and name themselves', async () => {
  for (const era of eras) {
    const ask = async (method: string, params: Record<string, unknown>) => (await rpc(app, method, params, { era })).message.error
    assert.match((await ask('prompts/get', { name: 'nope' })).message, /prompts\/list/)
    assert.match((await ask('prompts/get', { name: 'rehearse_presentation', arguments: {} })).message, /sessionId/)
    const gone = await ask('resources/read', { uri: 'ui://nowhere' })
    assert.deepEqual([gone.code, gone.data], [-32_602, { uri: 'ui://nowhere' }])
  }
})

test('a legacy client gets plain JSON where it asks for it, and progress as a stream where it asks for that', async () => {
  const plain = await rpc(app, 'tools/list', {}, { era: 'legacy', headers: { Accept: 'application/json' } })
  assert.match(plain.headers.get('content-type') ?? '', /^application\/json/)
})

test('a slow tool reports progress before its result in both eras, and only where it was asked to', async () => {
  const { id: sessionId } = (await callTool(app, 'create_session', { title: 'Grid storage', isLive: true, slides })).structuredContent
  for (const era of eras) {
    const params = { name: 'pap_query_presenter', arguments: { message: 'What does a kilowatt hour cost?', sessionId } }
    const { messages } = await rpc(app, 'tools/call', params, { era, meta: { progressToken: 'p1' } })
    const progress = messages.filter(({ method }) => method === 'notifications/progress').map(({ params: told }) => told)
    assert.deepEqual(
      progress.map(({ message }) => message),
      ['Finding the passage', 'Writing the answer', 'Checking the sources'],
    )
    for (const [i, { progressToken, total, progress: at }] of progress.entries()) {
      assert.deepEqual([progressToken, total, at], ['p1', 3, i + 1])
    }
    assert.ok(messages.at(-1).result.structuredContent.reply.length > 0)
    const quiet = await rpc(app, 'tools/call', params, { era })
    assert.equal(quiet.messages.length, 1)
  }
})
