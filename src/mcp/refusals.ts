// Refusals before the protocol library sees a request: an HTTP status that clients act on, with a JSON-RPC error whose `data`
// is the problem document of the HTTP API. Codes are the HTTP status, outside the ranges that JSON-RPC reserves.
import { problemOf, type ServiceError, ServiceError as Refusal } from '../platform/errors.ts'
import type { Body } from './body.ts'
import { jsonAnswer } from './exchange.ts'

export interface RefusalSettings {
  baseUrl: string
  challenge: (error: ServiceError) => string | undefined
  onBug: (error: unknown, requestId: string) => void
}

export interface Refusals {
  guard(words: string, requestId: string): Response
  method(requestId: string): Response
  body(body: Exclude<Body, { ok: true }>, requestId: string): Response
  invalidRequest(requestId: string): Response
  service(error: ServiceError, id: string | number | null, requestId: string): Response
  bug(error: unknown, requestId: string): Response
}

const parseError = -32700
const invalidRequestCode = -32600
const internalError = -32603

export function createRefusals({ baseUrl, challenge, onBug }: RefusalSettings): Refusals {
  const reply = (status: number, code: number, message: string, data?: unknown, id: string | number | null = null, headers = {}) =>
    jsonAnswer({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } }, status, headers)
  const service: Refusals['service'] = (error, id, requestId) => {
    const words = challenge(error)
    const headers = { ...error.extra.headers, ...(words === undefined ? {} : { 'WWW-Authenticate': words }) }
    return reply(error.status, error.status, error.message, problemOf(error, { baseUrl, requestId }), id, headers)
  }
  return {
    service,
    guard: (words, requestId) => service(new Refusal('forbidden', words), null, requestId),
    method: (requestId) =>
      service(
        new Refusal('method_not_allowed', `Send JSON-RPC by POST. ${baseUrl}/docs/mcp shows how.`, { headers: { Allow: 'POST, OPTIONS' } }),
        null,
        requestId,
      ),
    body(body, requestId) {
      if (body.reason === 'malformed') return reply(400, parseError, body.words)
      return service(new Refusal('unsupported_media_type', 'Send `Content-Type: application/json` in UTF-8.'), null, requestId)
    },
    invalidRequest: () => reply(400, invalidRequestCode, 'Send one JSON-RPC 2.0 request, or a batch of 1 to 20.'),
    bug(error, requestId) {
      onBug(error, requestId)
      return reply(500, internalError, 'Internal error', { requestId })
    },
  }
}
