// Asks DNS blocklists about a destination at dispatch time (Spec 6.4.2): all zones in parallel within a budget, answers
// cached, and a zone that fails its health probe or three queries in a row left out for a minute.
import type { Resolver } from 'node:dns/promises'
import type { Clock } from '../clock.ts'
import { isOnLocalList, type LocalList } from './blocklist-file.ts'
import { addressQuestion, type BlocklistZone, domainQuestions, readAnswer, type ZoneVerdict } from './blocklist-zones.ts'
import { expiringMap } from './expiring-map.ts'

export type BlocklistVerdict = 'clear' | 'listed' | 'unavailable'

export interface Blocklist {
  check(hostname: string, isAddress: boolean, addresses: readonly string[]): BlocklistVerdict | Promise<BlocklistVerdict>
  /** Zones in service, for `doctor` and metrics. */
  health(): readonly { zone: string; isUp: boolean }[]
  /** Runs the health probe of every zone (RFC 5782 section 5) and says which failed. */
  probe(): Promise<readonly string[]>
  close(): void
}

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

export function createBlocklist({ zones, dns, localList, failMode, clock, count }: BlocklistOptions): Blocklist {
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
    check(hostname, isAddress, addresses) {
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
    health: () => states.map(({ zone, outUntil }) => ({ zone, isUp: outUntil <= clock.now() })),
    probe,
    close() {
      isClosed = true
      cancelProbe()
      dns.cancel()
    },
  }
}
