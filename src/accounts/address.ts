// What of a caller's address counts for limits and what is kept in records. IPv4-mapped IPv6 counts as IPv4.
import { isIP, isIPv4 } from 'node:net'

/** The unit that limits count by: an IPv4 address, or the /64 of an IPv6 address. */
export function addressUnit(address: string): string {
  return prefixOf(address, 4, 4)
}

/** The coarse network that records and the claim page show: /24, or /48. */
export function networkOf(address: string): string {
  return prefixOf(address, 3, 3)
}

function prefixOf(address: string, bytes: number, groups: number): string {
  const plain = address
    .split('%', 1)
    .join('')
    .replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIP(plain) === 0) return 'unknown'
  if (isIPv4(plain)) return bytes === 4 ? plain : `${plain.split('.').slice(0, bytes).join('.')}.0/24`
  return `${groupsOf(plain).slice(0, groups).join(':')}::/${groups * 16}`
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const quad = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const hex = (high = '0', low = '0') => (Number(high) * 256 + Number(low)).toString(16)
  const text = quad ? `${quad[1]}${hex(quad[2], quad[3])}:${hex(quad[4], quad[5])}` : address
  const [head = '', tail = ''] = text.split('::')
  const before = head.split(':').filter(Boolean)
  const after = tail.split(':').filter(Boolean)
  const middle = Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...middle, ...after].map((group) => Number.parseInt(group, 16).toString(16))
}
