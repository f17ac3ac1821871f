// The one guarded HTTP client (Spec 6.4.2). Everything that a caller of the service can make us fetch goes through here:
// webhooks, `pdfUrl`, `imageUrl`, the check of a CTA, client metadata, keys of issuers. Addresses set by the operator do not.
import { readFileSync } from 'node:fs'
import type { Clock } from '../kernel/clock.ts'
import type { Cidr } from './address.ts'
import { classifyAddress, parseCidr } from './address.ts'
import { watchLocalList } from './blocklist-file.ts'
import { parseZones } from './blocklist-zones.ts'
import type { Blocklist, BlocklistVerdict } from './blocklist.ts'
import { createBlocklist } from './blocklist.ts'
import type { Destination, EgressPolicy } from './destination.ts'
import { parseDestination } from './destination.ts'
import { createDeadlines } from './deadlines.ts'
import type { ExchangeRequest } from './exchange.ts'
import { exchange } from './exchange.ts'
import type { Vetted } from './judging.ts'
import { judging } from './judging.ts'
import type { OutboundConfig } from './outbound-config.ts'
import type { OutboundFailure, OutboundOutcome } from './outcome.ts'
import { failed } from './outcome.ts'
import type { Pools } from './pools.ts'
import type { Resolution } from './resolver.ts'
import { createResolver, dnsResolver } from './resolver.ts'

export interface OutboundRequest {
  method?: 'GET' | 'HEAD' | 'POST'
  url: string
  /** No credential and no cookie of anybody belongs here. */
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Received bytes kept at most; nothing is decompressed. */
  maxBytes: number
  /** For the whole exchange, resolving and redirects included. */
  timeoutMs: number
  /** GET and HEAD only, at most 3; each hop is judged like the first, and none leads from https to http. */
  redirects?: number
  /** `truncate`: the status counts and the body is an excerpt. Default `fail`. */
  overflow?: 'fail' | 'truncate'
  bodyTimeoutMs?: number
  signal?: AbortSignal
}

export interface Outbound {
  /** Refuses early what an attempt would refuse. A name that does not resolve now is no refusal, and no blocklist is asked. */
  vet(url: string): Promise<{ ok: true } | OutboundFailure>
  /** Never throws for what the other side does. The verdict before each attempt is the one that counts. */
  request(request: OutboundRequest): Promise<OutboundOutcome>
  blocklist: Pick<Blocklist, 'health' | 'probe'>
  close(): Promise<void>
}

export interface OutboundDeps {
  clock: Clock
  /** Goes out as `User-Agent` unless the caller sends one. */
  userAgent: string
  /** One line for the operator; never the query of a URL, never a body. */
  warn?: (words: string) => void
  /** Counts listings and errors by zone. */
  count?: (zone: string, kind: 'hit' | 'error') => void
  /** Text of the hosts file; the system's unless given. */
  hosts?: string
}

const redirectsMax = 3
const redirectStatuses = new Set([301, 302, 303, 307, 308])

/** Throws, naming the variable, for a list of the operator's that cannot be read: a guard that is asked for and missing stops the start. */
export function createOutbound(config: OutboundConfig, deps: OutboundDeps): Outbound {
  const { clock, userAgent, warn = () => {}, count = () => {}, hosts = systemHosts() } = deps
  const allow = config.egressAllow.map(readRange)
  const { zones, problems } = parseZones(config.dnsblZones)
  if (problems.length > 0) throw new Error(`ROSTRUM_DNSBL_ZONES: ${problems.join(' ')}`)
  const own = parseDestination(config.baseUrl)
  const policy: EgressPolicy = {
    allow,
    ports: new Set(config.egressPorts),
    insecureHttp: config.insecureHttp,
    ownOrigin: own.ok ? own.destination.origin : config.baseUrl,
  }
  if (allow.length > 0) warn(`Outbound requests may reach private addresses in ${config.egressAllow.join(', ')}.`)
  const resolver = createResolver({ servers: config.dnsServers, allow, hosts, clock })
  const blocklist = createBlocklist({
    zones,
    dns: dnsResolver(config.dnsblResolvers.length > 0 ? config.dnsblResolvers : config.dnsServers),
    ...(config.dnsblList === null ? {} : { localList: watchLocalList(config.dnsblList, clock, warn) }),
    failMode: config.dnsblFail,
    clock,
    count,
  })
  if (zones.length > 0) {
    void blocklist.probe().then((failing) => {
      for (const zone of failing) warn(`The DNS blocklist ${zone} fails its health probe and is left out.`)
    })
  }
  const after = createDeadlines(clock)
  let pools: Pools | undefined
  let opened: Promise<Pools> | undefined
  /** The HTTP client is loaded with the first request: it is a seventh of the start. */
  const openPools = () =>
    (opened ??= import('./pools.ts').then(({ createPools }) =>
      createPools(clock, (address) => classifyAddress(address, allow) === 'allowed'),
    ))

  const judge = judging(policy)

  /** Resolves and judges; the addresses it answers are the ones that may be dialled. */
  function vetAddresses(destination: Destination): Vetted | Promise<Vetted> {
    const early = judge.destination(destination)
    if (early !== undefined) return early
    if (destination.isAddress) return { ok: true, addresses: [destination.hostname] }
    const known = resolver.resolve(destination.hostname)
    return known instanceof Promise ? known.then((resolution) => judged(destination, resolution)) : judged(destination, known)
  }

  function judged(destination: Destination, resolution: Resolution): Vetted {
    return resolution.ok ? judge.addresses(destination, resolution.addresses) : failed('dns', resolution.detail)
  }

  type Answer = OutboundOutcome | Promise<OutboundOutcome>

  /** Waits for nothing that is known already, not for a promise either: most webhooks go where others have just gone. */
  function attempt(destination: Destination, request: OutboundRequest, endsAt: number): Answer {
    const vetted = vetAddresses(destination)
    return vetted instanceof Promise
      ? vetted.then((known) => unlessListed(destination, request, endsAt, known))
      : unlessListed(destination, request, endsAt, vetted)
  }

  function unlessListed(destination: Destination, request: OutboundRequest, endsAt: number, vetted: Vetted): Answer {
    if (!vetted.ok) return vetted
    const { addresses } = vetted
    const dialled = (verdict: BlocklistVerdict): Answer => {
      if (verdict === 'listed') return failed('blocked_destination', 'on a blocklist')
      if (verdict === 'unavailable') return failed('blocklist_unavailable', 'a blocklist did not answer')
      return pools === undefined ? openPools().then((opened) => dial(opened)) : dial(pools)
    }
    const dial = (open: Pools): Answer => {
      pools = open
      const timeoutMs = endsAt - clock.elapsed()
      if (timeoutMs <= 0 || request.signal?.aborted === true) return failed('timeout', 'no time left to connect')
      return exchange(open.get(destination, addresses), exchangeOf(destination, request, timeoutMs), after)
    }
    const checked = blocklist.check(destination.hostname, destination.isAddress, addresses)
    return checked instanceof Promise ? checked.then(dialled) : dialled(checked)
  }

  function exchangeOf({ origin, path }: Destination, request: OutboundRequest, timeoutMs: number): ExchangeRequest {
    const { signal, method = 'GET', overflow = 'fail', body, maxBytes, bodyTimeoutMs } = request
    const headers = headersOf(request.headers)
    return { method, url: origin + path, path, headers, body, maxBytes, overflow, bodyTimeoutMs, timeoutMs, signal }
  }

  /** Names and values in turn. */
  function headersOf(given: Readonly<Record<string, string>> = {}): string[] {
    const all = ['accept-encoding', 'identity']
    let isNamed = false
    for (const name of Object.keys(given)) {
      const lower = name.toLowerCase()
      if (lower === 'accept-encoding') continue
      isNamed ||= lower === 'user-agent'
      all.push(lower, given[name] ?? '')
    }
    if (!isNamed) all.push('user-agent', userAgent)
    return all
  }

  async function follow(first: Destination, request: OutboundRequest, endsAt: number, hopsMax: number): Promise<OutboundOutcome> {
    let destination = first
    for (let hop = 0; ; hop++) {
      const outcome = await attempt(destination, request, endsAt)
      const next = nextHop(destination, outcome)
      if (next === undefined) return outcome
      if ('ok' in next) return next
      if (hop === hopsMax) return failed('redirect', `more than ${hopsMax} redirects`)
      destination = next
    }
  }

  /** Where a redirect leads; undefined where the answer is not one to follow. */
  function nextHop(from: Destination, outcome: OutboundOutcome): Destination | OutboundFailure | undefined {
    if (!outcome.ok || !redirectStatuses.has(outcome.status)) return undefined
    const target = URL.parse(outcome.headers['location'] ?? '', outcome.url)
    if (target === null) return failed('redirect', 'no usable Location')
    target.hash = ''
    const parsed = parseDestination(target.href)
    if (!parsed.ok) return parsed
    const isDowngrade = from.protocol === 'https:' && parsed.destination.protocol === 'http:'
    return isDowngrade ? failed('redirect', 'from https to http') : parsed.destination
  }

  return {
    async vet(url) {
      const parsed = parseDestination(url)
      if (!parsed.ok) return parsed
      const vetted = await vetAddresses(parsed.destination)
      return vetted.ok || vetted.reason === 'dns' ? { ok: true } : vetted
    },
    request(request) {
      const parsed = judge.parse(request.url)
      if (!parsed.ok) return Promise.resolve(parsed)
      const endsAt = clock.elapsed() + request.timeoutMs
      const hopsMax = request.method === 'POST' ? 0 : Math.min(redirectsMax, request.redirects ?? 0)
      const { destination } = parsed
      return hopsMax === 0 ? Promise.resolve(attempt(destination, request, endsAt)) : follow(destination, request, endsAt, hopsMax)
    },
    blocklist,
    async close() {
      resolver.close()
      blocklist.close()
      await (await opened)?.close()
    },
  }
}

function readRange(text: string): Cidr {
  const cidr = parseCidr(text)
  if (cidr === undefined || cidr.bits === 0) throw new Error(`ROSTRUM_EGRESS_ALLOW: "${text}" is not a range such as 10.0.0.0/8.`)
  return cidr
}

function systemHosts(): string {
  try {
    return readFileSync('/etc/hosts', 'utf8')
  } catch {
    return ''
  }
}
