// Sends finished spans to a collector by OTLP/HTTP in JSON (opentelemetry-proto 1.x), in batches, losing them rather than
// ever delaying a request.
import type { Clock } from '../kernel/clock.ts'
import type { Log } from './ports.ts'
import type { Trace } from './trace.ts'

export interface Span {
  trace: Trace
  name: string
  startMs: number
  durationMs: number
  status: number
}

export interface SpanExporter {
  add(span: Span): void
  /** Sends what is waiting. */
  flush(): Promise<void>
}

const keptMax = 4_096
const everyMs = 5_000
const serverKind = 2
const errorStatus = 2

export function spanExporter(endpoint: string, clock: Clock, log: Log): SpanExporter {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
  let waiting: Span[] = []
  let armed = false
  const flush = async () => {
    armed = false
    const spans = waiting
    waiting = []
    if (spans.length === 0) return
    try {
      const body = JSON.stringify(document(spans))
      await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, signal: AbortSignal.timeout(5_000) })
    } catch (error) {
      log.warn({ err: error }, 'The collector of spans did not answer')
    }
  }
  return {
    add(span) {
      if (waiting.length < keptMax) waiting.push(span)
      if (armed) return
      armed = true
      clock.after(everyMs, () => void flush())
    },
    flush,
  }
}

function document(spans: readonly Span[]): object {
  const resource = { attributes: [attribute('service.name', 'rostrum')] }
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'rostrum.http' }, spans: spans.map(spanOf) }] }] }
}

function spanOf({ trace, name, startMs, durationMs, status }: Span): object {
  return {
    traceId: trace.traceId,
    spanId: trace.spanId,
    ...(trace.parentId === undefined ? {} : { parentSpanId: trace.parentId }),
    name,
    kind: serverKind,
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(startMs + durationMs),
    attributes: [attribute('http.response.status_code', String(status))],
    ...(status >= 500 ? { status: { code: errorStatus } } : {}),
  }
}

function attribute(key: string, value: string): object {
  return { key, value: { stringValue: value } }
}

function nanos(ms: number): string {
  return `${Math.round(ms * 1000)}000`
}
