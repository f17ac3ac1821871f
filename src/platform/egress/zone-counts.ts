// What operators see of the DNS blocklists: listings and errors of each zone since the start (Spec 6.4.2).

export interface ZoneCounts {
  count(zone: string, kind: 'hit' | 'error'): void
  gauges(): Readonly<Record<string, ZoneGauge>>
}

export interface ZoneGauge {
  help: string
  type: 'counter'
  value: readonly { labels: { zone: string }; value: number }[]
}

/** `zones` are shown from the start, so that a rate can be taken from the first listing on. */
export function createZoneCounts(zones: readonly string[]): ZoneCounts {
  const counts = new Map(zones.map((zone) => [zone, { hit: 0, error: 0 }]))
  const counter = (help: string, kind: 'hit' | 'error'): ZoneGauge => ({
    help,
    type: 'counter',
    value: Array.from(counts, ([zone, of]) => ({ labels: { zone }, value: of[kind] })),
  })
  return {
    count(zone, kind) {
      const of = counts.get(zone) ?? { hit: 0, error: 0 }
      of[kind]++
      counts.set(zone, of)
    },
    gauges() {
      if (counts.size === 0) return {}
      return {
        rostrum_dnsbl_hits_total: counter('Destinations that a DNS blocklist lists, by zone.', 'hit'),
        rostrum_dnsbl_errors_total: counter('Queries that a DNS blocklist did not answer, by zone.', 'error'),
      }
    },
  }
}
