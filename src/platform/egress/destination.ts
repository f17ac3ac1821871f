// Decides from the text of a URL, and then from its addresses, whether it may be requested (Spec 6.4.2). Pure: the
// decision is made on the parsed value alone, and only that value is ever dialled.
import { addressBytes, type Cidr, classifyAddress } from './address.ts'
import { failed, type OutboundFailure } from './outcome.ts'

export interface Destination {
  protocol: 'http:' | 'https:'
  /** Lower case, without a trailing dot or brackets: for the resolver, the certificate and the blocklist. */
  hostname: string
  port: number
  /** `scheme://host[:port]`, the default port left out. */
  origin: string
  /** Path and query. */
  path: string
  isAddress: boolean
  /** A name that public DNS does not hold. */
  isSpecial: boolean
}

export interface EgressPolicy {
  allow: readonly Cidr[]
  ports: ReadonlySet<number>
  insecureHttp: boolean
  ownOrigin: string
}

export type Parsed = { ok: true; destination: Destination } | OutboundFailure

const urlMax = 2_048
const addressesMax = 16
const specialLabels = new Set([
  'localhost',
  'local',
  'internal',
  'intranet',
  'lan',
  'home',
  'corp',
  'private',
  'test',
  'example',
  'invalid',
  'onion',
  'alt',
  'arpa',
  'svc',
  'cluster',
  'docker',
  'localdomain',
])
const refused = (detail: string) => failed('blocked_destination', detail)

/** Steps on the text: what the WHATWG parser would repair is refused first, then the parsed value is judged. */
export function parseDestination(text: string): Parsed {
  if (text.length > urlMax) return refused('longer than 2,048 characters')
  // The C0 and C1 controls, every kind of white space, and lone surrogates have no place in an address.
  if (/[\s\p{Cc}\p{Cs}\\]/u.test(text)) return refused('white space, control character or backslash')
  if (text.includes('#')) return refused('fragment')
  const authority = /^https?:\/\/([^/?]*)/i.exec(text)?.[1]
  if (authority === undefined || authority === '') return refused('scheme is not http or https, or `//host` is missing')
  if (authority.includes('@')) return refused('user information')
  const url = URL.parse(text)
  return url === null ? refused('unparsable') : fromUrl(url)
}

function fromUrl(url: URL): Parsed {
  const protocol = url.protocol
  if (protocol !== 'http:' && protocol !== 'https:') return refused('scheme')
  if (url.username !== '' || url.password !== '') return refused('user information')
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname.replace(/\.$/, '')
  const isAddress = addressBytes(host) !== undefined
  const labels = host.split('.')
  if (!isAddress && (host.length > 253 || !labels.every(isLabel))) return refused('host is not a DNS name')
  const port = url.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(url.port)
  if (port < 1) return refused('port')
  const shown = isAddress && host.includes(':') ? `[${host}]` : host
  return {
    ok: true,
    destination: {
      protocol,
      hostname: host,
      port,
      origin: `${protocol}//${shown}${url.port === '' ? '' : `:${url.port}`}`,
      path: url.pathname + url.search,
      isAddress,
      isSpecial: !isAddress && (labels.length === 1 || specialLabels.has(labels.at(-1) ?? '')),
    },
  }
}

function isLabel(label: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label)
}

/** `localhost` and its subdomains mean the loopback address, whatever a resolver says (RFC 6761). */
export function isLocalhost(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost')
}

/** The rule that only addresses of the allow list can lift; undefined where none is broken. */
function brokenRule({ protocol, port, isSpecial }: Destination, policy: EgressPolicy): string | undefined {
  if (protocol === 'http:' && !policy.insecureHttp) return 'plain http'
  const isPortOpen = policy.ports.has(port) || (policy.insecureHttp && (port === 80 || port === 8080))
  if (!isPortOpen) return `port ${port}`
  return isSpecial ? 'special-use name' : undefined
}

/** What can be said before any query leaves the machine. */
export function judgeDestination(destination: Destination, policy: EgressPolicy): OutboundFailure | undefined {
  if (destination.origin === policy.ownOrigin) return refused('own origin')
  if (destination.isAddress) return judgeAddresses(destination, [destination.hostname], policy)
  const rule = brokenRule(destination, policy)
  return rule !== undefined && policy.allow.length === 0 ? refused(rule) : undefined
}

/** One refused address refuses the destination: there is no filtering down to the good ones. */
export function judgeAddresses(destination: Destination, addresses: readonly string[], policy: EgressPolicy): OutboundFailure | undefined {
  if (addresses.length === 0) return refused('no address')
  if (addresses.length > addressesMax) return refused(`${addresses.length} addresses`)
  const classes = addresses.map((address) => classifyAddress(address, policy.allow))
  if (classes.includes('refused')) return refused('refused address')
  const rule = brokenRule(destination, policy)
  return rule !== undefined && !classes.every((kind) => kind === 'allowed') ? refused(rule) : undefined
}
