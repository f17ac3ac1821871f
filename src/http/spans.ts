// Sends finished spans to a collector by OTLP/HTTP in JSON (opentelemetry-proto 1.x), in batches, losing them rather than
// ever delaying a request.
import type { Clock } from '../kernel/clock.ts'
import type { Log } from './ports.ts'
import type { Trace } from './trace.ts'

export interface Span {
  trace: Trace
  method: string
  /** The pattern, never the address. */
  route: string
  startMs: number
  durationMs: number
  status: number
}

export interface SpanExporter {
  add(span: Span): void
  /** Sends what is waiting, and waits for what is on its way. */
  flush(): Promise<void>
}

/** A full batch goes at once, a smaller one after a while. */
const batchSize = 1_024
const everyMs = 5_000
/** While so many are on their way the collector does not keep up: what comes beyond the next batch is lost. */
const sendingMax = 4

export function spanExporter(endpoint: string, clock: Clock, log: Log): SpanExporter {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
  const sending = new Set<Promise<void>>()
  let waiting: Span[] = []
  let disarm: (() => void) | undefined

  function send(): void {
    disarm?.()
    disarm = undefined
    if (waiting.length === 0 || sending.size >= sendingMax) return
    const work = post(waiting).finally(() => {
      sending.delete(work)
      if (waiting.length >= batchSize) send()
    })
    waiting = []
    sending.add(work)
  }

  async function post(spans: readonly Span[]): Promise<void> {
    try {
      const body = document(spans)
      const sent = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, signal: AbortSignal.timeout(5_000) }
      // Read to its end, or the connection is of no more use.
      await (await fetch(url, sent)).arrayBuffer()
    } catch (error) {
      log.warn({ err: error }, 'The collector of spans did not answer')
    }
  }

  return {
    add(span) {
      if (waiting.length >= batchSize) return
      waiting.push(span)
      if (waiting.length === batchSize) send()
      else disarm ??= clock.after(everyMs, send)
    },
    async flush() {
      while (sending.size > 0 || waiting.length > 0) {
        send()
        await Promise.all(sending)
      }
    },
  }
}

/** Written as text: the shape never changes, and objects for it would cost more than the spans. */
function document(spans: readonly Span[]): string {
  const resource = '{"attributes":[{"key":"service.name","value":{"stringValue":"rostrum"}}]}'
  const texts = spans.map((span) => spanText(span))
  return `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"scope":{"name":"rostrum.http"},"spans":[${texts.join()}]}]}]}`
}

/** Kind 2 is a server's span, status 2 an error; ids are hex. */
function spanText({ trace, method, route, startMs, durationMs, status }: Span): string {
  const name = JSON.stringify(`${method} ${route}`)
  const parent = trace.parentId === undefined ? '' : `"parentSpanId":"${trace.parentId}",`
  const failed = status >= 500 ? ',"status":{"code":2}' : ''
  return `{"traceId":"${trace.traceId}","spanId":"${trace.spanId}",${parent}"name":${name},"kind":2,"startTimeUnixNano":"${nanos(startMs)}","endTimeUnixNano":"${nanos(startMs + durationMs)}","attributes":[{"key":"http.response.status_code","value":{"stringValue":"${status}"}}]${failed}}`
}

function nanos(ms: number): string {
  return `${Math.round(ms * 1000)}000`
}
