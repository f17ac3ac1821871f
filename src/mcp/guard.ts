// Host and Origin checks of the tool-protocol endpoint: a page on another site, or a name rebound to loopback, must not reach
// it through somebody's browser. The protocol library checks nothing.

export const exposedHeaders = 'WWW-Authenticate, Mcp-Session-Id, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy'
const askedHeaders =
  'authorization, content-type, accept, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id, traceparent'

export interface GuardSettings {
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
