// Reads the request that nearly every client sends: one call of a usual method, in the form the protocol asks for, that wants one
// JSON answer. Whatever is odd about any other is left to the library, which judges it and finds the words (docs/decisions/010).
import type { JSONRPCRequest } from '@modelcontextprotocol/server'
import { PROTOCOL_VERSION_META_KEY, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import type { MessageCall } from '../kernel/message.ts'

export const modernRevision = '2026-07-28'

export interface PlainRequest {
  message: JSONRPCRequest
  /** Of the modern era; undefined for the older one. */
  revision: string | undefined
}

/** By method: the member that the `Mcp-Name` header repeats, where there is one. */
const usual: ReadonlyMap<string, string | undefined> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tools/list', undefined],
  ['resources/list', undefined],
  ['resources/templates/list', undefined],
  ['prompts/list', undefined],
  ['completion/complete', undefined],
])

const memberNames: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params'])
const olderVersions: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS)

type Members = Readonly<Record<string, unknown>>

export function plainRequest(parsed: unknown, request: Pick<MessageCall, 'header'>): PlainRequest | undefined {
  if (!isMembers(parsed) || parsed['jsonrpc'] !== '2.0' || !isId(parsed['id'])) return undefined
  const { method, params = {} } = parsed
  if (typeof method !== 'string' || !usual.has(method) || !isMembers(params)) return undefined
  for (const name in parsed) if (!memberNames.has(name)) return undefined
  const { _meta: meta = {} } = params
  if (!isMembers(meta) || 'progressToken' in meta || 'inputResponses' in params || 'requestState' in params) return undefined
  // Its members are those of a request, as the lines above have seen.
  const message = parsed as unknown as JSONRPCRequest
  const version = request.header('mcp-protocol-version')
  if (!(PROTOCOL_VERSION_META_KEY in meta)) {
    return version === undefined || olderVersions.has(version) ? { message, revision: undefined } : undefined
  }
  if (meta[PROTOCOL_VERSION_META_KEY] !== modernRevision || version !== modernRevision || request.header('mcp-method') !== method)
    return undefined
  const repeated = usual.get(method)
  if (repeated !== undefined && (typeof params[repeated] !== 'string' || request.header('mcp-name') !== params[repeated])) return undefined
  return { message, revision: modernRevision }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isId(value: unknown): boolean {
  return typeof value === 'string' || Number.isSafeInteger(value)
}
