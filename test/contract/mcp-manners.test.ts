// What clients do that the protocol does not ask of them (spec 4.5): one form of answer only, null for nothing, parameters of
// another type, a slash at the end. They are served, or told what to mend.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { TestService } from '../support/service.ts'
import { openService } from '../support/service.ts'
import { addresses, envelope, eras, modernHeaders, post, rpc } from '../mcp/rpc.ts'

let app: TestService
before(async () => {
  app = await openService({ env: { ROSTRUM_RATE_API: 'off', ROSTRUM_RATE_DISCOVERY: 'off', ROSTRUM_RATE_PAP: 'off' } })
})
after(() => app.close())

const query = { name: 'pap_query_presenter', arguments: { message: 'What is here?' } }

test('a client that takes JSON alone gets JSON, whatever it asks to be told', async () => {
  for (const era of eras) {
    for (const accept of ['application/json', '*/*', '']) {
      const options = { era, headers: { Accept: accept }, meta: { progressToken: 'p' } }
      const { headers, message, messages } = await rpc(app, 'tools/call', query, options)
      assert.match(headers.get('content-type') ?? '', /^application\/json/, `${era} ${accept}`)
      assert.equal(messages.length, 1)
      assert.ok(message.result.structuredContent.reply.length > 0)
    }
  }
})

test('a client that takes event streams alone gets one, with one event', async () => {
  for (const era of eras) {
    for (const [method, params] of [
      ['tools/list', {}],
      ['tools/call', query],
      ['server/discover', {}],
    ] as const) {
      const { headers, messages } = await rpc(app, method, params, { era, headers: { Accept: 'text/event-stream' } })
      assert.match(headers.get('content-type') ?? '', /^text\/event-stream/, `${era} ${method}`)
      assert.equal(messages.length, 1)
      assert.ok(messages[0].result !== undefined)
    }
    const refused = await rpc(app, 'tools/call', query, { era, token: null, headers: { Accept: 'text/event-stream' } })
    assert.deepEqual([refused.status, refused.message.error.code], [401, 401])
  }
})

test('a member that is null counts as left out', async () => {
  for (const era of eras) {
    const call = await rpc(app, 'tools/call', { name: 'list_sessions', arguments: null }, { era })
    assert.deepEqual(call.message.result.structuredContent.sessions, [])
    assert.equal((await rpc(app, 'tools/list', { cursor: null }, { era })).message.result.tools.length, 8)
  }
})

test('parameters of another type are -32602 and say which member to mend', async () => {
  for (const era of eras) {
    for (const [method, params, words] of [
      ['tools/call', {}, /`params\.name`/],
      ['tools/call', { name: 'list_sessions', arguments: [] }, /`params\.arguments`/],
      ['tools/list', { cursor: 5 }, /`params\.cursor`/],
      ['prompts/get', { name: 'prepare_presentation_brief', arguments: { topic: 5 } }, /`params\.arguments\.topic`/],
      ['resources/read', {}, /`params\.uri`/],
      ['completion/complete', {}, /`params\.ref`.*`params\.argument`/],
    ] as const) {
      const { status, message } = await rpc(app, method, params, { era })
      assert.deepEqual([status, message.id, message.error.code], [200, 7, -32_602], method)
      assert.match(message.error.message, words)
    }
  }
  const { message } = await rpc(app, 'initialize', { protocolVersion: 5 }, { era: 'legacy' })
  assert.equal(message.error.code, -32_602)
  assert.match(message.error.message, /`params\.protocolVersion`.*`params\.capabilities`/)
})

test('no parameters whatever bring out an internal error or a dump of a schema', async () => {
  const methods = [
    'initialize',
    'tools/list',
    'tools/call',
    'prompts/get',
    'resources/read',
    'completion/complete',
    'server/discover',
    'ping',
  ]
  const member = fc.oneof(
    fc.constantFrom('name', 'arguments', 'uri', 'cursor', 'ref', 'argument', 'protocolVersion', 'capabilities', 'clientInfo'),
    fc.string({ maxLength: 5 }),
  )
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('list_sessions', 'rehearse_presentation', 'service://docs/pap'))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...methods),
      fc.constantFrom(...eras),
      fc.dictionary(member, value, { maxKeys: 4 }),
      async (method, era, params) => {
        const { status, text, message } = await rpc(app, method, params, { era })
        assert.ok(status < 500, text)
        assert.notEqual(message?.error?.code, -32_603, text)
        assert.doesNotMatch(text, /invalid_type|invalid_union|\\"path\\"/)
      },
    ),
    { numRuns: 300 },
  )
})

test('a batch is answered by an array, however few of its messages want an answer', async () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
  assert.deepEqual((await post(app, [ping, note])).body, [{ jsonrpc: '2.0', id: 1, result: {} }])
  assert.deepEqual((await post(app, [ping])).body, [{ jsonrpc: '2.0', id: 1, result: {} }])
  assert.deepEqual((await post(app, ping)).body, { jsonrpc: '2.0', id: 1, result: {} })
  const silent = await post(app, [note, note])
  assert.deepEqual([silent.status, silent.text], [202, ''])
  const params = { _meta: envelope }
  const modern = await post(app, [{ ...ping, method: 'tools/list', params }], '/mcp', modernHeaders('tools/list', params))
  assert.deepEqual([modern.status, modern.message.error.code], [400, -32_600])
})

test('an address that ends with a slash is the same address', async () => {
  for (const path of addresses) {
    const { message } = await rpc(app, 'tools/list', {}, { path: `${path}/`, token: null })
    assert.equal(message.result.tools.length, 8)
    assert.equal((await app.request(`${path}/`)).status, 405)
    const { status } = await rpc(
      app,
      'tools/call',
      { name: 'list_sessions' },
      { path: `${path}/`, token: null, headers: { Cookie: 'rostrum=x' } },
    )
    assert.equal(status, 401)
  }
})

test('the request that the documentation shows is answered as it stands', async () => {
  const { text } = await app.request('/docs/mcp.md')
  const [, body = ''] = /-d '(\{.*\})'/.exec(text) ?? []
  assert.match(text, /curl https:\/\/rostrum\.test\/mcp -H "Content-Type: application\/json"/)
  const { message } = await post(app, body, '/mcp', { Accept: '*/*' })
  assert.deepEqual(message.result.structuredContent.sessions, [])
})
