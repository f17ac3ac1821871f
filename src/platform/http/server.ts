// The HTTP surface on Hono and its Node adapter: the operations and the other routes, what no route takes, and the server that listens.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { problemOf, ServiceError } from '../errors.ts'
import { corsFor } from './cors.ts'
import { clientAddress, Exchange } from './exchange.ts'
import { feedServer } from './feeds.ts'
import { fileRoutes } from './files.ts'
import { completion, requestMetrics } from './observe.ts'
import { operationRoute } from './operation-route.ts'
import { errorResponse, otherRoute, type OtherTools, type OwnRoute, withCommon } from './other-route.ts'
import type { HttpOptions } from './ports.ts'
import { probeRoutes } from './probes.ts'
import { spanExporter } from './traces.ts'
import { inTurns } from './turns.ts'

export interface Http {
  /** For tests and in-process callers: `app.request('/healthz')`. */
  app: { request(address: string | Request, init?: RequestInit): Promise<Response> }
  /** Binds the configured host and port; gives the port, which matters when 0 was asked for. */
  listen(): Promise<number>
  /** Takes no new calls, ends streams so that they resume elsewhere, lets running calls finish for at most `graceMs`. */
  close(graceMs?: number): Promise<void>
}

/**
 * How long a request may take to arrive, its head and all of it: a deck of 50 MiB over a line of 1.5 Mbit/s. What is answered, a stream
 * above all, may take as long as it likes.
 */
const arrival = { headersTimeout: 20_000, requestTimeout: 300_000, connectionsCheckingInterval: 5_000 }
const methods = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'] as const

/** What a request that never became one is told. */
const rawWords: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are larger than 16 KiB: send less.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive: send it again.',
}

export function createHttp(options: HttpOptions): Http {
  const { config, clock, ids, log } = options
  const { baseUrl } = config
  const cors = corsFor(baseUrl, config.corsOrigins)
  const feeds = feedServer(clock)
  const metrics = requestMetrics()
  const spans = config.otlpEndpoint === null ? undefined : spanExporter(config.otlpEndpoint, clock, log)
  const completed = completion(clock, metrics, log, spans)
  const tools: OtherTools = { ...options, baseUrl, cors, feeds, completed }
  const exchangeTools = { clock, ids, addressOf: clientAddress(config.trustProxy), tracesAll: spans !== undefined }
  const gauges = () => ({
    rostrum_streams_open: { help: 'Event streams open in this process.', value: feeds.count() },
    ...options.gauges?.(),
  })

  const app = new Hono<{ Bindings: Partial<HttpBindings> }>()
  const others: readonly OwnRoute[] = [...probeRoutes(options, metrics, gauges), ...fileRoutes(options), ...options.routes]
  /** Of documents that any site may read. */
  const publicPaths = new Set(others.filter(({ kind }) => kind === 'document').map(({ path }) => path))
  const answerers = [
    ...options.operations.flatMap((operation) => {
      const view = operation.http
      if (view === undefined) return []
      return [{ method: view.method, path: view.path.replace(/\{(\w+)\}/g, ':$1'), answer: operationRoute(operation, view, tools) }]
    }),
    ...others.map((route) => ({ method: route.method, path: route.path, answer: otherRoute(route, tools) })),
  ]
  // Hono takes the first pattern that matches: the most literal one comes first.
  for (const { method, path, answer } of answerers.toSorted(byGenerality))
    app.on(method, path, (context) => answer(new Exchange(context, exchangeTools)))
  app.notFound((context) => {
    const exchange = new Exchange(context, exchangeTools)
    const response = withCommon(unrouted(exchange), exchange, tools)
    completed(exchange, 'unrouted', response.status)
    return response
  })
  // Every route answers its own errors: this is a fault of the surface itself.
  app.onError((error, context) => {
    const exchange = new Exchange(context, exchangeTools)
    log.error({ requestId: exchange.requestId, err: error }, 'The HTTP surface failed')
    return errorResponse(new ServiceError('internal_error', 'Something went wrong on our side.'), exchange, false, tools)
  })

  /** What answers a method here, an unlisted route of every method aside. */
  function routesAt(path: string) {
    return methods.flatMap((method) =>
      app.router
        .match(method, path)[0]
        .slice(0, 1)
        .map(([[, route]]) => ({ method, path: route.path })),
    )
  }

  /** What no route took: a preflight, a wrong method, an unknown address. */
  function unrouted(exchange: Exchange): Response {
    const { method, path } = exchange
    const found = routesAt(path)
    if (found.length === 0)
      return errorResponse(new ServiceError('not_found', unknownAddress(path)), exchange, !path.startsWith('/api/'), tools)
    const reads = found.find((each) => each.method === 'GET')
    const taken = [...found.map((each) => each.method), ...(reads === undefined ? [] : ['HEAD']), 'OPTIONS'].toSorted()
    const headers = { Allow: taken.join(', ') }
    if (method === 'OPTIONS')
      return new Response(null, { status: 204, headers: { ...headers, ...cors.preflight(taken, publicPaths.has(reads?.path ?? '')) } })
    return errorResponse(new ServiceError('method_not_allowed', `Use ${headers.Allow}.`, { headers }), exchange, false, tools)
  }

  function unknownAddress(path: string): string {
    const isOneSlashOff = path.endsWith('/') && routesAt(path.slice(0, -1)).length > 0
    return isOneSlashOff ? 'Leave the slash at the end of the address out.' : 'Nothing answers at this address: see /docs.'
  }

  /** A request that never became one: bytes that are no HTTP, a head that is too large or too slow, an address that is none. */
  function invalid(detail: string): { headers: Record<string, string>; body: string } {
    const requestId = ids.uuid()
    const body = JSON.stringify(problemOf(new ServiceError('invalid_request', detail), { baseUrl, requestId }))
    return { headers: { 'Content-Type': 'application/problem+json', 'X-Request-Id': requestId, Connection: 'close' }, body }
  }

  const listener = getRequestListener((request, env) => app.fetch(request, env), {
    hostname: 'localhost',
    errorHandler: () => {
      const { headers, body } = invalid('The address or the `Host` header is not valid.')
      return new Response(body, { status: 400, headers })
    },
  })
  const begin = inTurns((incoming: IncomingMessage, outgoing: ServerResponse) => {
    // Its caller may have given up while it waited.
    if (!incoming.destroyed) void listener(incoming, outgoing)
  })
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 65_000, ...(options.arrival ?? arrival) }, begin)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const { headers, body } = invalid(rawWords[error.code ?? ''] ?? 'The request is not valid HTTP: send an HTTP/1.1 request.')
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    socket.end(['HTTP/1.1 400 Bad Request', `Content-Length: ${Buffer.byteLength(body)}`, ...lines, '', body].join('\r\n'))
  })
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { headers, body } = invalid('The `Expect` header is not supported: leave it out.')
    response.writeHead(400, headers).end(body)
  })
  return {
    app: { request: async (address, init) => app.fetch(requestOf(address, init), {}) },
    listen: () => listening(server, config.host, config.port),
    async close(graceMs = 10_000) {
      const cancel = clock.after(graceMs, () => {
        feeds.destroyAll()
        server.closeAllConnections()
      })
      await Promise.all([feeds.closeAll(), closing(server)])
      cancel()
      await spans?.flush()
    },
  }
}

/** A literal comes before a parameter, and a parameter before `*`. */
function byGenerality(a: { path: string }, b: { path: string }): number {
  const [first, second] = [a, b].map(({ path }) => path.replace(/:\w+/g, '{').replace('*', '~')) as [string, string]
  return first < second ? -1 : first > second ? 1 : 0
}

function requestOf(address: string | Request, init: RequestInit | undefined): Request {
  return address instanceof Request ? address : new Request(new URL(address, 'http://localhost'), init)
}

function listening(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/** Resolves when the last connection has closed; idle ones are closed at once. */
function closing(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve()
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}
