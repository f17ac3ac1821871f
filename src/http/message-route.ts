// The projection of a protocol that answers messages, which is the tool protocol: as an operation it reads Node's own message and
// is written in one piece (docs/decisions/007); what speaks while it works is piped.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { MessageCall } from '../kernel/message.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Exchange, Wire } from './exchange.ts'
import type { OperationTools, Perform } from './operation-route.ts'
import { commonHeaders } from './operation-route.ts'
import type { Authenticate, MessageRoute } from './ports.ts'

const nobody: Principal = { kind: 'nobody' }

export function messageRoute(route: MessageRoute, tools: OperationTools): Perform {
  return async (exchange) => {
    const { status, headers: own, body } = await route.answer(new Message(exchange, tools.authenticate))
    tools.completed(exchange, route.path, status)
    const headers = Object.assign(commonHeaders(exchange, tools.cors), own)
    if (body === null || typeof body === 'string') return { status, headers, body }
    const { wire, request } = exchange
    if (wire === undefined || request !== undefined) return { status: 200, response: new Response(body, { headers }) }
    pipe(body, wire, headers)
    return { status: 200, response: null }
  }
}

/** A caller that goes away cancels the stream. */
function pipe(body: ReadableStream<Uint8Array>, { outgoing }: Wire, headers: Record<string, string>): void {
  outgoing.writeHead(200, headers)
  outgoing.flushHeaders()
  void pipeline(Readable.fromWeb(body), outgoing).catch(() => outgoing.destroy())
}

/** A class for its getters: most messages need neither a signal nor a host of the address. */
class Message implements MessageCall {
  readonly method: string
  readonly requestId: string
  readonly address: string
  readonly now: number
  readonly #exchange: Exchange
  readonly #authenticate: Authenticate

  constructor(exchange: Exchange, authenticate: Authenticate) {
    this.method = exchange.method
    this.requestId = exchange.requestId
    this.address = exchange.address
    this.now = exchange.now
    this.#exchange = exchange
    this.#authenticate = authenticate
  }

  get host(): string {
    const { request } = this.#exchange
    return this.header('host') ?? (request === undefined ? '' : new URL(request.url).host)
  }

  get signal(): AbortSignal {
    return this.#exchange.signal
  }

  header(name: string): string | undefined {
    return this.#exchange.header(name)
  }

  headers(): Headers {
    return this.#exchange.headers()
  }

  bytes(maxBytes: number): Promise<Uint8Array> {
    return this.#exchange.bytes(maxBytes)
  }

  /** A cookie would let any page that the person visits act as them. */
  async principal(): Promise<Principal> {
    return this.header('authorization') === undefined ? nobody : this.#authenticate(this.#exchange.presented(true))
  }
}
