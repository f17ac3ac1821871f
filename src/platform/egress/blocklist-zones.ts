// DNS blocklist zones: their configuration, the questions asked of them and the meaning of answers (Spec 6.4.2, RFC 5782).
// Pure.
import { counter, type Gauges } from '../http/observe.ts'
import { addressBytes } from './address.ts'

export interface BlocklistZone {
  kind: 'domain' | 'ip'
  zone: string
  /** Inclusive ranges of answers that list; undefined: any answer in 127/8. */
  codes?: readonly { from: number; to: number }[]
}

export type ZoneVerdict = 'listed' | 'clear' | 'error'

const queriesMax = 5

/** Reads `domain:<zone>[=codes]` and `ip:<zone>[=codes]`, codes being comma-separated addresses or ranges. */
export function parseZones(texts: readonly string[]): { zones: BlocklistZone[]; problems: string[] } {
  const zones: BlocklistZone[] = []
  const problems: string[] = []
  for (const text of texts) {
    const zone = parseZone(text)
    if (zone === undefined) problems.push(`"${text}" is not a zone such as ip:zen.example.net=127.0.0.2-127.0.0.4,127.0.0.9.`)
    else zones.push(zone)
  }
  return { zones, problems }
}

function parseZone(text: string): BlocklistZone | undefined {
  const match = /^(domain|ip):((?:[a-z0-9_-]{1,63}\.)+[a-z0-9-]{1,63})(?:=(.+))?$/i.exec(text)
  if (match === null) return undefined
  const kind = match[1]?.toLowerCase() === 'ip' ? 'ip' : 'domain'
  const zone = (match[2] ?? '').toLowerCase()
  if (match[3] === undefined) return { kind, zone }
  const codes: { from: number; to: number }[] = []
  for (const part of match[3].split(',')) {
    const [first = '', last = first, ...rest] = part.split('-')
    const from = v4Number(first)
    const to = v4Number(last)
    if (from === undefined || to === undefined || to < from || rest.length > 0) return undefined
    codes.push({ from, to })
  }
  return { kind, zone, codes }
}

function v4Number(text: string): number | undefined {
  const bytes = addressBytes(text)
  return bytes?.length === 4 ? bytes.reduce((sum, byte) => sum * 256 + byte, 0) : undefined
}

/** The host and each parent down to two labels; of a deep name the parents nearest to the registered domain, and itself. */
export function domainQuestions(hostname: string): string[] {
  const labels = hostname.split('.')
  const names = Array.from({ length: Math.max(0, labels.length - 1) }, (_, skip) => labels.slice(skip).join('.'))
  return names.length <= queriesMax ? names : [hostname, ...names.slice(-(queriesMax - 1))]
}

/** Octets or nibbles reversed, as address zones are asked. */
export function addressQuestion(address: string): string | undefined {
  const bytes = addressBytes(address)
  if (bytes === undefined) return undefined
  if (bytes.length === 4) return Array.from(bytes).reverse().join('.')
  return Array.from(bytes)
    .reverse()
    .flatMap((byte) => [(byte & 15).toString(16), (byte >> 4).toString(16)])
    .join('.')
}

/**
 * What a zone's A records say. Errors, never listings: `127.255.255.0/24` (refused, over quota), `127.0.1.255` of a domain
 * zone (asked for an address), anything outside 127/8 (a resolver that answers for missing names).
 */
export function readAnswer({ kind, codes }: BlocklistZone, answers: readonly string[]): ZoneVerdict {
  let verdict: ZoneVerdict = 'clear'
  for (const answer of answers) {
    const bytes = addressBytes(answer)
    const number = v4Number(answer)
    if (bytes?.[0] !== 127 || number === undefined) return 'error'
    if (bytes[1] === 255 && bytes[2] === 255) return 'error'
    if (kind === 'domain' && answer === '127.0.1.255') return 'error'
    if (codes === undefined || codes.some(({ from, to }) => number >= from && number <= to)) verdict = 'listed'
  }
  return verdict
}

// What operators see of the DNS blocklists: listings and errors of each zone since the start (Spec 6.4.2).

export interface ZoneCounts {
  count(zone: string, kind: 'hit' | 'error'): void
  gauges: Gauges
}

/** `zones` are shown from the start, so that a rate can be taken from the first listing on. */
export function createZoneCounts(zones: readonly string[]): ZoneCounts {
  const none = () => new Map(zones.map((zone) => [zone, 0]))
  const counts = { hit: none(), error: none() }
  return {
    count: (zone, kind) => void counts[kind].set(zone, (counts[kind].get(zone) ?? 0) + 1),
    gauges() {
      if (zones.length === 0) return {}
      return {
        rostrum_dnsbl_hits_total: counter('Destinations that a DNS blocklist lists, by zone.', 'zone', counts.hit),
        rostrum_dnsbl_errors_total: counter('Queries that a DNS blocklist did not answer, by zone.', 'zone', counts.error),
      }
    },
  }
}
