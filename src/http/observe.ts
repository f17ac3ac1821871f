// What is measured of every request: counts and durations by route and status, kept as plain arrays, and the text that
// Prometheus reads (exposition format 0.0.4).

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

/** A value read when the page is asked for; several where it has labels or, in a summary, parts. */
export interface Gauge {
  help: string
  value: number | readonly Sample[]
  type?: 'gauge' | 'counter' | 'summary'
}

export interface Sample {
  /** `_sum` and `_count` of a summary. */
  suffix?: string
  labels?: Readonly<Record<string, string>>
  value: number
}

/** By name: `{ rostrum_streams_open: { help, value } }`. */
export type Gauges = () => Readonly<Record<string, Gauge>>

export interface RequestMetrics {
  observe(method: string, route: string, status: number, durationMs: number): void
  /** The whole page, with `gauges` read now. */
  text(gauges: Gauges): string
}

export function requestMetrics(): RequestMetrics {
  /** By route: of each method and family of status one, so seldom more than four. */
  const byRoute = new Map<string, Series[]>()
  return {
    observe(method, route, status, durationMs) {
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
    text(gauges) {
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
