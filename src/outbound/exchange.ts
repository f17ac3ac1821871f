// One HTTP exchange on a vetted pool: a deadline for the whole of it from the clock, a cap on received bytes, no
// decompression, and the outcome as a value. Written on undici's `dispatch`: `request` costs a stream a call.
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { Clock } from '../kernel/clock.ts'
import { DialError } from './dial-error.ts'
import type { OutboundOutcome } from './outcome.ts'
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
  const { promise, resolve } = Promise.withResolvers<OutboundOutcome>()
  const chunks: Buffer[] = []
  let size = 0
  let status = 0
  let fields: IncomingHttpHeaders = {}
  let controller: Dispatcher.DispatchController | undefined
  let isSettled = false
  let cancelBody: () => void = () => {}

  const cancelDeadline = after(request.timeoutMs, () => abandon(failed('timeout', `no whole answer within ${request.timeoutMs} ms`)))
  const { signal } = request
  const stopListening = signal && whenAborted(signal, () => abandon(failed('timeout', 'given up by the caller')))

  function settle(outcome: OutboundOutcome): void {
    if (isSettled) return
    isSettled = true
    cancelDeadline()
    cancelBody()
    stopListening?.()
    resolve(outcome)
  }
  /** Settles and drops the connection, whose remaining bytes nobody wants. */
  function abandon(outcome: OutboundOutcome): void {
    settle(outcome)
    controller?.abort(new Error('abandoned'))
  }
  function answer(truncated: boolean): OutboundOutcome {
    const [first = nothing] = chunks
    const body = chunks.length <= 1 ? first : Buffer.concat(chunks, size)
    const head = fields
    return {
      ok: true,
      status,
      // Webhooks never look: most answers are not worth flattening.
      get headers() {
        return flat(head)
      },
      body,
      truncated,
      url: request.url,
      peer: pinned.peer,
    }
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started
      if (isSettled) started.abort(new Error('abandoned'))
    },
    onResponseStart(_, statusCode, received) {
      // Informational heads are bounded by the deadline and mean nothing here.
      if (statusCode < 200) return
      status = statusCode
      fields = received
      if (request.overflow === 'fail') {
        const headers = flat(received)
        const coding = headers['content-encoding']
        if (coding !== undefined && coding !== 'identity') return abandon(failed('protocol', 'encoded body'))
        if (Number(headers['content-length']) > request.maxBytes) return abandon(failed('too_large', `more than ${request.maxBytes} bytes`))
      } else if (request.bodyTimeoutMs !== undefined) {
        cancelBody = after(request.bodyTimeoutMs, () => abandon(answer(true)))
      }
    },
    onResponseData(_, chunk) {
      if (isSettled) return
      const room = request.maxBytes - size
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
      size = Math.min(request.maxBytes, size + chunk.length)
      if (chunk.length <= room) return
      abandon(request.overflow === 'truncate' ? answer(true) : failed('too_large', `more than ${request.maxBytes} bytes`))
    },
    onResponseEnd() {
      settle(answer(false))
    },
    onResponseError(_, error) {
      // With `truncate` the head decides; a body that breaks off changes nothing.
      settle(status > 0 && request.overflow === 'truncate' ? answer(true) : failureOf(error, status > 0))
    },
  }
  try {
    pinned.pool.dispatch({ path: request.path, method: request.method, headers: request.headers, body: request.body ?? null }, handler)
  } catch (error) {
    settle(failed('protocol', error instanceof Error ? error.message : 'not sent'))
  }
  return promise
}

const nothing = Buffer.alloc(0)

const listening = new WeakMap<AbortSignal, Set<() => void>>()

/** One listener a signal, however many exchanges share it: adding and removing one costs more than the rest of it. */
function whenAborted(signal: AbortSignal, fn: () => void): () => void {
  let waiting = listening.get(signal)
  if (waiting === undefined) {
    const fns = new Set<() => void>()
    waiting = fns
    listening.set(signal, fns)
    signal.addEventListener('abort', () => fns.forEach((each) => each()), { once: true })
  }
  const known = waiting
  known.add(fn)
  return () => void known.delete(fn)
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
