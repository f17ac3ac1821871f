// What the API and tool suites ask of a server: one session, by HTTP and by tool, with the key of an operator.
import type { TestServer } from '../test/support/server.ts'
import type { Target } from './load.ts'

/** The limiter counts every call, and none is refused. */
export const benchEnv = { ROSTRUM_RATE_API: '1000000/1m', ROSTRUM_PLAN_SESSIONS: '1000000' }

export interface SessionTargets {
  sessionId: string
  get: Target
  post: Target
  modern: Target
  legacy: Target
}

export async function sessionTargets(server: TestServer): Promise<SessionTargets> {
  const key = await server.command('key', 'create', '--name', 'bench')
  const own = { pid: server.pid, port: Number(new URL(server.baseUrl).port) }
  const authorization = { Authorization: `Bearer ${key}` }
  const headers = { ...authorization, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ title: 'Bench', slides: [{ textContent: 'Bench\n- One' }] })
  const path = '/api/v1/agent/sessions'
  const created = await fetch(server.baseUrl + path, { method: 'POST', headers, body })
  const { sessionId } = (await created.json()) as { sessionId: string }
  const call = (meta: object) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_session', arguments: { sessionId }, ...meta } })
  const tool = { ...own, method: 'POST', path: '/mcp' }
  const toolHeaders = { ...headers, Accept: 'application/json, text/event-stream' }
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return {
    sessionId,
    get: { ...own, method: 'GET', path: `${path}/${sessionId}`, headers: authorization },
    post: { ...own, method: 'POST', path, headers, body },
    modern: {
      ...tool,
      headers: { ...toolHeaders, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'get_session' },
      body: call({ _meta: envelope }),
    },
    legacy: { ...tool, headers: { ...toolHeaders, 'MCP-Protocol-Version': '2025-11-25' }, body: call({}) },
  }
}
