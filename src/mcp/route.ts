// The HTTP mount of the tool-protocol server (spec 4.5): guards, body, credential, gate, limit, and the split between the two
// eras of the protocol. The product and the conformance fixture are served by this same code.
import type { McpServer } from '@modelcontextprotocol/server'
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server'
import { isServiceError, ServiceError } from '../kernel/errors.ts'
import type { Limiter, Operation } from '../kernel/operation.ts'
import type { Principal } from '../kernel/principal.ts'
import { readBody } from './body.ts'
import { bucketOf, passGate, readMessage } from './gate.ts'
import type { Message } from './gate.ts'
import type { HostGuard } from './guard.ts'
import { exposedHeaders } from './guard.ts'
import { answerLegacy } from './legacy.ts'
import type { Refusals } from './refusals.ts'
import type { McpCall } from './server.ts'

export interface McpRequest {
  request: Request
  requestId: string
  address: string
  now: number
  /** The bearer's principal; throws `invalid_token` for a bad one. Cookies are never read here. */
  principal(): Promise<Principal>
}

export interface ServedCatalogue {
  /** The result of `server/discover`. */
  discovery: unknown
  /** Tools by their name. */
  operations: ReadonlyMap<string, Operation>
}

export interface MountOptions {
  build: (call: McpCall) => McpServer
  /** What the server says of itself; made on the first use. */
  catalogue: () => ServedCatalogue
  guard: HostGuard
  limiter: Limiter
  refusals: Refusals
  requireAuth: boolean
}

const bodyMaxBytes = 1_048_576
const batchMax = 20
const modernVersionHeader = 'mcp-protocol-version'

/** Serves one HTTP request of the protocol, whatever its method. Never throws. */
export function mountMcp(options: MountOptions): (incoming: McpRequest) => Promise<Response> {
  const calls = new WeakMap<Request, McpCall>()
  const modern = createMcpHandler(
    (context) => {
      const call = context.requestInfo === undefined ? undefined : calls.get(context.requestInfo)
      if (call === undefined) throw new Error('The protocol library did not pass the request on.')
      return options.build(call)
    },
    { legacy: 'reject' },
  )
  return async (incoming) => {
    const { request, requestId } = incoming
    const refused = options.guard.refuse(request)
    if (refused !== undefined) return options.refusals.guard(refused, requestId)
    if (request.method === 'OPTIONS') return options.guard.preflight(request)
    const response = await serve(incoming, options, calls, modern.fetch).catch((error: unknown) => options.refusals.bug(error, requestId))
    return withExposed(response, request, requestId, options)
  }
}

type Fetch = (request: Request, extra: { parsedBody: unknown }) => Promise<Response>

async function serve(incoming: McpRequest, options: MountOptions, calls: WeakMap<Request, McpCall>, modern: Fetch): Promise<Response> {
  const { request, requestId } = incoming
  const { refusals } = options
  if (request.method !== 'POST') return refusals.method(requestId)
  const body = await readBody(request, bodyMaxBytes)
  if (!body.ok) return refusals.body(body, requestId)
  const values = Array.isArray(body.value) ? body.value : [body.value]
  const id = idOf(values[0])
  const messages = values.map(readMessage)
  if (values.length === 0 || values.length > batchMax || !messages.every(isRequestLike(values))) return refusals.invalidRequest(requestId)
  const named = messages.filter((message): message is Message => message !== undefined)
  try {
    const principal = await incoming.principal()
    passGate(named, principal, options.catalogue().operations, options.requireAuth)
    const headers = await consume(named, principal, incoming, options)
    const call: McpCall = {
      principal,
      now: incoming.now,
      requestId,
      address: incoming.address,
      request,
      methods: named.map((message) => message.method),
    }
    const response = await answer(request, body.value, call, options, calls, modern)
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
    return response
  } catch (error) {
    if (isServiceError(error)) return refusals.service(error, id, requestId)
    throw error
  }
}

async function answer(
  request: Request,
  parsed: unknown,
  call: McpCall,
  options: MountOptions,
  calls: WeakMap<Request, McpCall>,
  modern: Fetch,
): Promise<Response> {
  // The library would call a discovery request without version or envelope a legacy unknown method.
  if (call.methods[0] === 'server/discover' && !Array.isArray(parsed) && isBare(request, parsed)) {
    return Response.json({ jsonrpc: '2.0', id: idOf(parsed), result: options.catalogue().discovery })
  }
  const lean = leanRequest(request)
  if (await isLegacyRequest(lean, parsed)) return answerLegacy(request, parsed, () => options.build(call))
  calls.set(lean, call)
  return modern(lean, { parsedBody: parsed })
}

/**
 * What the library reads of a request whose body it does not read. The signal of the whole object makes the server build a second
 * one; it is read where a client that has gone should stop the work.
 */
function leanRequest(request: Request): Request {
  const { method, url, headers } = request
  return { method, url, headers } as Request
}

/** Every message of the body pays for itself; the headers are those of the tightest answer, the last one consumed. */
async function consume(messages: readonly Message[], principal: Principal, incoming: McpRequest, options: MountOptions) {
  let headers: Readonly<Record<string, string>> = {}
  for (const message of messages) {
    const bucket = bucketOf(message, options.catalogue().operations)
    const verdict = await options.limiter.consume(bucket, { principal, address: incoming.address, now: incoming.now })
    headers = verdict.headers
    if (!verdict.allowed) {
      throw new ServiceError('rate_limited', `Too many calls. Try again in ${headers['Retry-After'] ?? '1'} s.`, { headers })
    }
  }
  return headers
}

/** Requests and notifications have a method; a response to a request of ours has none and is let through to be ignored. */
function isRequestLike(values: readonly unknown[]) {
  return (message: Message | undefined, index: number): boolean => {
    if (message !== undefined) return true
    const value = values[index]
    return typeof value === 'object' && value !== null && ('result' in value || 'error' in value)
  }
}

function isBare(request: Request, parsed: unknown): boolean {
  if (request.headers.has(modernVersionHeader)) return false
  const params = (parsed as { params?: unknown }).params
  return typeof params !== 'object' || params === null || !('_meta' in params)
}

function idOf(message: unknown): string | number | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null
  const { id } = message
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

function withExposed(response: Response, request: Request, requestId: string, { guard }: MountOptions): Response {
  response.headers.set('X-Request-Id', requestId)
  response.headers.set('Access-Control-Expose-Headers', exposedHeaders)
  for (const [name, value] of Object.entries(guard.corsHeaders(request))) response.headers.set(name, value)
  return response
}
