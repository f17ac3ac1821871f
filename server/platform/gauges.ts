// What `/metrics` shows beside the requests: each area counts for itself, and is read when the page is asked for.

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

/** Counted since the start, by the values of one label. */
export const counter = (help: string, label: string, counts: Iterable<readonly [string, number]>): Gauge => ({
  help,
  type: 'counter',
  value: Array.from(counts, ([text, value]) => ({ labels: { [label]: text }, value })),
})
