// What happens when an answer is ready: it is counted, logged where it is worth a line, and its span goes out. The line has
// the route's pattern, never the address: tokens and names travel in addresses.
import type { Clock } from '../kernel/clock.ts'
import type { Exchange } from './exchange.ts'
import type { RequestMetrics } from './observe.ts'
import type { Log } from './ports.ts'
import type { SpanExporter } from './spans.ts'

/** Slower answers are always logged. */
const slowMs = 1_000
/** Of the rest one in so many. */
const sampleEvery = 100

export type Completed = (exchange: Exchange, route: string, status: number) => void

export function completion(clock: Clock, metrics: RequestMetrics, log: Log, spans: SpanExporter | undefined): Completed {
  let seen = 0
  return (exchange, route, status) => {
    const ms = clock.elapsed() - exchange.startedMs
    metrics.observe(exchange.method, route, status, ms)
    if (spans !== undefined && exchange.trace?.sampled) {
      spans.add({ trace: exchange.trace, method: exchange.method, route, startMs: exchange.now, durationMs: ms, status })
    }
    if (status < 500 && ms < slowMs && ++seen % sampleEvery !== 0) return
    const fields = { requestId: exchange.requestId, method: exchange.method, route, status, ms: Math.round(ms * 10) / 10 }
    const traced = exchange.trace === undefined ? fields : { ...fields, traceId: exchange.trace.traceId }
    // A 503 is a plain answer: starting, stopping, or out of reach for a moment.
    if (status === 503) log.info(traced, 'not available')
    else if (status >= 500) log.error(traced, 'request failed')
    else if (ms >= slowMs) log.warn(traced, 'slow request')
    else log.info(traced, 'request')
  }
}
