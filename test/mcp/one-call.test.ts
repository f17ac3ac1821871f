// The short way of a plain request (docs/decisions/010) says what the library's own entries say, for whatever a client may send:
// where it takes a request at all, its answer is theirs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMcpHandler } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { z } from 'zod'
import { ServiceError } from '../../src/kernel/errors.ts'
import { open, operation, reads } from '../../src/kernel/operation.ts'
import { createCatalogue } from '../../src/mcp/catalogue.ts'
import { answerLegacy } from '../../src/mcp/legacy.ts'
import { plainRequest } from '../../src/mcp/plain-request.ts'
import { textOf } from '../../src/mcp/results.ts'
import type { McpCall } from '../../src/mcp/server.ts'
import { buildServer } from '../../src/mcp/server.ts'
import { envelope, modernVersion } from './rpc.ts'

const baseUrl = 'http://localhost'

const echo = operation({
  name: 'echo_tool',
  area: 'test',
  summary: 'Say it again',
  access: open,
  effects: reads,
  limit: 'discovery',
  errors: ['not_found'],
  input: z.object({ words: z.string().max(5).optional() }),
  async run({ words }, _call, _deps: null) {
    if (words === '') throw new ServiceError('not_found', 'There are no words.')
    if (words === 'bug') throw new Error('secret')
    return { words }
  },
  tool: { title: 'Echo', description: 'Says it again.', output: z.looseObject({}), view: (result) => result },
})

const catalogue = createCatalogue({ operations: [echo.bind(null)], prompts: [], resources: [], title: 'Test', baseUrl })

function build(methods: readonly string[]) {
  const call: McpCall = { principal: { kind: 'nobody' }, now: 0, requestId: 'r', address: '::1', methods }
  const sessions = { find: async () => ({ ids: [], total: 0 }) }
  return buildServer(call, { catalogue, sessions, baseUrl, layouts: null, progressOf: () => [], onBug: () => undefined })
}

const often = (usual: unknown, ...odd: unknown[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, fc.constantFrom<unknown>(...odd))
const absent = Symbol('absent')
const present = (members: Record<string, unknown>) => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== absent))

const methods = ['tools/list', 'prompts/list', 'resources/list', 'resources/read', 'prompts/get', 'completion/complete', 'ping', 'no/such']
const meta = fc
  .record({
    'io.modelcontextprotocol/protocolVersion': often(modernVersion, absent, '2025-11-25', '2027-01-01', 5),
    'io.modelcontextprotocol/clientInfo': often(envelope['io.modelcontextprotocol/clientInfo'], absent, null, { name: 1 }, 'x'),
    'io.modelcontextprotocol/clientCapabilities': often({}, absent, null, [], { elicitation: 5 }),
    other: often(absent, null, { a: 1 }),
  })
  .map(present)
const params = fc
  .record({
    name: often('echo_tool', absent, 'no_tool', null, 5, ''),
    arguments: often({ words: 'hello' }, absent, null, [], 'x', { words: '' }, { words: 'bug' }, { words: 'too long' }, { words: null }),
    uri: often(absent, 'service://no', 5),
    cursor: often(absent, null, 'x', 5),
    _meta: fc.oneof(
      { weight: 6, arbitrary: meta },
      { weight: 4, arbitrary: fc.constantFrom<unknown>(absent) },
      fc.constantFrom<unknown>(null, [], 'x', { progressToken: 1 }),
    ),
    requestState: often(absent, 'x', 5),
  })
  .map(present)
const message = fc
  .record({
    jsonrpc: often('2.0', absent, '1.0', 2),
    id: often(7, absent, null, 'seven', 7.5, {}),
    method: often('tools/call', ...methods, 5, absent),
    params: fc.oneof({ weight: 6, arbitrary: params }, fc.constantFrom<unknown>(absent, null, [], 'x')),
    extra: often(absent, 1),
  })
  .map(present)
const version = fc.constantFrom<unknown>(modernVersion, modernVersion, '2025-11-25', '2024-11-05', absent, 'x')
const header = (usual: string) => often(usual, absent, 'x', '2025-11-25', `${usual}x`)

async function entryOfLibrary(sent: unknown, headers: Readonly<Record<string, string>>, isModern: boolean, names: readonly string[]) {
  if (isModern) {
    const { fetch } = createMcpHandler(() => build(names), { legacy: 'reject' })
    const response = await fetch(new Request(`${baseUrl}/mcp`, { method: 'POST', headers }), { parsedBody: sent })
    return { status: response.status, message: await response.json() }
  }
  const request = {
    method: 'POST',
    host: 'localhost',
    header: (name: string) => headers[name],
    headers: () => new Headers(headers),
    bytes: async () => new Uint8Array(),
    signal: new AbortController().signal,
    requestId: 'r',
    address: '::1',
    now: 0,
    principal: async () => ({ kind: 'nobody' }) as const,
  }
  const { status, body } = await answerLegacy(request, sent, false, () => build(names))
  return { status, message: typeof body === 'string' ? JSON.parse(body) : body }
}

test('a request that takes the short way is answered as the library answers it', async () => {
  const taken = { modern: 0, legacy: 0 }
  const property = fc.asyncProperty(
    message,
    version,
    header('tools/call'),
    header('echo_tool'),
    async (sent, versionSent, method, name) => {
      const given = present({ 'mcp-protocol-version': versionSent, 'mcp-method': method, 'mcp-name': name }) as Record<string, string>
      const headers = { ...given, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const plain = plainRequest(sent, { header: (wanted) => given[wanted] })
      if (plain === undefined) return
      const names = [plain.message.method]
      const answer = await build(names).answer(plain.message, plain.revision)
      if (answer === undefined) return
      const isModern = plain.revision !== undefined
      taken[isModern ? 'modern' : 'legacy']++
      const { status, message: theirs } = await entryOfLibrary(sent, headers, isModern, names)
      assert.deepEqual(JSON.parse(textOf(answer)), theirs)
      assert.equal(status, 200)
    },
  )
  await fc.assert(property, { numRuns: 5_000 })
  assert.ok(taken.modern > 50 && taken.legacy > 50, `few requests took it: ${JSON.stringify(taken)}`)
})

test('a call as clients send it takes the short way, in both eras', async () => {
  const call = { jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'echo_tool', arguments: { words: 'hi' } } }
  const headers = { 'mcp-protocol-version': modernVersion, 'mcp-method': 'tools/call', 'mcp-name': 'echo_tool' }
  const modern = plainRequest({ ...call, params: { ...call.params, _meta: envelope } }, { header: (name) => headers[name as 'mcp-name'] })
  const legacy = plainRequest(call, { header: () => undefined })
  for (const plain of [modern, legacy]) {
    assert.ok(plain)
    const answer = await build(['tools/call']).answer(plain.message, plain.revision)
    assert.ok(answer !== undefined && 'result' in answer)
    assert.deepEqual(answer.result['structuredContent'], { words: 'hi' })
  }
})
