// Whether a destination may be requested (Spec 6.4.2), from the text of its URL and then from its addresses, and what a request can end
// with. Pure: the decision is made on the parsed value alone, and only that value is ever dialled.
import { isIP } from 'node:net'

// Which addresses an outbound request may reach (Spec 6.4.2). Decides on bytes, never on text: IPv4 by a list of refused
// ranges, IPv6 by the one range that is public, so that mapped, NAT64, 6to4 and Teredo forms fall without being named.

export interface Cidr {
  /** 4 or 16 bytes. */
  bytes: Uint8Array
  bits: number
}

// The IANA special-purpose registries (RFC 6890 and its updates), multicast, and the metadata address of one cloud.
const refusedV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
] as const
const publicV6 = '2000::/3'
const refusedV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'] as const

/** The bytes of an address as text; undefined for anything else, zone ids included. */
export function addressBytes(text: string): Uint8Array | undefined {
  const family = isIP(text)
  if (family === 4) return Uint8Array.from(text.split('.'), Number)
  return family === 6 && !text.includes('%') ? v6Bytes(text) : undefined
}

function v6Bytes(text: string): Uint8Array {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text)
  const plain = dotted === null ? text : `${dotted[1] ?? ''}${hexPair(dotted[2], dotted[3])}:${hexPair(dotted[4], dotted[5])}`
  const [head = '', tail] = plain.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right].map((group) => Number.parseInt(group, 16))
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255]))
}

function hexPair(high = '0', low = '0'): string {
  return (Number(high) * 256 + Number(low)).toString(16)
}

/** `10.0.0.0/8`, `fd00::/8`, or one address; undefined for anything else. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', prefix, ...rest] = text.split('/')
  const bytes = addressBytes(address)
  if (bytes === undefined || rest.length > 0) return undefined
  if (prefix === undefined) return { bytes, bits: bytes.length * 8 }
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  return bits <= bytes.length * 8 ? { bytes, bits } : undefined
}

export function cidrContains(cidr: Cidr, bytes: Uint8Array): boolean {
  if (cidr.bytes.length !== bytes.length) return false
  for (let bit = 0; bit < cidr.bits; bit += 8) {
    const mask = 0xff & (0xff << Math.max(0, bit + 8 - cidr.bits))
    if ((((cidr.bytes[bit >> 3] ?? 0) ^ (bytes[bit >> 3] ?? 0)) & mask) !== 0) return false
  }
  return true
}

/** `::ffff:a.b.c.d` as its four bytes; everything else as it is. */
export function unmapped(bytes: Uint8Array): Uint8Array {
  const isMapped = bytes.length === 16 && bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  return isMapped ? bytes.subarray(12) : bytes
}

const cidrs = (list: readonly string[]) => list.flatMap((text) => parseCidr(text) ?? [])
const refusedV4Cidrs = cidrs(refusedV4)
const publicV6Cidrs = cidrs([publicV6])
const refusedV6Cidrs = cidrs(refusedV6)

export function isPublicAddress(bytes: Uint8Array): boolean {
  if (bytes.length === 4) return !refusedV4Cidrs.some((cidr) => cidrContains(cidr, bytes))
  if (!publicV6Cidrs.some((cidr) => cidrContains(cidr, bytes)) || refusedV6Cidrs.some((cidr) => cidrContains(cidr, bytes))) return false
  // ISATAP (RFC 5214) hides an IPv4 address in the interface id of any prefix.
  const isIsatap = (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe
  return !isIsatap
}

/** `allowed`: in the operator's list, which wins over the rule. */
export type AddressClass = 'public' | 'allowed' | 'refused'

/** The verdict on one resolved address or literal. Unreadable text is refused. */
export function classifyAddress(text: string, allow: readonly Cidr[]): AddressClass {
  const bytes = addressBytes(text)
  if (bytes === undefined) return 'refused'
  const plain = unmapped(bytes)
  if (allow.some((cidr) => cidrContains(cidr, plain))) return 'allowed'
  return isPublicAddress(bytes) ? 'public' : 'refused'
}

// Outcomes of outbound requests as values. Callers show `reason`; `detail` is for the operator's log, because telling a
// caller why a destination was refused would make the service a port scanner and a resolver for private networks.

export type OutboundReason =
  | 'blocked_destination'
  | 'blocklist_unavailable'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'protocol'
  | 'redirect'
  | 'too_large'

export interface OutboundFailure {
  ok: false
  reason: OutboundReason
  detail: string
}

export interface OutboundResponse {
  ok: true
  /** Redirect statuses too, where the caller did not ask to follow them. */
  status: number
  headers: Readonly<Record<string, string>>
  body: Uint8Array
  /** More came than `maxBytes` or than fitted into the time for the body. */
  truncated: boolean
  /** Where the answer came from, after redirects. */
  url: string
  /** Address that was dialled. */
  peer: string
}

export type OutboundOutcome = OutboundResponse | OutboundFailure

export function failed(reason: OutboundReason, detail: string): OutboundFailure {
  return { ok: false, reason, detail }
}

/** The one sentence a caller may read about a refused destination, whatever the rule that refused it. */
export const refusalWords = 'This address is not allowed. Send a public https URL.'

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
