// The HTTP surface: one Hono app built from the list of operations and the other routes, and the server that listens.
// The routing table is made once; every route is a single handler, so no middleware runs on the way.
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { problemOf, ServiceError } from '../kernel/errors.ts'
import { clientAddress } from './client-address.ts'
import { completion } from './completed.ts'
import { corsFor } from './cors.ts'
import type { Env } from './exchange.ts'
import { Exchange } from './exchange.ts'
import { feedServer } from './feeds.ts'
import { fileRoutes } from './file-routes.ts'
import { requestMetrics } from './observe.ts'
import type { Handle } from './operation-route.ts'
import { operationRoute } from './operation-route.ts'
import type { OtherTools } from './other-route.ts'
import { errorResponse, otherRoute, withCommon } from './other-route.ts'
import { bySpecificity, honoPath, pathTable } from './path-table.ts'
import type { HttpOptions, Route } from './ports.ts'
import { probeRoutes } from './probes.ts'
import { answerRawErrors } from './raw-errors.ts'
import type { Operation } from '../kernel/operation.ts'
import { spanExporter } from './spans.ts'

export interface Http {
  /** For tests and in-process callers: `app.request('/healthz')`. */
  app: Hono<Env>
  /** Binds the configured host and port; gives the port, which matters when 0 was asked for. */
  listen(): Promise<number>
  /** Takes no new calls, ends streams so that they resume elsewhere, lets running calls finish for at most `graceMs`. */
  close(graceMs?: number): Promise<void>
}

export function createHttp(options: HttpOptions): Http {
  const { config, clock, ids, log } = options
  const cors = corsFor(config.baseUrl, config.corsOrigins)
  const feeds = feedServer(clock)
  const metrics = requestMetrics()
  const spans = config.otlpEndpoint === null ? undefined : spanExporter(config.otlpEndpoint, clock, log)
  const completed = completion(clock, metrics, log, spans)
  const tools: OtherTools = { ...options, baseUrl: config.baseUrl, cors, feeds, completed }
  const exchangeTools = { clock, ids, addressOf: clientAddress(config.trustProxy), tracesAll: spans !== undefined }
  const gauges = () => ({
    rostrum_streams_open: { help: 'Event streams open in this process.', value: feeds.count() },
    ...options.gauges?.(),
  })

  const app = new Hono<Env>()
  const paths = pathTable()
  const mount = ({ method, path, handle }: Mounted) => {
    const respond = (context: Exchange['context']) => handle(new Exchange(context, exchangeTools))
    if (method === 'ALL') app.all(path, respond)
    else app.on(method, path, respond)
    if (method !== 'ALL') paths.add(method, path)
  }
  const routes: readonly Route[] = [...probeRoutes(options, metrics, gauges), ...fileRoutes(options), ...options.routes]
  const all = [...operationRoutes(options.operations, tools), ...routes.map((route) => ({ ...route, handle: otherRoute(route, tools) }))]
  for (const mounted of all.toSorted((a, b) => bySpecificity(a.path, b.path))) mount(mounted)

  /** What no route took: a preflight, a wrong method, an unknown address. */
  app.notFound((context) => {
    const exchange = new Exchange(context, exchangeTools)
    const methods = paths.methodsOf(context.req.path)
    const response = withCommon(unrouted(exchange, methods), exchange, tools)
    completed(exchange, 'unrouted', response.status)
    return response
  })
  function unrouted(exchange: Exchange, methods: readonly string[]): Response {
    if (methods.length > 0 && exchange.method === 'OPTIONS') {
      return new Response(null, {
        status: 204,
        headers: { Allow: methods.join(', '), ...cors.preflight(exchange.header('origin'), methods) },
      })
    }
    const isApi = exchange.context.req.path.startsWith('/api/')
    if (methods.length === 0)
      return errorResponse(new ServiceError('not_found', 'Nothing answers at this address: see /docs.'), exchange, !isApi, tools)
    const allow = methods.join(', ')
    return errorResponse(new ServiceError('method_not_allowed', `Use ${allow}.`, { headers: { Allow: allow } }), exchange, false, tools)
  }
  app.onError((error, context) => {
    // Every route answers its own errors: this is a fault of the surface itself.
    const exchange = new Exchange(context, exchangeTools)
    log.error({ requestId: exchange.requestId, err: error }, 'The HTTP surface failed')
    return errorResponse(new ServiceError('internal_error', 'Something went wrong on our side.'), exchange, false, tools)
  })

  const server = serverFor(app, options)
  return {
    app,
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

interface Mounted {
  method: string
  path: string
  handle: Handle
}

function operationRoutes(operations: readonly Operation[], tools: OtherTools): readonly Mounted[] {
  return operations.flatMap((operation) => {
    const view = operation.http
    return view === undefined ? [] : [{ method: view.method, path: honoPath(view.path), handle: operationRoute(operation, view, tools) }]
  })
}

function serverFor(app: Hono<Env>, { config, ids }: HttpOptions): Server {
  const listener = getRequestListener((request, env) => app.fetch(request, env), {
    hostname: 'localhost',
    errorHandler: () => {
      const error = new ServiceError('invalid_request', 'The address or the `Host` header is not valid.')
      const requestId = ids.uuid()
      const headers = { 'Content-Type': 'application/problem+json', 'X-Request-Id': requestId }
      return new Response(JSON.stringify(problemOf(error, { baseUrl: config.baseUrl, requestId })), { status: 400, headers })
    },
  })
  const server = createServer(
    { requireHostHeader: false, keepAliveTimeout: 65_000 },
    (request, response) => void listener(request, response),
  )
  answerRawErrors(server, config.baseUrl, ids)
  return server
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
