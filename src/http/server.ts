// The HTTP surface: one table of the operations and the other routes, and the server that listens. An operation is answered on
// Node's own messages; what speaks web-standard requests goes through @hono/node-server (docs/decisions/007).
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { problemOf, ServiceError } from '../kernel/errors.ts'
import { clientAddress } from './client-address.ts'
import { completion } from './completed.ts'
import { documentCodings } from './compressed.ts'
import { corsFor } from './cors.ts'
import { cutUnread, deliver, responseOf } from './deliver.ts'
import type { Wire } from './exchange.ts'
import { Exchange } from './exchange.ts'
import { feedServer } from './feeds.ts'
import { fileRoutes } from './file-routes.ts'
import { requestMetrics } from './observe.ts'
import { messageRoute } from './message-route.ts'
import type { Perform } from './operation-route.ts'
import { operationRoute } from './operation-route.ts'
import type { Handle, OtherTools } from './other-route.ts'
import { errorResponse, otherRoute, withCommon } from './other-route.ts'
import type { HttpOptions } from './ports.ts'
import { probeRoutes } from './probes.ts'
import { answerRawErrors } from './raw-errors.ts'
import type { Found } from './router.ts'
import { createRouter, patternOf } from './router.ts'
import { spanExporter } from './spans.ts'
import { isPlainHost, pathOf, plainPath } from './target.ts'
import { inTurns } from './turns.ts'

export interface Http {
  /** For tests and in-process callers: `app.request('/healthz')`. */
  app: { request(address: string | Request, init?: RequestInit): Promise<Response> }
  /** Binds the configured host and port; gives the port, which matters when 0 was asked for. */
  listen(): Promise<number>
  /** Takes no new calls, ends streams so that they resume elsewhere, lets running calls finish for at most `graceMs`. */
  close(graceMs?: number): Promise<void>
}

/** What answers a route: an operation or a message on either form of a request, anything else on the web-standard form. */
type Answerer = ({ perform: Perform } | { handle: Handle }) & { isPublic?: boolean }

/**
 * How long a request may take to arrive, its head and all of it: a deck of 50 MiB over a line of 1.5 Mbit/s. What is answered, a stream
 * above all, may take as long as it likes.
 */
const arrival = { headersTimeout: 20_000, requestTimeout: 300_000, connectionsCheckingInterval: 5_000 }

export function createHttp(options: HttpOptions): Http {
  const { config, clock, ids, log } = options
  const cors = corsFor(config.baseUrl, config.corsOrigins)
  const feeds = feedServer(clock)
  const metrics = requestMetrics()
  const spans = config.otlpEndpoint === null ? undefined : spanExporter(config.otlpEndpoint, clock, log)
  const completed = completion(clock, metrics, log, spans)
  const tools: OtherTools = { ...options, baseUrl: config.baseUrl, cors, feeds, completed, codings: documentCodings() }
  const exchangeTools = { clock, ids, addressOf: clientAddress(config.trustProxy), tracesAll: spans !== undefined }
  const gauges = () => ({
    rostrum_streams_open: { help: 'Event streams open in this process.', value: feeds.count() },
    ...options.gauges?.(),
  })

  const router = createRouter<Answerer>()
  for (const operation of options.operations) {
    const view = operation.http
    if (view !== undefined) router.add(view.method, patternOf(view.path), { perform: operationRoute(operation, view, tools) })
  }
  for (const route of [...probeRoutes(options, metrics, gauges), ...fileRoutes(options), ...options.routes]) {
    const answerer =
      route.kind === 'message'
        ? { isPublic: route.method === 'GET', perform: messageRoute(route, tools) }
        : { handle: otherRoute(route, tools), isPublic: route.kind === 'document' }
    router.add(route.method, route.path, answerer)
  }

  /** What no route took: a preflight, a wrong method, an unknown address. */
  function unrouted(exchange: Exchange): Response {
    const methods = router.methodsOf(exchange.path)
    if (methods.length > 0 && exchange.method === 'OPTIONS') {
      const isPublic = router.find('GET', exchange.path)?.value.isPublic === true
      return new Response(null, {
        status: 204,
        headers: { Allow: methods.join(', '), ...cors.preflight(methods, isPublic) },
      })
    }
    const isApi = exchange.path.startsWith('/api/')
    if (methods.length === 0) return errorResponse(new ServiceError('not_found', unknownAddress(exchange.path)), exchange, !isApi, tools)
    const allow = methods.join(', ')
    return errorResponse(new ServiceError('method_not_allowed', `Use ${allow}.`, { headers: { Allow: allow } }), exchange, false, tools)
  }

  function unknownAddress(path: string): string {
    const isOneSlashOff = path.endsWith('/') && router.methodsOf(path.slice(0, -1)).length > 0
    return isOneSlashOff ? 'Leave the slash at the end of the address out.' : 'Nothing answers at this address: see /docs.'
  }

  /** Every route answers its own errors: this is a fault of the surface itself. */
  function fault(error: unknown, exchange: Exchange): ServiceError {
    log.error({ requestId: exchange.requestId, err: error }, 'The HTTP surface failed')
    return new ServiceError('internal_error', 'Something went wrong on our side.')
  }

  async function respond(request: Request, wire?: Wire): Promise<Response> {
    const { method } = request
    const path = pathOf(request.url)
    const found = router.find(method, path)
    const exchange = new Exchange({ method, path, params: found?.params ?? {}, wire, request }, exchangeTools)
    try {
      if (found === undefined) {
        const response = withCommon(unrouted(exchange), exchange, tools)
        completed(exchange, 'unrouted', response.status)
        return bodiless(method, response)
      }
      const { value } = found
      if ('perform' in value) return responseOf(await value.perform(exchange), method)
      return bodiless(method, await value.handle(exchange, request))
    } catch (error) {
      return errorResponse(fault(error, exchange), exchange, false, tools)
    }
  }

  async function perform({ value, params }: Found<Answerer> & { value: { perform: Perform } }, path: string, wire: Wire): Promise<void> {
    const exchange = new Exchange({ method: wire.incoming.method ?? 'GET', path, params, wire }, exchangeTools)
    const finished = await value.perform(exchange)
    if ('response' in finished) return
    try {
      deliver(wire, finished)
    } catch (error) {
      fault(error, exchange)
      wire.outgoing.destroy()
    }
    cutUnread(wire, clock)
  }

  /** Loaded with the first request that needs it: it brings the web-standard objects, which are a tenth of the start. */
  async function webListener() {
    const { getRequestListener } = await import('@hono/node-server')
    return getRequestListener((request, env) => respond(request, wireOf(env)), {
      hostname: 'localhost',
      errorHandler: () => {
        const error = new ServiceError('invalid_request', 'The address or the `Host` header is not valid.')
        const requestId = ids.uuid()
        const headers = { 'Content-Type': 'application/problem+json', 'X-Request-Id': requestId }
        return new Response(JSON.stringify(problemOf(error, { baseUrl: config.baseUrl, requestId })), { status: 400, headers })
      },
    })
  }
  let listener: ReturnType<typeof webListener> | undefined
  const begin = inTurns((incoming: IncomingMessage, outgoing: ServerResponse) => {
    // Its caller has given up while it waited.
    if (incoming.destroyed) return
    const path = isPlainHost(incoming.headers.host) ? plainPath(incoming.url) : undefined
    const found = path === undefined ? undefined : router.find(incoming.method ?? 'GET', path)
    if (path === undefined || found === undefined || !isDirect(found)) {
      void (listener ??= webListener()).then((listen) => listen(incoming, outgoing))
    } else void perform(found, path, { incoming, outgoing })
  })
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 65_000, ...(options.arrival ?? arrival) }, begin)
  answerRawErrors(server, config.baseUrl, ids)
  return {
    app: { request: (address, init) => respond(requestOf(address, init)) },
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

function isDirect(found: Found<Answerer>): found is Found<Answerer> & { value: { perform: Perform } } {
  return 'perform' in found.value
}

/** A body that came for GET is not sent for HEAD. */
function bodiless(method: string, response: Response): Response {
  return method === 'HEAD' ? new Response(null, response) : response
}

function wireOf(env: { incoming: unknown; outgoing: unknown }): Wire {
  // The server below speaks HTTP/1.1 only.
  return { incoming: env.incoming as IncomingMessage, outgoing: env.outgoing as ServerResponse }
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
