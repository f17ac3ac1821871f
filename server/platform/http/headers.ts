// Headers that many answers share. Those of pages: the policy names one nonce and our own origin, so nothing is ever loaded from another
// one; the only relaxations are a CDN of our own files and the sites that may frame a room. Those of calls from other origins.
import type { Operation } from '../operation.ts'

export interface PagePolicy {
  nonce: string
  baseUrl: string
  /** A CDN for `/media` and `/assets`. */
  assetOrigin: string | null
  /** Who may frame the page: nobody unless it is an embedded room. */
  frameAncestors?: readonly string[] | 'any'
  /** No search engine keeps it. */
  noIndex?: boolean
  /** Its address holds a secret, so no other site may see it. */
  secretAddress?: boolean
  /** It loads no script and calls nothing. */
  isScriptless?: boolean
}

export function pageHeaders(policy: PagePolicy): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    // Not `no-store`, which would cost the back-forward cache.
    'Cache-Control': 'private, no-cache',
    'Content-Security-Policy': contentPolicy(policy),
    'Referrer-Policy': policy.secretAddress ? 'no-referrer' : 'strict-origin-when-cross-origin',
    'Permissions-Policy': 'microphone=(self), camera=(), geolocation=()',
    'X-Content-Type-Options': 'nosniff',
    // An opener is severed from every page; in a frame the header has no effect.
    'Cross-Origin-Opener-Policy': 'same-origin',
    ...(policy.baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
    ...(policy.noIndex ? { 'X-Robots-Tag': 'noindex' } : {}),
  }
}

function contentPolicy({ nonce, assetOrigin, frameAncestors = [], isScriptless = false }: PagePolicy): string {
  const own = assetOrigin === null ? "'self'" : `'self' ${assetOrigin}`
  const ancestors = frameAncestors === 'any' ? '*' : frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')
  return [
    "default-src 'none'",
    ...(isScriptless ? [] : [`script-src ${own} 'nonce-${nonce}'`, "connect-src 'self'"]),
    `media-src ${own} blob:`,
    `style-src ${own} 'nonce-${nonce}'`,
    `img-src ${own} data: blob:`,
    `font-src ${own}`,
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

// Which other origins may read answers in a browser. Only bearers count across origins: credentials mode is never allowed,
// so a cookie is never useful to another site.

export type Cors = ReturnType<typeof corsFor>

const exposed =
  'ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id, traceparent'
const asked =
  'accept, authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id, mcp-protocol-version, traceparent, x-request-id'

export function corsFor(baseUrl: string, configured: readonly string[]) {
  const allowed = new Set([baseUrl, ...configured])
  const isAllowed = (origin: string) => allowed.has(origin) || allowed.has('*') || isLoopback(origin)
  return {
    /** Headers for an answer to a request of `origin`. */
    headersFor: (origin: string | undefined): Readonly<Record<string, string>> | undefined =>
      origin !== undefined && isAllowed(origin)
        ? { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed, Vary: 'Origin' }
        : undefined,
    /** What a preflight of a path that takes `methods` gets beside those; a public document may be read by any site. */
    preflight: (methods: readonly string[], isPublic: boolean): Readonly<Record<string, string>> => ({
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

/** RFC 9745 and RFC 8594. */
export function deprecationHeaders({ deprecated }: Operation): Record<string, string> {
  if (deprecated === undefined) return {}
  const { since, sunset } = deprecated
  return { Deprecation: `@${Date.parse(since) / 1_000}`, ...(sunset !== undefined && { Sunset: new Date(sunset).toUTCString() }) }
}
