// What is kept of every request: counts and durations by route and status as Prometheus reads them (exposition format 0.0.4), a line in
// the log where it is worth one, and its span. All have the route's pattern, never the address: tokens and names travel in addresses.
import type { Clock, Ids } from '@rostrum/base/clock'
import type { Gauges, Sample } from '../gauges.ts'
import type { Log } from './ports.ts'

// W3C Trace Context: the caller's trace goes on, else one starts here; our span is the parent of what we call.

export interface Trace {
  traceId: string
  spanId: string
  /** The caller's span. */
  parentId?: string
  sampled: boolean
}

const shape = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Undefined where the header is absent or not valid, which the recommendation says to ignore. */
export function continueTrace(traceparent: string | undefined, ids: Ids): Trace | undefined {
  const match = traceparent === undefined ? null : shape.exec(traceparent)
  if (match === null || traceparent?.startsWith('ff')) return undefined
  const [, traceId = '', parentId = '', flags = '', rest] = match
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId) || (rest !== undefined && traceparent?.startsWith('00'))) return undefined
  return { traceId, parentId, spanId: hex(ids, 8), sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function startTrace(ids: Ids): Trace {
  return { traceId: hex(ids, 16), spanId: hex(ids, 8), sampled: true }
}

export function traceparentOf(trace: Trace): string {
  return `00-${trace.traceId}-${trace.spanId}-${trace.sampled ? '01' : '00'}`
}

const hex = (ids: Ids, length: number): string => Buffer.from(ids.bytes(length)).toString('hex')

export interface Span {
  trace: Trace
  method: string
  /** The pattern, never the address. */
  route: string
  startMs: number
  durationMs: number
  status: number
}

const boundsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Series {
  method: string
  route: string
  /** First digit of the status. */
  family: number
  buckets: Uint32Array
  sumSeconds: number
  count: number
}

export type RequestMetrics = ReturnType<typeof requestMetrics>

export function requestMetrics() {
  /** By route: of each method and family of status one, so seldom more than four. */
  const byRoute = new Map<string, Series[]>()
  return {
    observe(method: string, route: string, status: number, durationMs: number): void {
      const family = Math.floor(status / 100)
      let ofRoute = byRoute.get(route)
      if (ofRoute === undefined) byRoute.set(route, (ofRoute = []))
      let series = ofRoute.find((each) => each.family === family && each.method === method)
      if (series === undefined) {
        series = { method, route, family, buckets: new Uint32Array(boundsSeconds.length), sumSeconds: 0, count: 0 }
        ofRoute.push(series)
      }
      const seconds = durationMs / 1000
      series.count++
      series.sumSeconds += seconds
      const bucket = boundsSeconds.findIndex((bound) => seconds <= bound)
      if (bucket !== -1) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1
    },
    /** The whole page, with `gauges` read now. */
    text(gauges: Gauges): string {
      const lines = ['# HELP rostrum_http_request_duration_seconds Time from the head of a request to its answer.']
      lines.push('# TYPE rostrum_http_request_duration_seconds histogram')
      for (const ofRoute of byRoute.values()) for (const series of ofRoute) lines.push(...histogram(series))
      for (const [name, gauge] of Object.entries(gauges())) {
        const samples = typeof gauge.value === 'number' ? [{ value: gauge.value }] : gauge.value
        lines.push(`# HELP ${name} ${gauge.help}`, `# TYPE ${name} ${gauge.type ?? 'gauge'}`)
        for (const sample of samples) lines.push(sampleLine(name, sample))
      }
      return `${lines.join('\n')}\n`
    },
  }
}

function sampleLine(name: string, { suffix = '', labels = {}, value }: Sample): string {
  const shown = Object.entries(labels).map(([label, text]) => `${label}="${text.replaceAll(/[\\"\n]/g, '_')}"`)
  return `${name}${suffix}${shown.length === 0 ? '' : `{${shown.join(',')}}`} ${value}`
}

function histogram({ method, route, family, buckets, sumSeconds, count }: Series): string[] {
  const name = 'rostrum_http_request_duration_seconds'
  const labels = `method="${method}",route="${route}",status="${family}xx"`
  let below = 0
  const lines = boundsSeconds.map((bound, at) => {
    below += buckets[at] ?? 0
    return `${name}_bucket{${labels},le="${bound}"} ${below}`
  })
  return [
    ...lines,
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${sumSeconds.toFixed(6)}`,
    `${name}_count{${labels}} ${count}`,
  ]
}

/** Slower answers are always logged. */
const slowMs = 1_000
/** Of the rest one in so many. */
const sampleEvery = 100

/** Of a request, what is kept. */
interface Handled {
  method: string
  requestId: string
  trace: Trace | undefined
  now: number
  startedMs: number
}

export type Completed = (request: Handled, route: string, status: number) => void

export function completion(clock: Clock, metrics: RequestMetrics, log: Log, spans: { add(span: Span): void } | undefined): Completed {
  let seen = 0
  return (request, route, status) => {
    const ms = clock.elapsed() - request.startedMs
    metrics.observe(request.method, route, status, ms)
    if (spans !== undefined && request.trace?.sampled) {
      spans.add({ trace: request.trace, method: request.method, route, startMs: request.now, durationMs: ms, status })
    }
    if (status < 500 && ms < slowMs && ++seen % sampleEvery !== 0) return
    const fields = { requestId: request.requestId, method: request.method, route, status, ms: Math.round(ms * 10) / 10 }
    const traced = request.trace === undefined ? fields : { ...fields, traceId: request.trace.traceId }
    // A 503 is a plain answer: starting, stopping, or out of reach for a moment.
    if (status === 503) log.info(traced, 'not available')
    else if (status >= 500) log.error(traced, 'request failed')
    else if (ms >= slowMs) log.warn(traced, 'slow request')
    else log.info(traced, 'request')
  }
}
