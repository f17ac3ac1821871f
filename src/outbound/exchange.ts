// One HTTP exchange on a vetted pool: a deadline for the whole of it from the clock, a cap on received bytes, no
// decompression, and the outcome as a value. Written on undici's `dispatch`: `request` costs a stream a call.
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { Bag } from '../kernel/bag.ts'
import type { Clock } from '../kernel/clock.ts'
import { DialError } from './dial-error.ts'
import type { OutboundOutcome, OutboundResponse } from './outcome.ts'
import { failed } from './outcome.ts'
import type { PinnedPool } from './pools.ts'

export interface ExchangeRequest {
  method: 'GET' | 'HEAD' | 'POST'
  url: string
  path: string
  /** Names and values in turn. */
  headers: string[]
  body: string | Uint8Array | undefined
  maxBytes: number
  /** What a longer body means; `truncate` keeps the first `maxBytes` and drops the connection. */
  overflow: 'fail' | 'truncate'
  /** With `truncate`: how long the body may take once the head is there. */
  bodyTimeoutMs: number | undefined
  timeoutMs: number
  signal: AbortSignal | undefined
}

export function exchange(pinned: PinnedPool, request: ExchangeRequest, after: Clock['after']): Promise<OutboundOutcome> {
  return new Promise((resolve) => new Exchange(pinned, request, after, resolve).start())
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #pinned: PinnedPool
  readonly #request: ExchangeRequest
  readonly #after: Clock['after']
  readonly #resolve: (outcome: OutboundOutcome) => void
  readonly #cancelDeadline: () => void
  readonly #stopListening: (() => void) | undefined
  #cancelBody: (() => void) | undefined
  #controller: Dispatcher.DispatchController | undefined
  readonly #chunks: Buffer[] = []
  #size = 0
  #status = 0
  #fields: IncomingHttpHeaders = {}
  #isSettled = false

  constructor(pinned: PinnedPool, request: ExchangeRequest, after: Clock['after'], resolve: (outcome: OutboundOutcome) => void) {
    this.#pinned = pinned
    this.#request = request
    this.#after = after
    this.#resolve = resolve
    const { timeoutMs, signal } = request
    this.#cancelDeadline = after(timeoutMs, () => this.#abandon(failed('timeout', `no whole answer within ${timeoutMs} ms`)))
    this.#stopListening = signal && whenAborted(signal, () => this.#abandon(failed('timeout', 'given up by the caller')))
  }

  start(): void {
    const { path, method, headers, body = null } = this.#request
    try {
      this.#pinned.pool.dispatch({ path, method, headers, body }, this)
    } catch (error) {
      this.#settle(failed('protocol', error instanceof Error ? error.message : 'not sent'))
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isSettled) controller.abort(new Error('abandoned'))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, fields: IncomingHttpHeaders): void {
    // Informational heads are bounded by the deadline and mean nothing here.
    if (status < 200) return
    this.#status = status
    this.#fields = fields
    const { overflow, maxBytes, bodyTimeoutMs } = this.#request
    if (overflow === 'fail') {
      const headers = flat(fields)
      const coding = headers['content-encoding']
      if (coding !== undefined && coding !== 'identity') return this.#abandon(failed('protocol', 'encoded body'))
      if (Number(headers['content-length']) > maxBytes) return this.#abandon(tooLarge(maxBytes))
    } else if (bodyTimeoutMs !== undefined) {
      this.#cancelBody = this.#after(bodyTimeoutMs, () => this.#abandon(this.#answer(true)))
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return
    const { maxBytes, overflow } = this.#request
    const room = maxBytes - this.#size
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk
    this.#chunks.push(kept)
    this.#size += kept.length
    if (chunk.length > room) this.#abandon(overflow === 'truncate' ? this.#answer(true) : tooLarge(maxBytes))
  }

  onResponseEnd(): void {
    this.#settle(this.#answer(false))
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const hasHead = this.#status > 0
    // With `truncate` the head decides; a body that breaks off changes nothing.
    this.#settle(hasHead && this.#request.overflow === 'truncate' ? this.#answer(true) : failureOf(error, hasHead))
  }

  #settle(outcome: OutboundOutcome): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#cancelDeadline()
    this.#cancelBody?.()
    this.#stopListening?.()
    this.#resolve(outcome)
  }

  /** Settles and drops the connection, whose remaining bytes nobody wants. */
  #abandon(outcome: OutboundOutcome): void {
    this.#settle(outcome)
    this.#controller?.abort(new Error('abandoned'))
  }

  #answer(truncated: boolean): OutboundOutcome {
    const chunks = this.#chunks
    const body = chunks.length > 1 ? Buffer.concat(chunks, this.#size) : (chunks[0] ?? nothing)
    return new Answer(this.#status, this.#fields, body, truncated, this.#request.url, this.#pinned.peer)
  }
}

class Answer implements OutboundResponse {
  readonly ok = true
  readonly status: number
  readonly body: Uint8Array
  readonly truncated: boolean
  readonly url: string
  readonly peer: string
  readonly #fields: IncomingHttpHeaders

  constructor(status: number, fields: IncomingHttpHeaders, body: Uint8Array, truncated: boolean, url: string, peer: string) {
    this.status = status
    this.#fields = fields
    this.body = body
    this.truncated = truncated
    this.url = url
    this.peer = peer
  }

  /** Webhooks never look: most answers are not worth flattening. */
  get headers(): Record<string, string> {
    return flat(this.#fields)
  }
}

const tooLarge = (maxBytes: number) => failed('too_large', `more than ${maxBytes} bytes`)

const nothing = Buffer.alloc(0)

const listening = new WeakMap<AbortSignal, Bag<() => void>>()

/** One listener a signal, however many exchanges share it: adding and removing one costs more than the rest of it. */
function whenAborted(signal: AbortSignal, fn: () => void): () => void {
  let waiting = listening.get(signal)
  if (waiting === undefined) {
    const fns = new Bag<() => void>()
    waiting = fns
    listening.set(signal, fns)
    signal.addEventListener('abort', () => fns.places().forEach(({ value }) => value()), { once: true })
  }
  const known = waiting
  const place = known.add(fn)
  return () => void known.remove(place)
}

function flat(fields: IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return headers
}

function failureOf(error: Error, hasHead: boolean): OutboundOutcome {
  if (error instanceof DialError) return failed(error.stage, error.message)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  const isSocket =
    code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_CLOSED' || code === 'UND_ERR_DESTROYED'
  return failed(isSocket && !hasHead ? 'connect' : 'protocol', code)
}
