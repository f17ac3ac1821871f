// What of a caller's address counts for limits, and what is kept of it in records. IPv4-mapped IPv6 counts as IPv4.
import { isIP, isIPv4 } from 'node:net'

/** A network that an address is in, and how many times the allowance of one address it has. */
export interface NetworkStep {
  network: string
  times: number
}

/**
 * The networks that limits count by, the narrowest first. A stranger has as many addresses as their network, so each wider one counts too,
 * with an allowance that grows much slower than its addresses do: a household has a /56 and a site a /48 (RIPE 690), which are 256 and 65,536
 * networks. It does grow, because a wider network holds more people: a /24 is the addresses behind which a carrier or a campus has its
 * customers, a /48 the halls of one venue. One IPv4 address, or one /64, is the least that anybody has, and often many people: what it is
 * allowed is what a limit says.
 */
export function networkSteps(address: string): readonly [NetworkStep, ...NetworkStep[]] {
  const plain = plainOf(address)
  if (isIP(plain) === 0) return [{ network: 'unknown', times: 1 }]
  if (isIPv4(plain)) {
    return [
      { network: plain, times: 1 },
      { network: networkOf(plain), times: 4 },
    ]
  }
  const groups = groupsOf(plain)
  return [
    { network: prefixOf(groups, 64), times: 1 },
    { network: prefixOf(groups, 56), times: 2 },
    { network: prefixOf(groups, 48), times: 4 },
  ]
}

/** The coarse network that records and the claim page show: /24, or /48. */
export function networkOf(address: string): string {
  const plain = plainOf(address)
  if (isIP(plain) === 0) return 'unknown'
  return isIPv4(plain) ? `${plain.split('.').slice(0, 3).join('.')}.0/24` : prefixOf(groupsOf(plain), 48)
}

const plainOf = (address: string): string =>
  address
    .split('%', 1)
    .join('')
    .replace(/^::ffff:(?=\d+\.)/i, '')

function prefixOf(groups: readonly string[], bits: 48 | 56 | 64): string {
  const whole = groups.slice(0, bits >> 4)
  const rest = bits % 16 === 0 ? [] : [(Number.parseInt(groups[bits >> 4] ?? '0', 16) & 0xff00).toString(16)]
  return `${[...whole, ...rest].join(':')}::/${bits}`
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
