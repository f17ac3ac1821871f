// Which other origins may read answers in a browser. Only bearers count across origins: credentials mode is never allowed,
// so a cookie is never useful to another site.
export interface Cors {
  /** Headers for an answer to a request of `origin`. */
  headersFor(origin: string | undefined): Readonly<Record<string, string>> | undefined
  /** What a preflight of a path that takes `methods` gets beside those; a public document may be read by any site. */
  preflight(methods: readonly string[], isPublic: boolean): Readonly<Record<string, string>>
}

const exposed =
  'ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id, traceparent'
const asked =
  'accept, authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id, mcp-protocol-version, traceparent, x-request-id'

export function corsFor(baseUrl: string, configured: readonly string[]): Cors {
  const allowed = new Set([baseUrl, ...configured])
  const isAllowed = (origin: string) => allowed.has(origin) || allowed.has('*') || isLoopback(origin)
  return {
    headersFor: (origin) =>
      origin !== undefined && isAllowed(origin)
        ? { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed, Vary: 'Origin' }
        : undefined,
    preflight: (methods, isPublic) => ({
      ...(isPublic ? { 'Access-Control-Allow-Origin': '*' } : undefined),
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': asked,
      'Access-Control-Max-Age': '600',
    }),
  }
}

function isLoopback(origin: string): boolean {
  return /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(origin)
}
