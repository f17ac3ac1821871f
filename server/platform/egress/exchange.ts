// One HTTP exchange with vetted addresses: a deadline for the whole of it from the clock, a cap on received bytes, no decompression, and
// the outcome as a value. The client is undici's; what it looks up is what was vetted, never a name (Spec 6.4.2).
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { buildConnector, type Dispatcher, Pool } from 'undici'
import type { Clock } from '@rostrum/base/clock'
import { type Destination, failed, type OutboundOutcome } from './destination.ts'

export interface ExchangeRequest {
  method: 'GET' | 'HEAD' | 'POST'
  /** No credential and no cookie of anybody belongs here. */
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array | undefined
  /** Received bytes kept at most; nothing is decompressed. */
  maxBytes: number
  /** What a longer body means; `truncate` keeps the first `maxBytes` and drops the connection: the status counts. */
  overflow: 'fail' | 'truncate'
  /** With `truncate`: how long the body may take once the head is there. */
  bodyTimeoutMs: number | undefined
  timeoutMs: number
  signal: AbortSignal | undefined
}

/** A connection that could not be made. */
class DialError extends Error {
  readonly stage: 'connect' | 'tls'
  constructor(stage: 'connect' | 'tls', code: string) {
    super(`${stage}: ${code}`)
    this.stage = stage
  }
}

interface Pinned {
  pool: Pool
  /** Address of the newest connection. */
  peer: string
}

const poolsMax = 256
const idleMs = 10_000
const dialMs = 5_000
/** Of one address, where a name has several; Node's own 250 ms give up on what is far away. */
const dialOneMs = 1_500
const addressesMax = 4
/** Heads of 1xx, which mean nothing here: some receivers send one, and who sends them without end is not waited for. */
const informationalMax = 10
/** What can fail before a handshake begins. */
const unconnected = /^(?:E(?:CONNREFUSED|HOSTUNREACH|NETUNREACH|TIMEDOUT|ADDRNOTAVAIL|INVAL|ACCES)|UND_ERR_CONNECT_TIMEOUT)$/

export function createExchanges(clock: Clock) {
  // Keyed by origin and vetted addresses: a socket never outlives the verdict that opened it, because another verdict is another pool.
  const pools = new Map<string, Pinned>()

  function poolOf(destination: Destination, addresses: readonly string[]): Pinned {
    const key = `${destination.origin} ${addresses.length === 1 ? addresses[0] : addresses.toSorted().join(' ')}`
    const known = pools.get(key)
    if (known !== undefined) return known
    const [oldest] = pools
    if (pools.size >= poolsMax && oldest !== undefined) {
      pools.delete(oldest[0])
      void oldest[1].pool.close()
    }
    const opened = open(destination.origin, addresses)
    pools.set(key, opened)
    return opened
  }

  return {
    send: (destination: Destination, addresses: readonly string[], request: ExchangeRequest): Promise<OutboundOutcome> =>
      new Promise((settled) => void new Exchange(poolOf(destination, addresses), destination, request, clock, settled)),
    async close(): Promise<void> {
      const all = [...pools.values()]
      pools.clear()
      await Promise.all(all.map(({ pool }) => pool.destroy()))
    },
  }
}

function open(origin: string, addresses: readonly string[]): Pinned {
  const vetted = addresses.slice(0, addressesMax).map((address) => ({ address, family: isIP(address) }))
  const dial = buildConnector({
    allowH2: false,
    timeout: dialMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: dialOneMs,
    lookup: (_name, _options, found) => found(null, vetted),
  })
  const pool = new Pool(origin, {
    connect(options, callback) {
      dial(options, (error, socket) => {
        if (error !== null) return callback(dialError(error, options.protocol), null)
        pinned.peer = socket.remoteAddress ?? pinned.peer
        callback(null, socket)
      })
    },
    connections: 32,
    pipelining: 1,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    maxHeaderSize: 16_384,
    // Undici's timers are coarse and count idle time only: the exchange has a deadline of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const pinned: Pinned = { pool, peer: addresses[0] ?? '' }
  return pinned
}

/** On undici's `dispatch`, which spares every webhook a stream, a signal and a promise of each: a third of what it costs. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #pinned: Pinned
  readonly #url: string
  readonly #request: ExchangeRequest
  readonly #clock: Clock
  readonly #settled: (outcome: OutboundOutcome) => void
  readonly #cancelDeadline: () => void
  readonly #giveUp = () => this.#abandon(failed('timeout', 'given up by the caller'))
  #cancelBody: (() => void) | undefined
  #controller: Dispatcher.DispatchController | undefined
  #isSettled = false
  #informed = 0
  #status = 0
  #fields: IncomingHttpHeaders = {}
  #room: number
  readonly #chunks: Buffer[] = []

  constructor(
    pinned: Pinned,
    { origin, path }: Destination,
    request: ExchangeRequest,
    clock: Clock,
    settled: (outcome: OutboundOutcome) => void,
  ) {
    this.#pinned = pinned
    this.#url = origin + path
    this.#request = request
    this.#clock = clock
    this.#settled = settled
    this.#room = request.maxBytes
    const { method, headers, body = null, timeoutMs, signal } = request
    this.#cancelDeadline = clock.after(timeoutMs, () => this.#abandon(failed('timeout', `no whole answer within ${timeoutMs} ms`)))
    signal?.addEventListener('abort', this.#giveUp)
    try {
      pinned.pool.dispatch({ path, method, headers, body }, this)
    } catch (error) {
      this.#settle(failureOf(error, true))
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isSettled) controller.abort(new Error('abandoned'))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, fields: IncomingHttpHeaders): void {
    if (status < 200) {
      if (++this.#informed > informationalMax) this.#abandon(failed('protocol', `more than ${informationalMax} informational heads`))
      return
    }
    this.#status = status
    this.#fields = fields
    const { overflow, maxBytes, bodyTimeoutMs } = this.#request
    if (overflow === 'truncate') {
      if (bodyTimeoutMs !== undefined) this.#cancelBody = this.#clock.after(bodyTimeoutMs, () => this.#abandon(this.#answer(true)))
    } else if ((fields['content-encoding'] ?? 'identity') !== 'identity') this.#abandon(failed('protocol', 'encoded body'))
    else if (Number(fields['content-length']) > maxBytes) this.#abandon(tooLarge(maxBytes))
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return
    this.#chunks.push(chunk.subarray(0, this.#room))
    this.#room -= chunk.length
    if (this.#room < 0) this.#abandon(this.#request.overflow === 'truncate' ? this.#answer(true) : tooLarge(this.#request.maxBytes))
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
    this.#request.signal?.removeEventListener('abort', this.#giveUp)
    this.#settled(outcome)
  }

  /** Settles and drops the connection, whose remaining bytes nobody wants. */
  #abandon(outcome: OutboundOutcome): void {
    this.#settle(outcome)
    this.#controller?.abort(new Error('abandoned'))
  }

  #answer(truncated: boolean): OutboundOutcome {
    const [first = Buffer.alloc(0), ...others] = this.#chunks
    const body = others.length === 0 ? first : Buffer.concat(this.#chunks)
    return { ok: true, status: this.#status, headers: flat(this.#fields), body, truncated, url: this.#url, peer: this.#pinned.peer }
  }
}

const tooLarge = (maxBytes: number) => failed('too_large', `more than ${maxBytes} bytes`)

function flat(fields: IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return headers
}

/** Told apart by what a refused connection is called: with several addresses the last one counts. */
function dialError(error: Error, protocol: string): DialError {
  const last: unknown = error instanceof AggregateError ? error.errors.at(-1) : error
  const code = codeOf(last)
  return new DialError(protocol === 'https:' && !unconnected.test(code) ? 'tls' : 'connect', code)
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

function failureOf(error: unknown, hasHead: boolean): OutboundOutcome {
  if (error instanceof DialError) return failed(error.stage, error.message)
  const code = codeOf(error)
  const isSocket = /^(?:UND_ERR_(?:SOCKET|CLOSED|DESTROYED)|ECONNRESET|EPIPE)$/.test(code)
  return failed(isSocket && !hasHead ? 'connect' : 'protocol', code)
}
