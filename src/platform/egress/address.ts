// Which addresses an outbound request may reach (Spec 6.4.2). Decides on bytes, never on text: IPv4 by a list of refused
// ranges, IPv6 by the one range that is public, so that mapped, NAT64, 6to4 and Teredo forms fall without being named.
import { isIP } from 'node:net'

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
