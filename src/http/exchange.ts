// One request as the operations' routes see it. Everything is read lazily and, on a real connection, from Node's own
// message: building a web-standard Request with its Headers costs more than the rest of a call.
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { ClientAddress } from './client-address.ts'
import type { Presented } from './ports.ts'
import { readIncoming, readRequest } from './read-bytes.ts'
import type { Trace } from './trace.ts'
import { continueTrace, startTrace } from './trace.ts'

/** Empty when a test calls the app without a socket. */
export type Env = { Bindings: Partial<HttpBindings> }

export interface ExchangeTools {
  clock: Clock
  ids: Ids
  addressOf: ClientAddress
  /** Start a trace for every request, because spans are exported. */
  tracesAll: boolean
}

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A class, because it has identity and a life: from the head of the request to the end of the response. */
export class Exchange {
  readonly context: Context<Env>
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

  constructor(context: Context<Env>, tools: ExchangeTools) {
    this.context = context
    this.#tools = tools
    this.now = tools.clock.now()
    this.startedMs = tools.clock.elapsed()
    const given = this.header('x-request-id')
    this.requestId = given !== undefined && uuidShape.test(given) ? given : tools.ids.uuid()
    this.address = tools.addressOf(context.env?.incoming?.socket.remoteAddress, this.header('x-forwarded-for'))
    this.trace = continueTrace(this.header('traceparent'), tools.ids) ?? (tools.tracesAll ? startTrace(tools.ids) : undefined)
  }

  get method(): string {
    return this.context.req.method
  }

  /** A header by its lower-case name. */
  header(name: string): string | undefined {
    const incoming = this.context.env?.incoming
    if (incoming === undefined) return this.context.req.raw.headers.get(name) ?? undefined
    const value = incoming.headers[name]
    return typeof value === 'string' ? value : value?.[0]
  }

  /** Every `Authorization` header: Node keeps only the first in `headers`. */
  authorization(): readonly string[] {
    const incoming = this.context.env?.incoming
    if (incoming === undefined) {
      const value = this.context.req.raw.headers.get('authorization')
      return value === null ? [] : [value]
    }
    if (incoming.headers.authorization === undefined) return []
    const raw = incoming.rawHeaders
    return raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.length === 13 && raw[at - 1]?.toLowerCase() === 'authorization')
  }

  presented(isOpen: boolean, queryToken?: string): Presented {
    return {
      method: this.method,
      authorization: this.authorization(),
      header: (name) => this.header(name),
      address: this.address,
      now: this.now,
      path: this.context.req.path,
      isOpen,
      ...(queryToken === undefined ? {} : { queryToken }),
    }
  }

  /** The query without its `?`; undefined where there is none. */
  get queryText(): string | undefined {
    const url = this.context.env?.incoming?.url ?? this.context.req.url
    const start = url.indexOf('?')
    if (start === -1) return undefined
    const end = url.indexOf('#', start)
    return url.slice(start + 1, end === -1 ? undefined : end)
  }

  bytes(maxBytes: number): Promise<Uint8Array> {
    const incoming = this.context.env?.incoming
    return incoming === undefined ? readRequest(this.context.req.raw, maxBytes) : readIncoming(incoming, maxBytes)
  }

  /** Aborts when the caller has gone before the response was finished. */
  get signal(): AbortSignal {
    const outgoing = this.context.env?.outgoing
    if (outgoing === undefined) return this.context.req.raw.signal
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
