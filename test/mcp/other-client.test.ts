// A client by other hands than the protocol's own (`@ai-sdk/mcp`), in both eras over HTTP and over standard input and output:
// it lists everything, calls all eight tools with results that hold to their output schemas, and reads the views as a host does.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { MCPClient } from '@ai-sdk/mcp'
import { createMCPClient, mcpAppClientCapabilities, MCPClientError, readMCPAppResource, splitMCPAppTools } from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { TestServer } from '../support/server.ts'
import { startServer } from '../support/server.ts'
import { slides, toolNames } from './rpc.ts'

const main = join(import.meta.dirname, '../../server/main.ts')
const folder = mkdtempSync(join(tmpdir(), 'rostrum-other-client-'))

let server: TestServer
let key: string
before(async () => {
  server = await startServer()
  key = await server.command('key', 'create', '--name', 'other client')
})
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const http = (token: string | undefined = key) => ({
  type: 'http' as const,
  url: `${server.baseUrl}/mcp`,
  ...(token === '' ? {} : { headers: { Authorization: `Bearer ${token}` } }),
})
const stdio = (dataDir: string) =>
  new StdioTransport({
    command: process.execPath,
    args: [main, 'mcp'],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      ROSTRUM_LOG: 'warn',
      ROSTRUM_DATA_DIR: dataDir,
      ROSTRUM_BASE_URL: server.baseUrl,
    },
  })

const ways = [
  ['HTTP, newer era', true, () => http()],
  ['HTTP, older era', false, () => http()],
  ['standard input and output', true, () => stdio(mkdtempSync(join(folder, 'own-')))],
  ['the bridge', true, () => stdio(server.dataDir)],
  ['the bridge, older era', false, () => stdio(server.dataDir)],
] as const

for (const [way, discovers, transport] of ways) {
  test(`over ${way}, the other client calls all eight tools with valid results`, async () => {
    const client = await createMCPClient({ transport: transport(), protocolVersionDiscovery: discovers })
    try {
      // It gives a process one second to answer its first question, and then speaks as in the older era.
      if (way.startsWith('HTTP')) assert.equal(client.initializeResult.protocolVersion, discovers ? '2026-07-28' : '2025-11-25')
      assert.equal(client.serverInfo.name, 'service-mcp-server')
      await useEverything(client)
    } finally {
      await client.close()
    }
  })
}

async function useEverything(client: MCPClient): Promise<void> {
  const { tools } = await client.listTools()
  assert.deepEqual(
    tools.map(({ name }) => name),
    toolNames,
  )
  const used = new Set<string>()
  const call = async (name: (typeof toolNames)[number], args: Record<string, unknown>) => {
    used.add(name)
    const result = await client.callTool({ name, arguments: args })
    assert.notEqual(result.isError, true, JSON.stringify(result))
    const schema = tools.find((tool) => tool.name === name)?.outputSchema ?? {}
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
    assert.ok(validate(result.structuredContent), `${name}: ${JSON.stringify(validate.errors)}`)
    // oxlint-disable-next-line typescript/no-explicit-any
    return result.structuredContent as any
  }
  const { id: sessionId } = await call('create_session', { title: 'Grid storage', isLive: true, slides })
  assert.ok((await call('list_sessions', {})).count >= 1)
  assert.equal((await call('get_session', { sessionId })).slidesCount, 2)
  assert.ok((await call('discover_sessions', { query: 'grid' })).total >= 1)
  assert.match((await call('pap_query_presenter', { sessionId, message: 'What does a kilowatt hour cost?' })).reply, /90 euros/)
  assert.equal((await call('submit_attendee_lead', { sessionId, email: 'maya@example.com' })).success, true)
  assert.equal((await call('export_leads', { sessionId })).leads.length, 1)
  assert.equal((await call('get_session_analytics', { sessionId })).totalAttendees, 0)
  assert.deepEqual([...used].toSorted(), [...toolNames].toSorted())

  assert.equal((await client.listResources()).resources.length, 7)
  const { resourceTemplates } = await client.listResourceTemplates()
  assert.deepEqual(
    resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ['service://docs/spec/{part}'],
  )
  assert.equal((await client.listPrompts()).prompts.length, 3)
  const prompt = await client.getPrompt({ name: 'rehearse_presentation', arguments: { sessionId } })
  assert.match(JSON.stringify(prompt.messages), /Grid storage/)
  const refused = await client.callTool({ name: 'get_session', arguments: { sessionId: 'nope' } })
  assert.equal(refused.isError, true)
}

describe('as a host of MCP Apps', () => {
  test('it finds the five tools with a view, and reads each view with its policy', async () => {
    const client = await createMCPClient({ transport: http(), capabilities: mcpAppClientCapabilities })
    try {
      const definitions = await client.listTools()
      const uris = definitions.tools.flatMap(({ _meta: meta }) => (meta?.['ui'] as { resourceUri: string } | undefined)?.resourceUri ?? [])
      assert.equal(uris.length, 5)
      // No tool of ours is for views alone: a model may call every one.
      assert.deepEqual(
        splitMCPAppTools(definitions).modelVisible.tools.map(({ name }) => name),
        toolNames,
      )
      for (const uri of uris) {
        const { html, mimeType, meta } = await readMCPAppResource({ client, uri })
        assert.equal(mimeType, 'text/html;profile=mcp-app')
        assert.match(html, /^<!doctype html>/i)
        assert.deepEqual(meta?.csp, { resourceDomains: [server.baseUrl], connectDomains: [] })
      }
    } finally {
      await client.close()
    }
  })
})

test('without a credential it looks around, and a call that needs one is refused as unauthorized', async () => {
  const client = await createMCPClient({ transport: http('') })
  try {
    assert.equal((await client.listTools()).tools.length, 8)
    assert.notEqual((await client.callTool({ name: 'discover_sessions', arguments: {} })).isError, true)
    await assert.rejects(client.callTool({ name: 'list_sessions', arguments: {} }), (error) => {
      assert.ok(MCPClientError.isInstance(error))
      assert.equal(error.code, 401)
      assert.match(error.message, /credential/)
      return true
    })
  } finally {
    await client.close()
  }
})
