// The HTTP surface on Hono and its Node adapter: the operations and the other routes, what no route takes, and the server that listens.
import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse, STATUS_CODES } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { type ErrorCode, errorTable, isServiceError, problemOf, ServiceError } from '@rostrum/base/errors'
import { type Limiter, type Operation, shownBefore } from '../operation.ts'
import type { Clock, Ids } from '@rostrum/base/clock'
import { corsFor } from './headers.ts'
import { clientAddress, Exchange } from './exchange.ts'
import { feedServer } from './feeds.ts'
import { fileRoutes, type FileParts } from './files.ts'
import { type KeptAnswers, sha256 } from './idempotency.ts'
import { completion, requestMetrics, type RequestMetrics } from './observe.ts'
import { spanExporter } from './spans.ts'
import type { Gauges } from '../gauges.ts'
import { errorResponse, otherRoute, type OtherTools, type OwnRoute, withCommon } from './others.ts'
import { operationRoute } from './routes.ts'
import { pieceServer } from './pieces.ts'
import type { Authenticate, Challenge, ErrorPage, HttpConfig, Log, Route, TrackStream } from './ports.ts'
import { createSpool } from './spool.ts'

export interface HttpOptions extends Omit<FileParts, 'pieces'> {
  config: HttpConfig
  operations: readonly Operation[]
  routes: readonly Route[]
  authenticate: Authenticate
  challenge: Challenge
  /** Calls `close` once when the principal's credential is ended; the returned function forgets the stream. */
  trackStream?: TrackStream
  limiter: Limiter
  /** Throws where a file of so many bytes would not be kept. */
  hasRoomFor?: (bytes: number) => void
  idempotency: KeptAnswers
  /** Where bodies wait on disk while they come. */
  spoolDirectory: string
  errorPage(page: ErrorPage): string
  /** Throws, or gives the reason in words, while the store cannot be reached or is not migrated. */
  ready(): Promise<true | string>
  /** Further values for `/metrics`. */
  gauges?: Gauges
  log: Log
  clock: Clock
  ids: Ids
  /** Shorter waits for requests that do not arrive, for tests: Node measures them by its own clock. */
  arrival?: Pick<ServerOptions, 'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval'> & { unreadMs?: number }
}

// What operators and balancers ask: is the process alive, may it get traffic, what has it measured.

/** The loop is woken for each look: more of them would be most of what a process at rest does. */
const lookEveryMs = 100

/** A balancer that waits longer has others to ask. */
const readyMs = 900

function probeRoutes(options: Pick<HttpOptions, 'config' | 'ready' | 'clock'>, metrics: RequestMetrics, gauges: Gauges): readonly Route[] {
  const { metricsToken } = options.config
  const delay = monitorEventLoopDelay({ resolution: lookEveryMs })
  delay.enable()
  const processGauges: Gauges = () => ({
    rostrum_resident_bytes: { help: 'Resident memory of this process.', value: process.memoryUsage.rss() },
    rostrum_event_loop_delay_p99_seconds: {
      help: 'Delay of the event loop, 99th percentile since the start.',
      // From one look to the next; the delay is what is over.
      value: Math.max(0, delay.percentile(99) / 1e9 - lookEveryMs / 1e3),
    },
    rostrum_uptime_seconds: { help: 'Seconds since this process started.', value: Math.round(process.uptime()) },
    ...gauges(),
  })
  return [
    { method: 'GET', path: '/healthz', kind: 'document', handle: () => probe(200, { status: 'ok' }) },
    {
      method: 'GET',
      path: '/readyz',
      kind: 'document',
      async handle() {
        const { promise: late, resolve } = Promise.withResolvers<string>()
        const cancel = options.clock.after(readyMs, () => resolve('The store does not answer.'))
        const asked = options.ready().catch((error: unknown) => (isServiceError(error) ? error.message : 'The store cannot be reached.'))
        const ready = await Promise.race([asked, late])
        cancel()
        return ready === true ? probe(200, { status: 'ready' }) : probe(503, { status: 'not ready', reason: ready })
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      kind: 'document',
      handle({ request, address }) {
        const allowed =
          metricsToken === null ? isFromHere(address, request.headers) : holds(request.headers.get('authorization'), metricsToken)
        // Where it is off, it does not exist.
        if (!allowed) throw new ServiceError('not_found', 'Nothing answers at this address.')
        const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' }
        return new Response(metrics.text(processGauges), { headers })
      },
    },
  ]
}

function probe(status: number, body: object): Response {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
  return new Response(JSON.stringify(body), { status, headers })
}

const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'] as const

/**
 * Asked on this machine for this machine. A proxy beside the service has a loopback address too, and asks for strangers: it names the
 * public host, or says for whom it asks; and a page whose name was made to lead here names its own host.
 */
function isFromHere(address: string, headers: Headers): boolean {
  if (address !== '::1' && !address.startsWith('127.')) return false
  const isOwnHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(headers.get('host') ?? '')
  return isOwnHost && forwarding.every((name) => !headers.has(name))
}

function holds(authorization: string | null, token: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(authorization ?? '')), Buffer.from(sha256(`Bearer ${token}`)))
}

// So many requests begin in one turn of the loop, and the others in the next ones: a thousand attendees that come back at once find
// their place one after another, while timers, answers of the database and running talks have their turn in between.

const perTurn = 16

/** Calls `begin` with the arguments of each call, at once or a few turns later, in their order. */
export function inTurns<Args extends unknown[]>(begin: (...args: Args) => void): (...args: Args) => void {
  const waiting: Args[] = []
  let begun = 0

  function nextTurn(): void {
    begun = 0
    for (const args of waiting.splice(0, perTurn)) start(args)
  }

  function start(args: Args): void {
    begun++
    // The first of a turn sees to the end of it.
    if (begun === 1) setImmediate(nextTurn)
    begin(...args)
  }

  return (...args) => {
    if (begun < perTurn && waiting.length === 0) start(args)
    else waiting.push(args)
  }
}

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
/** Nothing of an answer has been taken for so long: who reads nothing keeps no connection. One that has nothing to send may rest. */
const unreadMs = 60_000
const endUnread = (socket: Socket) => void (socket.writableLength > 0 && socket.destroy())
const methods = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'] as const

/** What a request that never became one is told. */
const rawWords: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are larger than 16 KiB: send less.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive: send it again.',
}

const rawCodes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

export function createHttp(options: HttpOptions): Http {
  const { config, clock, ids, log } = options
  const { baseUrl } = config
  const cors = corsFor(baseUrl, config.corsOrigins)
  const feeds = feedServer(clock)
  const metrics = requestMetrics()
  const spans = config.otlpEndpoint === null ? undefined : spanExporter(config.otlpEndpoint, clock, log)
  const completed = completion(clock, metrics, log, spans)
  const pieces = pieceServer(clock, log)
  const tools: OtherTools = { ...options, baseUrl, cors, feeds, pieces, completed }
  const spool = createSpool({
    directory: options.spoolDirectory,
    clock,
    ids,
    onFailure: (err) => log.error({ err }, 'A body could not be stored on disk'),
  })
  const exchangeTools = { clock, ids, spool, addressOf: clientAddress(config.trustProxy), tracesAll: spans !== undefined }
  const gauges = () => ({
    rostrum_streams_open: { help: 'Event streams open in this process.', value: feeds.count() },
    ...pieces.gauges(),
    ...options.gauges?.(),
  })

  const app = new Hono<{ Bindings: Partial<HttpBindings> }>()
  const others: readonly OwnRoute[] = [...probeRoutes(options, metrics, gauges), ...fileRoutes({ ...options, pieces }), ...options.routes]
  /** Of documents that any site may read. */
  const publicPaths = new Set(others.filter(({ kind }) => kind === 'document').map(({ path }) => path))
  const answerers = [
    ...options.operations.flatMap((operation) => {
      const view = operation.http
      if (view === undefined) return []
      const answer = operationRoute(operation, view, tools, shownBefore(operation, options.operations))
      return [{ method: view.method, path: view.path.replace(/\{(\w+)\}/g, ':$1'), answer }]
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
    return isOneSlashOff ? 'Leave the slash at the end of the address out.' : 'Nothing answers at this address: see {base_url}/docs.'
  }

  /** A request that never became one: bytes that are no HTTP, a head that is too large or too slow, an address that is none. */
  function invalid(detail: string, code: ErrorCode = 'invalid_request'): { headers: Record<string, string>; body: string } {
    const requestId = ids.uuid()
    const body = JSON.stringify(problemOf(new ServiceError(code, detail), { baseUrl, requestId }))
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
    if (incoming.destroyed) return
    outgoing.setTimeout(options.arrival?.unreadMs ?? unreadMs).on('timeout', endUnread)
    // HTTP/1.0 knows none (RFC 9112 section 3.2).
    if (incoming.headers.host !== undefined || incoming.httpVersion === '1.0') void listener(incoming, outgoing)
    else {
      const { headers, body } = invalid('The `Host` header is missing: send the name of this service in it.')
      outgoing.writeHead(400, headers).end(body)
    }
  })
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 65_000, ...(options.arrival ?? arrival) }, begin)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const words = rawWords[error.code ?? ''] ?? 'The request is not valid HTTP: send an HTTP/1.1 request.'
    const code = rawCodes[error.code ?? ''] ?? 'invalid_request'
    const { headers, body } = invalid(words, code)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const { status } = errorTable[code]
    socket.end(
      [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, `Content-Length: ${Buffer.byteLength(body)}`, ...lines, '', body].join('\r\n'),
    )
  })
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { headers, body } = invalid('The `Expect` header is not supported: leave it out.')
    response.writeHead(400, headers).end(body)
  })
  return {
    app: { request: async (address, init) => app.fetch(requestOf(address, init), {}) },
    async listen() {
      await spool.sweep()
      return listening(server, config.host, config.port)
    },
    async close(graceMs = 10_000) {
      const cancel = clock.after(graceMs, () => {
        feeds.destroyAll()
        server.closeAllConnections()
      })
      await Promise.all([feeds.closeAll(), closing(server)])
      cancel()
      spool.close()
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
