// One request as the routes see it. Everything is read lazily and, on a real connection, from Node's own message: building a
// web-standard Request with its Headers costs more than the rest of a call.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { ClientAddress } from './client-address.ts'
import type { Presented } from './ports.ts'
import { readIncoming, readRequest } from './read-bytes.ts'
import type { Trace } from './trace.ts'
import { continueTrace, startTrace } from './trace.ts'

/** Both sides of a request on a real connection. */
export interface Wire {
  incoming: IncomingMessage
  outgoing: ServerResponse
}

/** A request that has found its route. At least one of `wire` and `request` is there; both where a page needs the standard form. */
export interface Arrival {
  method: string
  /** Without the query. */
  path: string
  params: Readonly<Record<string, string>>
  wire?: Wire | undefined
  request?: Request
}

export interface ExchangeTools {
  clock: Clock
  ids: Ids
  addressOf: ClientAddress
  /** Start a trace for every request, because spans are exported. */
  tracesAll: boolean
}

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const never = new AbortController().signal

/** A class, because it has identity and a life: from the head of the request to the end of the response. */
export class Exchange {
  readonly method: string
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly wire: Wire | undefined
  readonly request: Request | undefined
  readonly requestId: string
  readonly now: number
  readonly startedMs: number
  readonly address: string
  readonly trace: Trace | undefined
  /** The connection was taken over by a stream: the end of the response no longer means that the caller has gone. */
  isHandedOver = false
  #tools: ExchangeTools
  #abort: AbortController | undefined
  #nonce: string | undefined

  constructor({ method, path, params, wire, request }: Arrival, tools: ExchangeTools) {
    this.method = method
    this.path = path
    this.params = params
    this.wire = wire
    this.request = request
    this.#tools = tools
    this.now = tools.clock.now()
    this.startedMs = tools.clock.elapsed()
    const given = this.header('x-request-id')
    this.requestId = given !== undefined && uuidShape.test(given) ? given : tools.ids.uuid()
    this.address = tools.addressOf(wire?.incoming.socket.remoteAddress, this.header('x-forwarded-for'))
    this.trace = continueTrace(this.header('traceparent'), tools.ids) ?? (tools.tracesAll ? startTrace(tools.ids) : undefined)
  }

  /** A header by its lower-case name. */
  header(name: string): string | undefined {
    if (this.wire === undefined) return this.request?.headers.get(name) ?? undefined
    const value = this.wire.incoming.headers[name]
    return typeof value === 'string' ? value : value?.[0]
  }

  /** All of them, in the web-standard form. */
  headers(): Headers {
    if (this.wire === undefined) return new Headers(this.request?.headers)
    const headers = new Headers()
    for (const [name, value] of Object.entries(this.wire.incoming.headers)) {
      if (value !== undefined) headers.set(name, typeof value === 'string' ? value : value.join(', '))
    }
    return headers
  }

  /** Every `Authorization` header: Node keeps only the first in `headers`. */
  authorization(): readonly string[] {
    if (this.wire === undefined) {
      const value = this.header('authorization')
      return value === undefined ? [] : [value]
    }
    const { incoming } = this.wire
    if (incoming.headers.authorization === undefined) return []
    const raw = incoming.rawHeaders
    const values: string[] = []
    for (let at = 0; at < raw.length; at += 2) {
      const [name, value] = [raw[at] ?? '', raw[at + 1] ?? '']
      if (name.length === 13 && name.toLowerCase() === 'authorization') values.push(value)
    }
    return values
  }

  presented(isOpen: boolean, queryToken?: string): Presented {
    return {
      method: this.method,
      authorization: this.authorization(),
      header: (name) => this.header(name),
      address: this.address,
      now: this.now,
      path: this.path,
      isOpen,
      ...(queryToken === undefined ? {} : { queryToken }),
    }
  }

  /** The query without its `?`; undefined where there is none. */
  get queryText(): string | undefined {
    const url = this.wire?.incoming.url ?? this.request?.url ?? ''
    const start = url.indexOf('?')
    if (start === -1) return undefined
    const end = url.indexOf('#', start)
    return url.slice(start + 1, end === -1 ? undefined : end)
  }

  async bytes(maxBytes: number): Promise<Uint8Array> {
    if (this.wire !== undefined) return readIncoming(this.wire.incoming, maxBytes)
    return this.request === undefined ? new Uint8Array() : readRequest(this.request, maxBytes)
  }

  /** Aborts when the caller has gone before the response was finished. */
  get signal(): AbortSignal {
    const outgoing = this.wire?.outgoing
    if (outgoing === undefined) return this.request?.signal ?? never
    if (this.#abort === undefined) {
      const abort = new AbortController()
      this.#abort = abort
      outgoing.once('close', () => {
        if (!outgoing.writableFinished && !this.isHandedOver) abort.abort()
      })
    }
    return this.#abort.signal
  }

  get nonce(): string {
    this.#nonce ??= Buffer.from(this.#tools.ids.bytes(16)).toString('base64url')
    return this.#nonce
  }
}
