// What the tool protocol reads of an HTTP request, and the answers that it gives before or beside the library's own.
import { detailOf, isServiceError, problemOf, ServiceError } from '@rostrum/base/errors'
import type { RouteCall } from '../platform/http/ports.ts'
import { parseJson } from '../platform/parse.ts'

const stream = 'text/event-stream'

/** One HTTP request of the protocol. */
export type HttpCall = Pick<RouteCall, 'request' | 'requestId' | 'address' | 'now' | 'bytes' | 'principal'>

/** Whether the client takes an event stream as the answer. */
export function takesStream({ headers }: Request): boolean {
  return (headers.get('accept') ?? '').includes(stream)
}

/** A JSON result as the one event of a stream, for a client that takes nothing else. Refusals stay JSON: their status says enough. */
export async function inAcceptedForm(request: Request, answer: Response): Promise<Response> {
  const accept = request.headers.get('accept') ?? ''
  const takesNothingElse = accept.includes(stream) && !accept.includes('json') && !accept.includes('*')
  if (!takesNothingElse || answer.status !== 200 || !answer.headers.get('content-type')?.includes('json')) return answer
  const headers = { 'Content-Type': stream, 'Cache-Control': 'no-cache, no-transform' }
  return new Response(`event: message\ndata: ${await answer.text()}\n\n`, { headers })
}

const jsonType = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i

/**
 * The one JSON body, as strictly as the HTTP API reads its own: bounded while it is read, parsed once, since the library's own read costs
 * more. Throws `unsupported_media_type` and `payload_too_large`; `fault` are the words for what is no JSON.
 */
export async function readBody({ request, bytes }: HttpCall, maxBytes: number): Promise<{ value: unknown; fault?: string }> {
  if (!jsonType.test(request.headers.get('content-type') ?? ''))
    throw new ServiceError('unsupported_media_type', 'Send `Content-Type: application/json` in UTF-8.')
  const read = await bytes(maxBytes)
  try {
    return { value: parseJson(read) }
  } catch (error) {
    if (!isServiceError(error)) throw error
    return { value: undefined, fault: error.message }
  }
}

// Refusals before the protocol library sees a request: an HTTP status that clients act on, with a JSON-RPC error whose `data`
// is the problem document of the HTTP API. Codes are the HTTP status, outside the ranges that JSON-RPC reserves.

interface RefusalSettings {
  baseUrl: string
  challenge: (error: ServiceError) => string | undefined
  onBug: (error: unknown, requestId: string) => void
}

export interface Refusals {
  /** A message that cannot be read. */
  parse(words: string): Response
  invalidRequest(): Response
  /** A message that the protocol refuses by a code of its own. */
  malformed(code: number, words: string): Response
  service(error: ServiceError, id: string | number | null, requestId: string): Response
  bug(error: unknown, requestId: string): Response
}

const parseErrorCode = -32700
const invalidRequestCode = -32600
const internalErrorCode = -32603

export function createRefusals({ baseUrl, challenge, onBug }: RefusalSettings): Refusals {
  const reply = (
    status: number,
    error: { code: number; message: string; data?: unknown },
    id: string | number | null = null,
    headers = {},
  ) => Response.json({ jsonrpc: '2.0', id, error }, { status, headers })
  return {
    service(error, id, requestId) {
      const words = challenge(error)
      const again = error.status === 503 ? { 'Retry-After': '2' } : {}
      const headers = { ...again, ...error.extra.headers, ...(words === undefined ? {} : { 'WWW-Authenticate': words }) }
      const code = error.status
      const message = detailOf(error, baseUrl)
      return reply(code, { code, message, data: problemOf(error, { baseUrl, requestId }) }, id, headers)
    },
    malformed: (code, message) => reply(400, { code, message }),
    parse: (message) => reply(400, { code: parseErrorCode, message }),
    invalidRequest: () => reply(400, { code: invalidRequestCode, message: 'Send one JSON-RPC 2.0 request, or a batch of 1 to 20.' }),
    bug(error, requestId) {
      onBug(error, requestId)
      return reply(500, { code: internalErrorCode, message: 'Internal error', data: { requestId } })
    },
  }
}

// Host and Origin checks of the tool-protocol endpoint: a page on another site, or a name rebound to loopback, must not reach
// it through somebody's browser. The protocol library checks nothing.

export const exposedHeaders = 'WWW-Authenticate, Mcp-Session-Id, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy'
const askedHeaders =
  'authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id, traceparent'

interface GuardSettings {
  baseUrl: string
  /** The address the service listens on. */
  listenHost: string
  allowedHosts: readonly string[]
  /** `*` allows any: only bearer credentials count here. */
  corsOrigins: readonly string[]
}

export interface HostGuard {
  /** The words of a refusal, or undefined. */
  refuse(request: Request): string | undefined
  preflight(request: Request): Response
  corsHeaders(request: Request): Record<string, string>
}

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const hostname = (host: string): string => URL.parse(`http://${host}`)?.hostname ?? ''

export function createGuard({ baseUrl, listenHost, allowedHosts, corsOrigins }: GuardSettings): HostGuard {
  const own = new URL(baseUrl)
  const hosts = new Set([own.host, ...allowedHosts].map((host) => host.toLowerCase()))
  const origins = new Set([own.origin, ...corsOrigins])
  const listensOnLoopback = loopbackNames.has(listenHost) || listenHost === '::1'
  const isHost = (host: string) => hosts.has(host) || (listensOnLoopback && loopbackNames.has(hostname(host)))
  const isOrigin = (origin: string) => origins.has(origin) || origins.has('*') || loopbackNames.has(URL.parse(origin)?.hostname ?? '')
  const corsHeaders = (request: Request): Record<string, string> => {
    const origin = request.headers.get('origin')
    return origin === null || !isOrigin(origin) ? {} : { 'Access-Control-Allow-Origin': origin, Vary: 'Origin' }
  }
  return {
    corsHeaders,
    refuse(request) {
      if (!isHost((request.headers.get('host') ?? new URL(request.url).host).toLowerCase()))
        return 'This host name is not served here. Set ROSTRUM_BASE_URL to the public address, or add the name to ROSTRUM_ALLOWED_HOSTS.'
      const origin = request.headers.get('origin')
      return origin === null || isOrigin(origin) ? undefined : 'This origin may not call the server. Add it to ROSTRUM_CORS_ORIGINS.'
    },
    preflight(request) {
      const headers = {
        ...corsHeaders(request),
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': askedHeaders,
        'Access-Control-Max-Age': '600',
      }
      return new Response(null, { status: 204, headers })
    },
  }
}
