// The typed client of Rostrum's HTTP API. No dependencies; every call is one operation, named as in /docs, with the types that
// the service itself validates.
import type { OperationName, InputOf, OutputOf } from './operations.ts'
import { routes } from './routes.ts'

export type { InputOf, OperationName, OutputOf } from './operations.ts'
export type { WebhookRefusal, WebhookVerdict } from './verify-webhook.ts'
export { verifyWebhook } from './verify-webhook.ts'

export interface ClientOptions {
  /** Such as `https://talks.example.com`. */
  baseUrl: string
  /** An API key or agent token; without one only open operations answer. */
  token?: string
  fetch?: typeof fetch
}

export interface CallOptions {
  /** Makes a repeated POST harmless for 24 hours. */
  idempotencyKey?: string
  signal?: AbortSignal
}

/** The problem document (RFC 9457) of a refused call. */
export class RostrumError extends Error {
  readonly status: number
  readonly code: string
  readonly problem: Readonly<Record<string, unknown>>
  /** Seconds to wait before trying again, where the service says so. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, problem: Readonly<Record<string, unknown>>, retryAfter: string | null) {
    super(typeof problem['detail'] === 'string' ? problem['detail'] : `The service answered ${status}.`)
    this.name = 'RostrumError'
    this.status = status
    this.code = typeof problem['code'] === 'string' ? problem['code'] : 'unknown'
    this.problem = problem
    this.retryAfterSeconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined
  }
}

export interface Client {
  /** Calls an operation by name. Throws `RostrumError` for a refusal, and what `fetch` throws for a broken connection. */
  call<Name extends OperationName>(name: Name, input: InputOf<Name>, options?: CallOptions): Promise<OutputOf<Name>>
}

export function createClient({ baseUrl, token, fetch: send = fetch }: ClientOptions): Client {
  return {
    async call(name, input, { idempotencyKey, signal } = {}) {
      const { method, path } = routes[name]
      const { url, rest } = address(baseUrl, path, method, { ...input })
      const headers: Record<string, string> = { Accept: 'application/json' }
      if (token !== undefined) headers['Authorization'] = `Bearer ${token}`
      if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey
      const hasBody = method !== 'GET' && method !== 'DELETE'
      if (hasBody) headers['Content-Type'] = 'application/json'
      const response = await send(url, {
        method,
        headers,
        ...(hasBody ? { body: JSON.stringify(rest) } : {}),
        ...(signal === undefined ? {} : { signal }),
      })
      const body: unknown = await response.json().catch(() => ({}))
      if (!response.ok) throw new RostrumError(response.status, recordOf(body), response.headers.get('Retry-After'))
      // The service validates nothing it sends; its contract tests check each output against this very schema.
      return body as OutputOf<typeof name>
    },
  }
}

/** Fills `{members}` of the path; the others go into the query of a GET or DELETE, else into the body. */
function address(baseUrl: string, path: string, method: string, input: Readonly<Record<string, unknown>>) {
  const rest: Record<string, unknown> = { ...input }
  const filled = path.replace(/\{(\w+)\}/g, (_, member: string) => {
    const value = rest[member]
    delete rest[member]
    return encodeURIComponent(asText(value))
  })
  const url = new URL(baseUrl.replace(/\/$/, '') + filled)
  if (method === 'GET' || method === 'DELETE') {
    for (const [member, value] of Object.entries(rest)) if (value !== undefined) url.searchParams.set(member, asText(value))
  }
  return { url, rest }
}

/** Texts as they are; numbers and truth values as JSON writes them. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function recordOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? { ...body } : {}
}
