// Names to addresses for outbound requests: an own resolver, never getaddrinfo, so that what was vetted is what is
// dialled. One lookup in flight per name; short cache; the hosts file counts only inside the operator's allow list.
import { Resolver } from 'node:dns/promises'
import type { Clock } from '../clock.ts'
import { type Cidr, classifyAddress } from './address.ts'
import { isLocalhost } from './destination.ts'
import { expiringMap } from './expiring-map.ts'

export type Resolution = { ok: true; addresses: readonly string[] } | { ok: false; detail: string }

export interface NameResolver {
  resolve(hostname: string): Resolution | Promise<Resolution>
  close(): void
}

interface ResolverOptions {
  servers: readonly string[]
  allow: readonly Cidr[]
  /** Text of the hosts file. */
  hosts: string
  clock: Clock
}

const cacheMaxMs = 60_000
const failureMs = 5_000
const timeoutMs = 2_000

export function dnsResolver(servers: readonly string[]): Resolver {
  const dns = new Resolver({ timeout: timeoutMs, tries: 2 })
  if (servers.length > 0) dns.setServers(servers)
  return dns
}

export function createResolver({ servers, allow, hosts, clock }: ResolverOptions): NameResolver {
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
    resolve(hostname) {
      if (isLocalhost(hostname)) return { ok: true, addresses: ['127.0.0.1'] }
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
