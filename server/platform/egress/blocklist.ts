// Asks DNS blocklists about a destination at dispatch time (Spec 6.4.2): all zones in parallel within a budget, answers
// cached, and a zone that fails its health probe or three queries in a row left out for a minute.
import type { Resolver } from 'node:dns/promises'
import { readFileSync, statSync } from 'node:fs'
import type { Clock } from '@rostrum/base/clock'
import { counter, type Gauges } from '../gauges.ts'
import { keep } from '@rostrum/base/work'
import { addressBytes, type Cidr, cidrContains, parseCidr, unmapped } from './destination.ts'

// DNS blocklist zones: their configuration, the questions asked of them and the meaning of answers (Spec 6.4.2, RFC 5782).
// Pure.

interface BlocklistZone {
  kind: 'domain' | 'ip'
  zone: string
  /** Inclusive ranges of answers that list; undefined: any answer in 127/8. */
  codes?: readonly { from: number; to: number }[]
}

type ZoneVerdict = 'listed' | 'clear' | 'error'

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

/** `zones` are shown from the start, so that a rate can be taken from the first listing on. */
export function createZoneCounts(zones: readonly string[]) {
  const none = () => new Map(zones.map((zone) => [zone, 0]))
  const counts = { hit: none(), error: none() }
  return {
    count: (zone: string, kind: 'hit' | 'error') => void counts[kind].set(zone, (counts[kind].get(zone) ?? 0) + 1),
    gauges(): ReturnType<Gauges> {
      if (zones.length === 0) return {}
      return {
        rostrum_dnsbl_hits_total: counter('Destinations that a DNS blocklist lists, by zone.', 'zone', counts.hit),
        rostrum_dnsbl_errors_total: counter('Queries that a DNS blocklist did not answer, by zone.', 'zone', counts.error),
      }
    },
  }
}

export type BlocklistVerdict = 'clear' | 'listed' | 'unavailable'

export type Blocklist = ReturnType<typeof createBlocklist>

export interface BlocklistOptions {
  zones: readonly BlocklistZone[]
  dns: Resolver
  localList?: () => LocalList
  /** `closed`: an error refuses. */
  failMode: 'open' | 'closed'
  clock: Clock
  /** One call per listing or error of a zone, for counters. */
  count: (zone: string, kind: 'hit' | 'error') => void
}

const budgetMs = 1_500
const outMs = 60_000
const probeEveryMs = 3_600_000
const listedMaxMs = 300_000
const clearMs = 60_000
const errorMs = 5_000
const failuresMax = 3

interface ZoneState extends BlocklistZone {
  failures: number
  outUntil: number
}

export function createBlocklist({ zones, dns, localList, failMode, clock, count }: BlocklistOptions) {
  const states: ZoneState[] = zones.map((zone) => ({ ...zone, failures: 0, outUntil: 0 }))
  const cache = expiringMap<ZoneVerdict>(8_192)
  let cancelProbe: () => void = () => {}
  let isClosed = false

  async function ask(zone: ZoneState, question: string): Promise<ZoneVerdict> {
    let verdict: ZoneVerdict
    let lifeMs = clearMs
    try {
      const records = await dns.resolve4(`${question}.${zone.zone}.`, { ttl: true })
      verdict = readAnswer(
        zone,
        records.map((record) => record.address),
      )
      if (verdict === 'listed') lifeMs = Math.min(listedMaxMs, ...records.map((record) => record.ttl * 1000))
    } catch (error) {
      // NXDOMAIN and NODATA are the answer "not listed"; SERVFAIL, REFUSED and silence are none.
      const code = error instanceof Error && 'code' in error ? error.code : ''
      verdict = code === 'ENOTFOUND' || code === 'ENODATA' ? 'clear' : 'error'
    }
    cache.set(`${question}.${zone.zone}`, verdict, clock.now(), verdict === 'error' ? errorMs : lifeMs)
    return verdict
  }

  function settle(zone: ZoneState, verdict: ZoneVerdict): void {
    zone.failures = verdict === 'error' ? zone.failures + 1 : 0
    if (zone.failures >= failuresMax) zone.outUntil = clock.now() + outMs
    if (verdict !== 'clear') count(zone.zone, verdict === 'listed' ? 'hit' : 'error')
  }

  async function askWithin(zone: ZoneState, question: string, isProbe = false): Promise<ZoneVerdict> {
    const silence = Promise.withResolvers<ZoneVerdict>()
    const cancel = clock.after(budgetMs, () => silence.resolve('error'))
    const verdict = await Promise.race([ask(zone, question), silence.promise])
    cancel()
    // The test entries of a zone are nobody's destination.
    if (!isProbe) settle(zone, verdict)
    return verdict
  }

  function summary(verdicts: readonly ZoneVerdict[]): BlocklistVerdict {
    if (verdicts.includes('listed')) return 'listed'
    return failMode === 'closed' && verdicts.includes('error') ? 'unavailable' : 'clear'
  }

  async function isHealthy(zone: ZoneState): Promise<boolean> {
    const [yes, no] = zone.kind === 'ip' ? ['2.0.0.127', '1.0.0.127'] : ['test', 'invalid']
    // The test entries may carry a code of their own, so the configured codes do not apply.
    const { kind, zone: name } = zone
    const anyCode: ZoneState = { kind, zone: name, failures: 0, outUntil: 0 }
    const [listed, clear] = await Promise.all([askWithin(anyCode, yes, true), askWithin(anyCode, no, true)])
    return listed === 'listed' && clear === 'clear'
  }

  /** Runs the health probe of every zone (RFC 5782 section 5) and says which failed. */
  async function probe(): Promise<readonly string[]> {
    cancelProbe()
    const healthy = await Promise.all(states.map(isHealthy))
    // Out until well after the next probe: a zone that lists everybody must not come back unasked.
    for (const [index, zone] of states.entries()) zone.outUntil = healthy[index] === true ? 0 : clock.now() + outMs + 2 * budgetMs
    const failing = states.filter((_, index) => healthy[index] !== true).map((zone) => zone.zone)
    if (!isClosed) cancelProbe = clock.after(failing.length > 0 ? outMs : probeEveryMs, () => void probe())
    return failing
  }

  return {
    check(hostname: string, isAddress: boolean, addresses: readonly string[]): BlocklistVerdict | Promise<BlocklistVerdict> {
      if (localList !== undefined && isOnLocalList(localList(), hostname, addresses)) return 'listed'
      const now = clock.now()
      const verdicts: ZoneVerdict[] = []
      const open: { zone: ZoneState; question: string }[] = []
      for (const zone of states) {
        if (zone.outUntil > now) {
          verdicts.push('error')
          continue
        }
        const questions =
          zone.kind === 'domain' ? (isAddress ? [] : domainQuestions(hostname)) : addresses.flatMap((a) => addressQuestion(a) ?? [])
        for (const question of questions) {
          const known = cache.get(`${question}.${zone.zone}`, now)
          if (known === undefined) open.push({ zone, question })
          else verdicts.push(known)
        }
      }
      // A known listing, or a known outage where errors refuse, needs no further query.
      const known = summary(verdicts)
      if (known !== 'clear' || open.length === 0) return known
      return Promise.all(open.map(({ zone, question }) => askWithin(zone, question))).then((answers) => summary([...verdicts, ...answers]))
    },
    probe,
    close() {
      isClosed = true
      cancelProbe()
      dns.cancel()
    },
  }
}

// The operator's own blocklist: one name or CIDR a line, `#` comments; names match their subdomains (Spec 6.4.2).

export interface LocalList {
  names: ReadonlySet<string>
  cidrs: readonly Cidr[]
  /** Numbers of lines that could not be read. */
  badLines: readonly number[]
}

export function parseLocalList(text: string): LocalList {
  const names = new Set<string>()
  const cidrs: Cidr[] = []
  const badLines: number[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const entry = line.replace(/#.*/, '').trim().toLowerCase().replace(/\.$/, '')
    if (entry === '') continue
    const cidr = parseCidr(entry)
    if (cidr !== undefined) cidrs.push(cidr)
    else if (/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(entry)) names.add(entry)
    else badLines.push(index + 1)
  }
  return { names, cidrs, badLines }
}

export function isOnLocalList(list: LocalList, hostname: string, addresses: readonly string[]): boolean {
  for (let name = hostname; name !== ''; name = name.includes('.') ? name.slice(name.indexOf('.') + 1) : '') {
    if (list.names.has(name)) return true
  }
  return addresses.some((address) => {
    const bytes = addressBytes(address)
    return bytes !== undefined && list.cidrs.some((cidr) => cidrContains(cidr, unmapped(bytes)))
  })
}

const checkEveryMs = 30_000

/** Reads the file now (a missing one throws) and again within a minute of a change. A file that vanished keeps its last content. */
export function watchLocalList(path: string, clock: Clock, warn: (words: string) => void): () => LocalList {
  let changedAt = statSync(path).mtimeMs
  let checkedAt = clock.now()
  let list = load()
  function load(): LocalList {
    const loaded = parseLocalList(readFileSync(path, 'utf8'))
    if (loaded.badLines.length > 0) warn(`The blocklist file has unreadable lines: ${loaded.badLines.slice(0, 20).join(', ')}.`)
    return loaded
  }
  return () => {
    if (clock.now() - checkedAt < checkEveryMs) return list
    checkedAt = clock.now()
    try {
      const mtime = statSync(path).mtimeMs
      if (mtime !== changedAt) {
        changedAt = mtime
        list = load()
      }
    } catch {
      warn('The blocklist file cannot be read; its last content stays in force.')
    }
    return list
  }
}

// A bounded map whose entries expire: answers of the resolver and of the blocklist are kept in one.

export interface ExpiringMap<Value> {
  get(key: string, now: number): Value | undefined
  /** A lifetime of 0 keeps nothing. */
  set(key: string, value: Value, now: number, lifeMs: number): void
}

/** The oldest entry makes room when `sizeMax` is reached. */
export function expiringMap<Value>(sizeMax: number): ExpiringMap<Value> {
  const entries = new Map<string, { value: Value; until: number }>()
  return {
    get(key, now) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (entry.until > now) return entry.value
      entries.delete(key)
      return undefined
    },
    set(key, value, now, lifeMs) {
      if (lifeMs > 0) keep(entries, key, { value, until: now + lifeMs }, sizeMax)
      else entries.delete(key)
    },
  }
}
