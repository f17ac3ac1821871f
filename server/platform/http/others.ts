// Routes that are not operations: pages, discovery documents and protocols. They answer web-standard requests; what they throw becomes a
// page where a browser asks for one, and a problem document everywhere else (RFC 9457), with the OAuth pair beside it.

import { detailOf, errorTable, type ServiceError } from '@rostrum/base/errors'
import type { Principal } from '../principal.ts'
import { compressed, type Exchange, preferred, problemAnswer, visibleError } from './exchange.ts'
import { pageHeaders } from './headers.ts'
import type { FileAnswer, PieceServer } from './pieces.ts'
import type { ErrorPage, HttpConfig, Route, RouteCall } from './ports.ts'
import { commonHeaders, type OperationTools } from './routes.ts'

export interface OtherTools extends OperationTools {
  config: HttpConfig
  pieces: PieceServer
  errorPage(page: ErrorPage): string
}

/** A route of `http/` itself. */
export interface OwnRoute extends Omit<Route, 'handle'> {
  handle(call: RouteCall, exchange: Exchange): Response | FileAnswer | Promise<Response | FileAnswer>
}

/** Never throws. */
export function otherRoute(route: OwnRoute, tools: OtherTools): (exchange: Exchange) => Promise<Response> {
  return async (exchange) => {
    let given: Response | FileAnswer
    try {
      given = await route.handle(callOf(exchange, tools), exchange)
    } catch (error) {
      given = errorResponse(visibleError(error, exchange.requestId, route.path, tools.log), exchange, route.kind === 'page', tools)
    } finally {
      exchange.release()
    }
    const response = given instanceof Response ? given : given.response
    tools.completed(exchange, route.path, response.status)
    const answer = withCommon(response, exchange, tools)
    if (!(given instanceof Response)) return tools.pieces.send(exchange, answer, given.pieces)
    return route.kind === 'protocol' ? answer : compressed(exchange, answer)
  }
}

function callOf(exchange: Exchange, { authenticate }: OtherTools): RouteCall {
  const { request, requestId, address, now } = exchange
  return {
    request,
    params: exchange.params(),
    requestId,
    address,
    now,
    // Random bytes cost more than routing, and only pages need a nonce.
    get nonce() {
      return exchange.nonce
    },
    bytes: (maxBytes) => exchange.bytes(maxBytes),
    principal: (): Promise<Principal> => authenticate(exchange.presented(true)),
  }
}

/** An error as the caller can read it: a page for a browser where pages live, else a problem document. */
export function errorResponse(error: ServiceError, exchange: Exchange, pagesHere: boolean, tools: OtherTools): Response {
  const answer = problemAnswer(error, exchange.requestId, tools)
  const likesPages = pagesHere && preferred(exchange.header('accept'), ['application/problem+json', 'text/html']) === 'text/html'
  if (!likesPages) return new Response(answer.body, { status: answer.status, headers: answer.headers })
  const { nonce, requestId, method } = exchange
  const { baseUrl, assetOrigin } = tools.config
  // A form that was sent would come back empty.
  const again = error.status === 503 && method === 'GET' ? answer.headers['Retry-After'] : undefined
  if (again !== undefined) answer.headers['Refresh'] = again
  const detail = again === undefined ? detailOf(error, baseUrl) : `This page tries again by itself in ${again} seconds.`
  const body = tools.errorPage({ status: error.status, title: errorTable[error.code].title, detail, requestId, nonce })
  const headers = { ...answer.headers, ...pageHeaders({ nonce, baseUrl, assetOrigin, noIndex: true }) }
  return new Response(body, { status: error.status, headers })
}

/** Adds what every answer carries, without touching what the route has set itself. */
export function withCommon(response: Response, exchange: Exchange, tools: OperationTools): Response {
  for (const [name, value] of Object.entries(commonHeaders(exchange, tools.cors))) {
    if (name === 'Vary') response.headers.append(name, value)
    else if (!response.headers.has(name)) response.headers.set(name, value)
  }
  return response
}
