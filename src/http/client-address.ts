// The address that limits and audit count by: the socket's, or what trusted proxies say of it. `X-Forwarded-For` is read
// from right to left and only through addresses of `ROSTRUM_TRUST_PROXY`, so a caller cannot choose its own.
import { BlockList, isIP } from 'node:net'

export type ClientAddress = (remote: string | undefined, forwardedFor: string | undefined) => string

/** Builds the reader once; ranges are CIDRs that the configuration has checked. */
export function clientAddress(trustedRanges: readonly string[]): ClientAddress {
  if (trustedRanges.length === 0) return (remote) => plain(remote ?? '')
  const trusted = new BlockList()
  for (const range of trustedRanges) {
    const [start = '', bits = ''] = range.split('/')
    trusted.addSubnet(start, Number(bits), isIP(start) === 4 ? 'ipv4' : 'ipv6')
  }
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
  return (remote, forwardedFor) => {
    let address = plain(remote ?? '')
    const hops = forwardedFor?.split(',') ?? []
    while (hops.length > 0 && isTrusted(address)) {
      const hop = plain(hops.pop()?.trim() ?? '')
      if (isIP(hop) === 0) break
      address = hop
    }
    return address
  }
}

/** Without brackets, port or zone; IPv4-mapped IPv6 as IPv4. */
function plain(address: string): string {
  // An IPv4 address alone, as a socket says it.
  if (!address.includes(':') && !address.startsWith('[')) return address
  const bare = /^\[([^\]]+)\]/.exec(address)?.[1] ?? /^([^:]+):\d+$/.exec(address)?.[1] ?? address
  return bare.startsWith('::ffff:') && bare.includes('.') ? bare.slice(7) : bare
}
