// What is kept of every request: counts and durations by route and status as Prometheus reads them (exposition format 0.0.4), a line in
// the log where it is worth one, and its span. All have the route's pattern, never the address: tokens and names travel in addresses.
import type { Clock } from '@rostrum/base/clock'
import type { Gauges, Sample } from '../gauges.ts'
import type { Exchange } from './exchange.ts'
import type { Log } from './ports.ts'
import type { SpanExporter } from './spans.ts'

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
