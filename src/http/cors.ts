// Which other origins may read answers in a browser. Only bearers count across origins: credentials mode is never allowed,
// so a cookie is never useful to another site.
export interface Cors {
  /** Headers for an answer to a request of `origin`. */
  headersFor(origin: string | undefined): Readonly<Record<string, string>> | undefined
  /** Headers for a preflight of a path that takes `methods`. */
  preflight(origin: string | undefined, methods: readonly string[]): Readonly<Record<string, string>>
}

const exposed =
  'ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id, traceparent'
const asked = 'accept, authorization, content-type, idempotency-key, if-none-match, last-event-id, traceparent, x-request-id'

export function corsFor(baseUrl: string, configured: readonly string[]): Cors {
  const allowed = new Set([baseUrl, ...configured])
  const isAllowed = (origin: string) => allowed.has(origin) || allowed.has('*') || isLoopback(origin)
  const headersFor = (origin: string | undefined) =>
    origin !== undefined && isAllowed(origin)
      ? { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed, Vary: 'Origin' }
      : undefined
  return {
    headersFor,
    preflight: (origin, methods) => ({
      ...headersFor(origin),
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': asked,
      'Access-Control-Max-Age': '600',
    }),
  }
}

function isLoopback(origin: string): boolean {
  return /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(origin)
}
