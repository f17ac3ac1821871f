// Routes that are not operations: pages, discovery documents, OAuth and the tool protocol. They answer web-standard
// requests; what they throw becomes a page where a browser asks for one, and a problem document everywhere else.
import type { ServiceError } from '../kernel/errors.ts'
import { errorTable } from '../kernel/errors.ts'
import { preferred } from './accept.ts'
import { compressedResponse } from './compressed.ts'
import type { Exchange } from './exchange.ts'
import type { Handle, OperationTools } from './operation-route.ts'
import { commonHeaders } from './operation-route.ts'
import { pageHeaders } from './page-headers.ts'
import type { ErrorPage, HttpConfig, Route, RouteCall } from './ports.ts'
import { problemAnswer, visibleError } from './problem.ts'

export interface OtherTools extends OperationTools {
  config: HttpConfig
  errorPage(page: ErrorPage): string
}

export function otherRoute(route: Route, tools: OtherTools): Handle {
  return async (exchange) => {
    let response: Response
    try {
      response = await route.handle(routeCall(exchange, tools))
    } catch (error) {
      response = errorResponse(visibleError(error, exchange.requestId, route.path, tools.log), exchange, route.kind === 'page', tools)
    }
    tools.completed(exchange, route.path, response.status)
    const answer = withCommon(response, exchange, tools)
    return route.kind === 'protocol' ? answer : compressedResponse(answer, exchange.header('accept-encoding'))
  }
}

function routeCall(exchange: Exchange, tools: OtherTools): RouteCall {
  const { requestId, address, now, nonce } = exchange
  const { raw: request } = exchange.context.req
  const params = exchange.context.req.param()
  return { request, params, requestId, address, now, nonce, principal: () => tools.authenticate(exchange.presented(true)) }
}

/** An error as the caller can read it: a page for a browser where pages live, else a problem document. */
export function errorResponse(error: ServiceError, exchange: Exchange, pagesHere: boolean, tools: OtherTools): Response {
  const answer = problemAnswer(error, exchange.requestId, tools)
  const likesPages = pagesHere && preferred(exchange.header('accept'), ['application/problem+json', 'text/html']) === 'text/html'
  if (!likesPages) return new Response(answer.body, { status: answer.status, headers: answer.headers })
  const { nonce, requestId } = exchange
  const { baseUrl, assetOrigin } = tools.config
  const body = tools.errorPage({ status: error.status, title: errorTable[error.code].title, detail: error.message, requestId, nonce })
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
