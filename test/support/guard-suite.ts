// What everything that fetches for a caller must pass: whatever it is given, and whatever its names resolve to at the moment
// of the fetch, no connection is attempted to an address that is not public.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Outbound } from '../../src/outbound/outbound.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { watchDials } from './dials.ts'
import type { DnsAnswer } from './dns-server.ts'
import { startDnsServer } from './dns-server.ts'
import { outboundConfig } from './outbound.ts'

const names: Readonly<Record<string, DnsAnswer>> = {
  'private.org': { addresses: ['10.0.0.1'] },
  'loopback.org': { addresses: ['127.0.0.1'] },
  'metadata.org': { addresses: ['169.254.169.254'] },
  'mixed.org': { addresses: ['93.184.216.34', '192.168.1.1'] },
  'alias.org': { addresses: ['172.16.0.9'], cname: 'inner.good.org' },
  'six.org': { addresses: ['fd00::1'] },
  'mapped.org': { addresses: ['::ffff:10.0.0.1'] },
}

export const refusedUrls: readonly string[] = [
  ...Object.keys(names).map((name) => `https://${name}/x`),
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://localhost/',
  'https://metadata.google.internal/',
  'http://93.184.216.34/',
  'https://93.184.216.34:22/',
  'https://user@93.184.216.34/',
]

/** `fetcher` is given the client and answers a function that makes the feature fetch a URL, past its own early check. */
export function guardSuite(
  feature: string,
  fetcher: (outbound: Outbound) => Promise<{ fetch(url: string): Promise<unknown>; close(): Promise<void> }>,
): void {
  describe(`${feature}: guarded requests`, () => {
    test('nothing that is not public is dialled', async () => {
      const dns = await startDnsServer((name) => names[name] ?? 'nxdomain')
      const outbound = createOutbound(outboundConfig({ dnsServers: [dns.address] }), {
        clock: systemClock,
        userAgent: 'Rostrum-Test',
        hosts: '',
      })
      const { fetch, close } = await fetcher(outbound)
      const dials = watchDials()
      for (const url of refusedUrls) await fetch(url)
      dials.restore()
      assert.deepEqual(dials.hosts, [])
      await close()
      await outbound.close()
      await dns.close()
    })

    test('a name that changes its address between the early check and the fetch is not dialled', async () => {
      let asked = 0
      const dns = await startDnsServer((_, type) => ({
        addresses: type === 'AAAA' ? [] : [asked++ === 0 ? '93.184.216.34' : '127.0.0.1'],
        ttl: 0,
      }))
      const outbound = createOutbound(outboundConfig({ dnsServers: [dns.address] }), {
        clock: systemClock,
        userAgent: 'Rostrum-Test',
        hosts: '',
      })
      const { fetch, close } = await fetcher(outbound)
      assert.deepEqual(await outbound.vet('https://rebind.org/x'), { ok: true })
      const dials = watchDials()
      await fetch('https://rebind.org/x')
      dials.restore()
      assert.deepEqual(dials.hosts, [])
      assert.ok(asked >= 2)
      await close()
      await outbound.close()
      await dns.close()
    })
  })
}
