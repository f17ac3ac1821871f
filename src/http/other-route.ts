// Routes that are not operations: pages, discovery documents and OAuth. They answer web-standard
// requests; what they throw becomes a page where a browser asks for one, and a problem document everywhere else.
import type { ServiceError } from '../kernel/errors.ts'
import { errorTable } from '../kernel/errors.ts'
import type { Principal } from '../kernel/principal.ts'
import { preferred } from './accept.ts'
import { compressedResponse } from './compressed.ts'
import type { Exchange } from './exchange.ts'
import type { Encode } from './kept-codings.ts'
import type { OperationTools } from './operation-route.ts'
import { commonHeaders } from './operation-route.ts'
import { pageHeaders } from './page-headers.ts'
import type { ErrorPage, HttpConfig, Route, RouteCall } from './ports.ts'
import { problemAnswer, visibleError } from './problem.ts'

export interface OtherTools extends OperationTools {
  config: HttpConfig
  errorPage(page: ErrorPage): string
  codings: Encode
}

export type Handle = (exchange: Exchange, request: Request) => Promise<Response>

export function otherRoute(route: Route, tools: OtherTools): Handle {
  return async (exchange, request) => {
    let response: Response
    try {
      response = await route.handle(new OtherCall(exchange, request, tools))
    } catch (error) {
      response = errorResponse(visibleError(error, exchange.requestId, route.path, tools.log), exchange, route.kind === 'page', tools)
    }
    tools.completed(exchange, route.path, response.status)
    const answer = withCommon(response, exchange, tools)
    return route.kind === 'protocol' ? answer : compressedResponse(answer, exchange.header('accept-encoding'), tools.codings)
  }
}

/** A class for its getter: random bytes cost more than routing, and only pages need a nonce. */
class OtherCall implements RouteCall {
  readonly request: Request
  readonly params: Readonly<Record<string, string>>
  readonly requestId: string
  readonly address: string
  readonly now: number
  readonly principal: () => Promise<Principal>
  readonly #exchange: Exchange

  constructor(exchange: Exchange, request: Request, { authenticate }: OtherTools) {
    this.request = request
    this.params = exchange.params
    this.requestId = exchange.requestId
    this.address = exchange.address
    this.now = exchange.now
    // By way of a name: a function that is written into a member at once counts as old from its birth, and keeps the whole exchange
    // until the next full collection.
    const principal = () => authenticate(exchange.presented(true))
    this.principal = principal
    this.#exchange = exchange
  }

  get nonce(): string {
    return this.#exchange.nonce
  }
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
