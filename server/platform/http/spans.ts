// Finished spans go to a collector by OTLP/HTTP in JSON (opentelemetry-proto 1.x), in batches, losing them rather than ever delaying a
// request.
import type { Clock } from '@rostrum/base/clock'
import type { Span } from './observe.ts'
import type { Log } from './ports.ts'

/** A full batch goes at once, a smaller one after a while. */
const batchSize = 1_024
const everyMs = 5_000
/** A collector that has not answered by then is not waited for. */
const answerMs = 5_000
/** While so many are on their way the collector does not keep up: what comes beyond the next batch is lost. */
const sendingMax = 4

export function spanExporter(endpoint: string, clock: Clock, log: Log) {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
  const sending = new Set<Promise<void>>()
  let waiting: string[] = []
  let disarm: (() => void) | undefined

  function send(): void {
    disarm?.()
    disarm = undefined
    if (waiting.length === 0 || sending.size >= sendingMax) return
    const work = post(`${head}${waiting.join(',')}]}]}]}`).finally(() => {
      sending.delete(work)
      if (waiting.length >= batchSize) send()
    })
    waiting = []
    sending.add(work)
  }

  async function post(body: string): Promise<void> {
    const giveUp = new AbortController()
    const disarmLimit = clock.after(answerMs, () => giveUp.abort())
    try {
      const answer = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, signal: giveUp.signal })
      // Read to its end, or the connection is of no more use.
      await answer.arrayBuffer()
    } catch (error) {
      log.warn({ err: error }, 'The collector of spans did not answer')
    } finally {
      disarmLimit()
    }
  }

  return {
    add(span: Span): void {
      if (waiting.length >= batchSize) return
      waiting.push(spanText(span))
      if (waiting.length === batchSize) send()
      else disarm ??= clock.after(everyMs, send)
    },
    /** Sends what is waiting, and waits for what is on its way. */
    async flush(): Promise<void> {
      while (sending.size > 0 || waiting.length > 0) {
        send()
        await Promise.all(sending)
      }
    },
  }
}

const head =
  '{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"rostrum"}}]},"scopeSpans":[{"scope":{"name":"rostrum.http"},"spans":['

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
