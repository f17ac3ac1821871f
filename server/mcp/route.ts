// The HTTP mount of the tool-protocol server (spec 4.5): guards, body, credential, gate, limit, and the split between the two
// eras of the protocol. The product and the conformance fixture are served by this same code.
import {
  createMcpHandler,
  isLegacyRequest,
  type JSONRPCRequest,
  type McpServer,
  PerRequestHTTPServerTransport,
  PROTOCOL_VERSION_META_KEY,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
import { isServiceError, ServiceError } from '@rostrum/base/errors'
import type { RateBucket } from '../config/config.ts'
import { type Access, admit, anyCredential, type Call, checkVerdict, type Limiter, open, type Operation } from '../platform/operation.ts'
import type { Principal } from '../platform/principal.ts'
import { exposedHeaders, type HostGuard, type HttpCall, inAcceptedForm, readBody, type Refusals, takesStream } from './exchange.ts'
import type { Catalogue } from './catalogue.ts'
import type { McpCall } from './server.ts'

// Who may send which message: the scope of the operation behind it, before the protocol library sees the request.

interface Message {
  method: string
  /** Of `tools/call`. */
  tool: string | undefined
}

/** The member names that matter of one JSON-RPC message; undefined where it is none. */
function readMessage(value: unknown): Message | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { method, params } = value as { method?: unknown; params?: unknown }
  if (typeof method !== 'string') return undefined
  const name = typeof params === 'object' && params !== null ? (params as { name?: unknown }).name : undefined
  return { method, tool: method === 'tools/call' && typeof name === 'string' ? name : undefined }
}

const withCredential: ReadonlySet<string> = new Set(['prompts/get', 'completion/complete'])

/** What the message needs. Unknown methods and tools need nothing: they are answered as unknown to everybody. */
export function accessOf({ method, tool }: Message, operations: ReadonlyMap<string, Operation>): Access<Principal> {
  if (withCredential.has(method)) return anyCredential
  const operation = tool === undefined ? undefined : operations.get(tool)
  return operation?.access ?? open
}

/** The bucket that pays for the message: the operation's own, or the one of open methods, which pays for a response too. */
function bucketOf(message: Message | undefined, operations: ReadonlyMap<string, Operation>): RateBucket {
  if (message === undefined) return 'discovery'
  const { method, tool } = message
  if (withCredential.has(method)) return 'api'
  return (tool === undefined ? undefined : operations.get(tool)?.limit) ?? 'discovery'
}

/** Throws the first refusal among `messages`; with `requireAuth` even an open one needs a credential. */
export function passGate(
  messages: readonly Message[],
  call: Pick<Call, 'principal' | 'address' | 'now' | 'requestId'>,
  { operations, requireAuth, limiter }: { operations: ReadonlyMap<string, Operation>; requireAuth: boolean; limiter: Limiter },
): void {
  if (requireAuth) admit(anyCredential, call, limiter)
  for (const message of messages) admit(accessOf(message, operations), call, limiter)
}

// Requests of the 2025 era and older. The library's own handler for them always frames a stream and refuses clients that ask for plain
// JSON, and some clients break on either. So each message is an exchange by the library's transport for one, as in the modern era.

const legacyVersions: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS)
const unsupportedVersion = -32000

/** Answers with JSON, or with a stream once there is something to tell before the result; a batch with an array. */
async function answerLegacy(request: Request, parsed: unknown, build: () => McpServer | Server, refusals: Refusals): Promise<Response> {
  const version = request.headers.get(versionHeader)
  const isHandshake = !Array.isArray(parsed) && readMessage(parsed)?.method === 'initialize'
  if (!isHandshake && version !== null && !legacyVersions.has(version)) {
    const known = [...legacyVersions].join(', ')
    return refusals.malformed(
      unsupportedVersion,
      `The protocol version of \`MCP-Protocol-Version\` is not supported: send one of ${known}.`,
    )
  }
  if (!Array.isArray(parsed)) return exchanged(request, parsed, build(), takesStream(request) ? 'auto' : 'json')
  if (parsed.some((message) => readMessage(message)?.method === 'initialize')) return refusals.invalidRequest()
  const answers = await Promise.all(parsed.map((message) => exchanged(request, message, build(), 'json')))
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  const told = texts.filter((text) => text !== '')
  if (told.length === 0) return new Response(null, { status: 202 })
  return new Response(`[${told.join(',')}]`, { headers: { 'Content-Type': 'application/json' } })
}

/** One message and its answer. The library has classified it: a request, a notification, or a response that nobody waits for. */
async function exchanged(request: Request, message: unknown, server: McpServer | Server, responseMode: 'auto' | 'json'): Promise<Response> {
  const transport = new PerRequestHTTPServerTransport({ classification: { era: 'legacy' }, responseMode })
  await server.connect(transport)
  const answer = await transport.handleMessage(message as JSONRPCRequest, { request }).catch((error: unknown) => {
    if (request.signal.aborted) return new Response(null, { status: 499 })
    throw error
  })
  if (answer.status === 202) queueMicrotask(() => void server.close().catch(() => undefined))
  // The older era answers a method that it does not know as it answers one that it knows.
  return answer.status === 404 ? new Response(answer.body, { headers: answer.headers }) : answer
}

export interface MountOptions {
  build: (call: McpCall) => McpServer | Server
  /** What the server says of itself; made on the first use. */
  catalogue: () => Pick<Catalogue, 'operations'> & { discovery: unknown }
  guard: HostGuard
  limiter: Limiter
  refusals: Refusals
  requireAuth: boolean
}

const bodyMaxBytes = 1_048_576
const batchMax = 20
const versionHeader = 'mcp-protocol-version'

/** Serves one HTTP request of the protocol, whatever its method. Never throws. */
export function mountMcp(options: MountOptions): (incoming: HttpCall) => Promise<Response> {
  const calls = new WeakMap<Request, McpCall>()
  const modern = createMcpHandler(
    (context) => {
      const call = context.requestInfo === undefined ? undefined : calls.get(context.requestInfo)
      if (call === undefined) throw new Error('The protocol library did not pass the request on.')
      return options.build(call)
    },
    { legacy: 'reject' },
  )
  const library: Library = async ({ request }, parsed, call) => {
    if (!claimsModern(parsed) && (await isLegacyRequest(request, parsed)))
      return answerLegacy(request, parsed, () => options.build(call), options.refusals)
    calls.set(request, call)
    return modern.fetch(request, { parsedBody: parsed })
  }
  return async (incoming) => {
    const { request, requestId } = incoming
    const refused = options.guard.refuse(request)
    if (refused !== undefined) return options.refusals.service(new ServiceError('forbidden', refused), null, requestId)
    if (request.method === 'OPTIONS') return options.guard.preflight(request)
    const answer = await serve(incoming, options, library).catch((error: unknown) => options.refusals.bug(error, requestId))
    const own = { 'Access-Control-Expose-Headers': exposedHeaders, ...options.guard.corsHeaders(request) }
    for (const [name, value] of Object.entries(own)) answer.headers.set(name, value)
    return answer
  }
}

/** What the protocol library makes of a request. */
type Library = (incoming: HttpCall, parsed: unknown, call: McpCall) => Promise<Response>

async function serve(incoming: HttpCall, options: MountOptions, library: Library): Promise<Response> {
  const { request, requestId, address, now } = incoming
  const { refusals } = options
  let id: string | number | null = null
  try {
    if (request.method !== 'POST')
      throw new ServiceError('method_not_allowed', 'Send JSON-RPC by POST: {base_url}/docs/mcp shows how.', {
        headers: { Allow: 'POST, OPTIONS' },
      })
    const body = await readBody(incoming, bodyMaxBytes)
    if (body.fault !== undefined) return refusals.parse(body.fault)
    const values = Array.isArray(body.value) ? body.value : [body.value]
    id = idOf(values[0])
    const messages = values.map(readMessage)
    if (values.length === 0 || values.length > batchMax || !messages.every(isRequestLike(values))) return refusals.invalidRequest()
    const named = messages.filter((message): message is Message => message !== undefined)
    const principal = await incoming.principal()
    const { operations } = options.catalogue()
    const admitted = async () => {
      passGate(named, { principal, now, address, requestId }, { ...options, operations })
      return { headers: await consume(messages, principal, incoming, options), refusal: undefined }
    }
    const { headers, refusal } = await admitted().catch((error: unknown) => {
      const isOneCall = !Array.isArray(body.value) && operations.has(named[0]?.tool ?? '')
      if (!isOneCall || !isServiceError(error) || !isForModel(error, principal)) throw error
      return { headers: error.extra.headers ?? {}, refusal: error }
    })
    const methods = named.map((message) => message.method)
    const call: McpCall = { principal, now, requestId, address, request, methods, isDeaf: !takesStream(request), refusal }
    const answer = await inAcceptedForm(request, await answered(incoming, body.value, call, options, library))
    for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value)
    return answer
  } catch (error) {
    if (isServiceError(error)) return refusals.service(error, id, requestId)
    throw error
  }
}

/**
 * A status of HTTP other than 200 is an exception in most clients, of which their model reads nothing. So a call that is refused for now, or
 * to this credential, is answered by a result with the words. 401 stays, from which clients find the way to a credential, and so does
 * the challenge to a client that has signed in and can ask for more.
 */
function isForModel({ code, status }: ServiceError, { kind }: Principal): boolean {
  return status === 429 || (status === 403 && !(code === 'insufficient_scope' && kind === 'oauth'))
}

async function answered(incoming: HttpCall, parsed: unknown, call: McpCall, options: MountOptions, library: Library): Promise<Response> {
  // The library would call a discovery request without version or envelope a legacy unknown method.
  if (call.methods[0] === 'server/discover' && !Array.isArray(parsed) && isBare(incoming.request, parsed)) {
    return Response.json({ jsonrpc: '2.0', id: idOf(parsed), result: options.catalogue().discovery })
  }
  return library(incoming, parsed, call)
}

/**
 * A request with the envelope of the modern era is never a legacy one, whatever else is wrong with it; asking the library would have it
 * read the message twice.
 */
function claimsModern(parsed: unknown): boolean {
  const { id, method, params } = parsed as { id?: unknown; method?: unknown; params?: { _meta?: object | null } | null }
  return (
    id !== undefined &&
    typeof method === 'string' &&
    method !== 'initialize' &&
    Object.hasOwn(params?._meta ?? {}, PROTOCOL_VERSION_META_KEY)
  )
}

/** Every message of the body pays for itself; the headers are those of the tightest answer, the last one consumed. */
async function consume(messages: readonly (Message | undefined)[], principal: Principal, incoming: HttpCall, options: MountOptions) {
  let headers: Readonly<Record<string, string>> = {}
  for (const message of messages) {
    const bucket = bucketOf(message, options.catalogue().operations)
    const verdict = await options.limiter.consume(bucket, { principal, address: incoming.address, now: incoming.now })
    headers = verdict.headers
    checkVerdict(verdict)
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
  if (request.headers.has(versionHeader)) return false
  const params = (parsed as { params?: unknown }).params
  return typeof params !== 'object' || params === null || !('_meta' in params)
}

function idOf(message: unknown): string | number | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null
  const { id } = message
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
