// What is measured of every request: counts and durations by route and status, kept as plain arrays, and the text that
// Prometheus reads (exposition format 0.0.4).

const boundsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Series {
  method: string
  route: string
  /** `2xx`, `4xx`, ... */
  status: string
  buckets: Uint32Array
  sumSeconds: number
  count: number
}

/** A value read when the page is asked for: `{ rostrum_streams_open: { help, value } }`. */
export type Gauges = () => Readonly<Record<string, { help: string; value: number; type?: 'gauge' | 'counter' }>>

export interface RequestMetrics {
  observe(method: string, route: string, status: number, durationMs: number): void
  /** The whole page, with `gauges` read now. */
  text(gauges: Gauges): string
}

export function requestMetrics(): RequestMetrics {
  const all = new Map<string, Series>()
  return {
    observe(method, route, status, durationMs) {
      const family = `${Math.floor(status / 100)}xx`
      const key = `${method} ${route} ${family}`
      let series = all.get(key)
      if (series === undefined) {
        series = { method, route, status: family, buckets: new Uint32Array(boundsSeconds.length), sumSeconds: 0, count: 0 }
        all.set(key, series)
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
      for (const series of all.values()) lines.push(...histogram(series))
      for (const [name, gauge] of Object.entries(gauges())) {
        lines.push(`# HELP ${name} ${gauge.help}`, `# TYPE ${name} ${gauge.type ?? 'gauge'}`, `${name} ${gauge.value}`)
      }
      return `${lines.join('\n')}\n`
    },
  }
}

function histogram({ method, route, status, buckets, sumSeconds, count }: Series): string[] {
  const name = 'rostrum_http_request_duration_seconds'
  const labels = `method="${method}",route="${route}",status="${status}"`
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
