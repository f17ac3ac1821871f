// The one guarded HTTP client (Spec 6.4.2). Everything that a caller of the service can make us fetch goes through here:
// webhooks, `pdfUrl`, `imageUrl`, the check of a CTA, client metadata, keys of issuers. Addresses set by the operator do not.
import type { ExchangeRequest } from './exchange.ts'
import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import type { Clock } from '@rostrum/base/clock'
import { lazily } from '@rostrum/base/work'
import {
  type Cidr,
  classifyAddress,
  type Destination,
  type EgressPolicy,
  failed,
  isLocalhost,
  judgeAddresses,
  judgeDestination,
  type OutboundFailure,
  type OutboundOutcome,
  parseCidr,
  type Parsed,
  parseDestination,
} from './destination.ts'
import { type Blocklist, createBlocklist, expiringMap, parseZones, watchLocalList } from './blocklist.ts'

// Names to addresses for outbound requests: an own resolver, never getaddrinfo, so that what was vetted is what is
// dialled. One lookup in flight per name; short cache; the hosts file counts only inside the operator's allow list.

export type Resolution = { ok: true; addresses: readonly string[] } | { ok: false; detail: string }

interface ResolverOptions {
  servers: readonly string[]
  allow: readonly Cidr[]
  /** Text of the hosts file. */
  hosts: string
  clock: Clock
}

const cacheMaxMs = 60_000
const failureMs = 5_000
const loopback = ['127.0.0.1']
const timeoutMs = 2_000

function dnsResolver(servers: readonly string[]): Resolver {
  const dns = new Resolver({ timeout: timeoutMs, tries: 2 })
  if (servers.length > 0) dns.setServers(servers)
  return dns
}

function createResolver({ servers, allow, hosts, clock }: ResolverOptions) {
  const dns = dnsResolver(servers)
  const cache = expiringMap<Resolution>(4_096)
  const running = new Map<string, Promise<Resolution>>()
  const local = allow.length === 0 ? new Map<string, readonly string[]>() : readHosts(hosts, allow)

  async function look(hostname: string): Promise<Resolution> {
    const [v4, v6] = await Promise.allSettled([dns.resolve4(hostname, { ttl: true }), dns.resolve6(hostname, { ttl: true })])
    const records = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const addresses = [...new Set(records.map((record) => record.address))]
    const resolution: Resolution = addresses.length > 0 ? { ok: true, addresses } : { ok: false, detail: `${codeOf(v4)} ${codeOf(v6)}` }
    const ttlMs = Math.min(...records.map((record) => record.ttl * 1000), cacheMaxMs)
    cache.set(hostname, resolution, clock.now(), resolution.ok ? ttlMs : failureMs)
    return resolution
  }

  return {
    resolve(hostname: string): Resolution | Promise<Resolution> {
      if (isLocalhost(hostname)) return { ok: true, addresses: loopback }
      const known = local.get(hostname)
      if (known !== undefined) return { ok: true, addresses: known }
      const cached = cache.get(hostname, clock.now()) ?? running.get(hostname)
      if (cached !== undefined) return cached
      const lookup = look(hostname).finally(() => running.delete(hostname))
      running.set(hostname, lookup)
      return lookup
    },
    close: () => dns.cancel(),
  }
}

function codeOf(answer: PromiseSettledResult<unknown>): string {
  if (answer.status === 'fulfilled') return 'EMPTY'
  const reason: unknown = answer.reason
  return reason instanceof Error && 'code' in reason ? String(reason.code) : 'EUNKNOWN'
}

/** Names of a hosts file all of whose addresses lie in the allow list. */
function readHosts(text: string, allow: readonly Cidr[]): Map<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    if (address === undefined || address === '') continue
    for (const name of names) found.set(name, [...(found.get(name) ?? []), address])
  }
  return new Map([...found].filter(([, addresses]) => addresses.every((address) => classifyAddress(address, allow) === 'allowed')))
}

export interface OutboundRequest extends Partial<Omit<ExchangeRequest, 'maxBytes' | 'timeoutMs'>> {
  url: string
  maxBytes: number
  /** For the whole exchange, resolving and redirects included. */
  timeoutMs: number
  /** GET and HEAD only, at most 3; each hop is judged like the first, and none leads from https to http. */
  redirects?: number
}

export interface Outbound {
  /** Refuses early what an attempt would refuse. A name that does not resolve now is no refusal, and no blocklist is asked. */
  vet(url: string): Promise<{ ok: true } | OutboundFailure>
  /** Never throws for what the other side does. The verdict before each attempt is the one that counts. */
  request(request: OutboundRequest): Promise<OutboundOutcome>
  blocklist: Pick<Blocklist, 'probe'>
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

type Vetted = { ok: true; addresses: readonly string[] } | OutboundFailure

const urlsMax = 1_000
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
  /** Webhooks ask for the same few again and again, and what an address is never changes. */
  const urls = new Map<string, Parsed>()
  /** The last on each: it stays while the name leads to the same look-up. */
  const verdicts = new WeakMap<Destination, { addresses: readonly string[]; vetted: Vetted }>()
  /** The HTTP client is loaded with the first request: it is a seventh of the start. */
  const opened = lazily(async () => (await import('./exchange.ts')).createExchanges(clock))
  let isOpen = false

  /** Resolves and judges; the addresses it answers are the ones that may be dialled. */
  async function vetAddresses(destination: Destination): Promise<Vetted> {
    const early = judgeDestination(destination, policy)
    if (early !== undefined) return early
    if (destination.isAddress) return { ok: true, addresses: [destination.hostname] }
    const resolution = await resolver.resolve(destination.hostname)
    if (!resolution.ok) return failed('dns', resolution.detail)
    const { addresses } = resolution
    const known = verdicts.get(destination)
    if (known?.addresses === addresses) return known.vetted
    const vetted = judgeAddresses(destination, addresses, policy) ?? ({ ok: true, addresses } as const)
    verdicts.set(destination, { addresses, vetted })
    return vetted
  }

  async function attempt(destination: Destination, request: OutboundRequest, endsAt: number): Promise<OutboundOutcome> {
    const vetted = await vetAddresses(destination)
    if (!vetted.ok) return vetted
    const { addresses } = vetted
    const verdict = await blocklist.check(destination.hostname, destination.isAddress, addresses)
    if (verdict === 'listed') return failed('blocked_destination', 'on a blocklist')
    if (verdict === 'unavailable') return failed('blocklist_unavailable', 'a blocklist did not answer')
    isOpen = true
    const exchanges = await opened()
    const timeoutMs = endsAt - clock.elapsed()
    if (timeoutMs <= 0 || request.signal?.aborted === true) return failed('timeout', 'no time left to connect')
    const { signal, method = 'GET', overflow = 'fail', body, maxBytes, bodyTimeoutMs } = request
    const headers = headersOf(request.headers)
    return exchanges.send(destination, addresses, { method, headers, body, maxBytes, overflow, bodyTimeoutMs, timeoutMs, signal })
  }

  function headersOf(given: Readonly<Record<string, string>> = {}): Record<string, string> {
    const headers: Record<string, string> = { 'user-agent': userAgent }
    for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = value
    headers['accept-encoding'] = 'identity'
    return headers
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
    async request(request) {
      const parsed = urls.get(request.url) ?? parseDestination(request.url)
      if (urls.size >= urlsMax) urls.clear()
      urls.set(request.url, parsed)
      if (!parsed.ok) return parsed
      const endsAt = clock.elapsed() + request.timeoutMs
      const hopsMax = request.method === 'POST' ? 0 : Math.min(redirectsMax, request.redirects ?? 0)
      const { destination } = parsed
      return hopsMax === 0 ? attempt(destination, request, endsAt) : follow(destination, request, endsAt, hopsMax)
    },
    blocklist,
    async close() {
      resolver.close()
      blocklist.close()
      if (isOpen) await (await opened()).close()
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

/** What the operator decides about outbound requests (Spec 6.4.2). */
export type OutboundConfig = Pick<
  Config,
  'baseUrl' | `egress${'Allow' | 'Ports'}` | 'insecureHttp' | 'dnsServers' | `dnsbl${'Zones' | 'Resolvers' | 'Fail' | 'List'}`
>

// Whether the address of a call to action answers: a rehearsal asks, so that the host hears of a dead link before the attendees.

const reachTimeoutMs = 10_000

/** The status of a guarded HEAD, after redirects; null where it cannot be reached. */
export async function reachTarget(outbound: Pick<Outbound, 'request'>, url: string): Promise<number | null> {
  const answer = await outbound.request({ method: 'HEAD', url, maxBytes: 0, timeoutMs: reachTimeoutMs, redirects: 3, overflow: 'truncate' })
  return answer.ok ? answer.status : null
}

// A server that the operator names, for models and speech: one request, one whole answer within a time and a size. The address is the
// operator's own word, so it may be on this machine or on a private network.

export interface OwnServer {
  /** As `rostrum doctor` and the log name it: `openai:gpt-4o-mini-tts`. */
  name: string
  /** With the path of the version, such as `https://api.openai.com/v1`. */
  baseUrl: string
  apiKey: string | null
  clock: Pick<Clock, 'after'>
}

export interface Asked {
  path: string
  headers?: Readonly<Record<string, string>>
  /** Without one it is read, not sent. */
  body?: string | FormData
  timeoutMs: number
  bytesMax: number
  signal?: AbortSignal | undefined
}

/** In words for the log, never with what was sent or answered. `isLasting`: sending the same again will not help. */
type Fault = (detail: string, isLasting: boolean) => Error

/** The bytes of a 2xx answer. Throws a fault, or the reason of `signal`. */
export async function askServer({ name, baseUrl, apiKey, clock }: OwnServer, asked: Asked, fault: Fault): Promise<Uint8Array> {
  const { path, headers, body, timeoutMs, bytesMax, signal } = asked
  const timeout = new AbortController()
  const cancelTimeout = clock.after(timeoutMs, () => timeout.abort())
  const key: Record<string, string> = apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }
  const refuse = (detail: string, isLasting: boolean): never => {
    known = fault(`${name} ${detail}`, isLasting)
    throw known
  }
  let known: Error | undefined
  try {
    const answer = await fetch(`${baseUrl.replace(/(?<!\/)\/+$/, '')}${path}`, {
      headers: { ...key, ...headers },
      ...(body !== undefined && { method: 'POST', body }),
      // A key is for the server that was named, not for wherever it points.
      redirect: 'error',
      signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
    })
    if (!answer.ok) {
      await answer.body?.cancel()
      refuse(`answered ${answer.status}.`, isLasting(answer.status))
    }
    const parts: Uint8Array[] = []
    let size = 0
    const sent: AsyncIterable<Uint8Array> | null = answer.body
    for await (const part of sent ?? []) {
      size += part.length
      if (size > bytesMax) refuse(`sent more than ${bytesMax} bytes.`, true)
      parts.push(part)
    }
    return Buffer.concat(parts, size)
  } catch (error) {
    signal?.throwIfAborted()
    if (error === known) throw error
    throw fault(`${name} ${timeout.signal.aborted ? `took longer than ${timeoutMs} ms` : 'does not answer'}.`, false)
  } finally {
    cancelTimeout()
  }
}

const isLasting = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429
