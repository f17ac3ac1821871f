// JSON-RPC as clients of both eras send it, through the real HTTP app.
import type { Answer, TestService } from '../support/service.ts'

export const modernVersion = '2026-07-28'
export const eras = ['modern', 'legacy'] as const
export type Era = (typeof eras)[number]
export const addresses = ['/mcp', '/api/v1/mcp'] as const

export interface RpcOptions {
  era?: Era
  path?: string
  /** null: no credential. The service's key where absent. */
  token?: string | null
  headers?: Readonly<Record<string, string>>
  /** Members of `params._meta` beside the envelope. */
  meta?: Readonly<Record<string, unknown>>
}

export interface Rpc extends Answer {
  /** Of the JSON answer, or of the last message of a stream. */
  // Tests read members of answers whose shape they assert.
  // oxlint-disable-next-line typescript/no-explicit-any
  message: any
  /** Every message of a stream; the one of a JSON answer. */
  // oxlint-disable-next-line typescript/no-explicit-any
  messages: any[]
}

export const envelope = {
  'io.modelcontextprotocol/protocolVersion': modernVersion,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** The headers that the modern era wants to agree with the body. */
export function modernHeaders(method: string, params: Readonly<Record<string, unknown>>): Record<string, string> {
  const name = params['name'] ?? params['uri']
  return {
    'MCP-Protocol-Version': modernVersion,
    'Mcp-Method': method,
    ...(typeof name === 'string' && /^(tools\/call|prompts\/get|resources\/read)$/.test(method) ? { 'Mcp-Name': name } : {}),
  }
}

export async function rpc(
  app: Pick<TestService, 'request' | 'key'>,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  { era = 'modern', path = '/mcp', token = app.key, headers = {}, meta = {} }: RpcOptions = {},
): Promise<Rpc> {
  const isModern = era === 'modern'
  const allMeta = { ...(isModern ? envelope : {}), ...meta }
  const sent = Object.keys(allMeta).length === 0 ? params : { ...params, _meta: allMeta }
  return post(app, { jsonrpc: '2.0', id: 7, method, params: sent }, path, {
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
    ...(isModern ? modernHeaders(method, params) : {}),
    ...headers,
  })
}

/** Any body at all; a string goes as it is. */
export async function post(
  app: Pick<TestService, 'request'>,
  body: unknown,
  path = '/mcp',
  headers: Readonly<Record<string, string>> = {},
): Promise<Rpc> {
  const answer = await app.request(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  const messages = isStream
    ? [...answer.text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data) as unknown)
    : answer.body === undefined
      ? []
      : [answer.body as unknown]
  return { ...answer, messages, message: messages.at(-1) }
}

/** Calls a tool; throws where the protocol refuses. */
export async function callTool(
  app: Pick<TestService, 'request' | 'key'>,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  options: RpcOptions = {},
  // oxlint-disable-next-line typescript/no-explicit-any
): Promise<any> {
  const { message, status, text } = await rpc(app, 'tools/call', { name, arguments: args }, options)
  if (message?.result === undefined) throw new Error(`${name} answered ${status}: ${text}`)
  return message.result
}

export const toolNames = [
  'create_session',
  'list_sessions',
  'get_session',
  'get_session_analytics',
  'export_leads',
  'discover_sessions',
  'pap_query_presenter',
  'submit_attendee_lead',
] as const

export const slides = [
  { textContent: 'Grid storage\n- A battery stores four hours of power\n- It answers within one second', agentNotes: 'SECRET-NOTE-17' },
  { textContent: 'Cost\n- A kilowatt hour costs 90 euros', agentNotes: 'SECRET-NOTE-17' },
]
