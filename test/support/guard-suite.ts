// What everything that fetches for a caller must pass: whatever it is given, and whatever its names resolve to at the moment
// of the fetch, no connection is attempted to an address that is not public.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { systemClock } from '@rostrum/base/clock'
import { addressBytes, isPublicAddress } from '../../server/platform/egress/destination.ts'
import { createOutbound, type Outbound } from '../../server/platform/egress/outbound.ts'
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

const hosts: readonly string[] = [
  ...Object.keys(names),
  '127.0.0.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '127.1',
  '\uff11\uff12\uff17.0.0.1',
  '169.254.169.254',
  '0.0.0.0',
  '100.64.0.1',
  '168.63.129.16',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[fe80::1]',
  'localhost',
  'a.localhost',
  'metadata.google.internal',
]

export const refusedUrls: readonly string[] = [
  ...hosts.flatMap((host) => [`https://${host}/x`, `http://${host}/x`]),
  'http://93.184.216.34/',
  'https://93.184.216.34:22/',
  'https://user@93.184.216.34/',
]

/** An address in a form that URL parsers fold. */
const spelled = fc.oneof(
  fc.ipV4().chain((address) => {
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
    const whole = a * 16_777_216 + b * 65_536 + c * 256 + d
    return fc.constantFrom(address, String(whole), `0x${whole.toString(16)}`, `${a}.${b * 65_536 + c * 256 + d}`, `[::ffff:${address}]`)
  }),
  fc.ipV6().map((address) => `[${address}]`),
)

interface Consumer {
  fetch(url: string): Promise<unknown>
  close(): Promise<void>
}
/** The address that these suites allow, as if it were public: redirects start there. */
const allowed = '127.0.0.9'

/**
 * `fetcher` is given the client and answers a function that makes the feature fetch a URL, past its own early check; `judges`: the
 * feature is that check, and dials nobody.
 */
export function guardSuite(
  feature: string,
  fetcher: (outbound: Outbound) => Promise<Consumer>,
  does: 'fetches' | 'judges' = 'fetches',
): void {
  interface World {
    fetch: Consumer['fetch']
    outbound: Outbound
    dials: readonly string[]
  }
  async function inWorld(
    answer: (name: string, type: 'A' | 'AAAA') => DnsAnswer,
    allow: readonly string[],
    act: (world: World) => Promise<void>,
  ) {
    const dns = await startDnsServer(answer)
    const config = outboundConfig({ dnsServers: [dns.address], egressAllow: allow, insecureHttp: allow.length > 0 })
    const outbound = createOutbound(config, { clock: systemClock, userAgent: 'Rostrum-Test', hosts: '' })
    const { fetch, close } = await fetcher(outbound)
    const dials = watchDials()
    try {
      await act({ fetch, outbound, dials: dials.hosts })
    } finally {
      dials.restore()
      await close()
      await outbound.close()
      await dns.close()
    }
  }
  const known = (name: string): DnsAnswer => names[name] ?? 'nxdomain'

  describe(`${feature}: guarded requests`, () => {
    test('nothing that is not public is dialled', () =>
      inWorld(known, [], async ({ fetch, dials }) => {
        for (const url of refusedUrls) await fetch(url)
        assert.deepEqual(dials, [])
      }))

    test('whatever the address and its spelling, only public ones are dialled', () =>
      inWorld(known, [], async ({ fetch, dials }) => {
        await fc.assert(
          fc.asyncProperty(spelled, fc.constantFrom('https', 'http'), async (host, scheme) => {
            const before = dials.length
            await fetch(`${scheme}://${host}/x`)
            for (const dialled of dials.slice(before)) assert.ok(isPublicAddress(addressBytes(dialled) ?? new Uint8Array()), dialled)
          }),
          { numRuns: 25 },
        )
      }))

    test('a name that changes its address between the early check and the fetch is not dialled', async () => {
      for (const scheme of ['https', 'http']) {
        let asked = 0
        const changing = (_: string, type: 'A' | 'AAAA') => ({
          addresses: type === 'AAAA' ? [] : [asked++ === 0 ? allowed : '127.0.0.1'],
          ttl: 0,
        })
        await inWorld(changing, [`${allowed}/32`], async ({ fetch, outbound, dials }) => {
          assert.deepEqual(await outbound.vet(`${scheme}://rebind.org/x`), { ok: true })
          await fetch(`${scheme}://rebind.org/x`)
          assert.deepEqual(dials, [])
          assert.ok(asked >= 2)
        })
      }
    })

    test('a redirect leads nowhere that the first request could not go', async () => {
      let target = ''
      let asked = 0
      const server = createServer((_, response) => {
        asked++
        response.writeHead(302, { Location: target }).end()
      })
      server.listen(0, allowed)
      await once(server, 'listening')
      // The cast is proved by the line above: a listening TCP server has an AddressInfo.
      const { port } = server.address() as AddressInfo
      try {
        await inWorld(known, [`${allowed}/32`], async ({ fetch, dials }) => {
          for (const url of refusedUrls.filter((each) => !each.includes('93.184'))) {
            target = encodeURI(url)
            await fetch(`http://${allowed}:${port}/x?${encodeURIComponent(url)}`)
          }
          assert.equal(asked > 0, does === 'fetches', 'the first hop is reached')
          assert.deepEqual(
            dials.filter((host) => host !== allowed),
            [],
          )
        })
      } finally {
        server.closeAllConnections()
        server.close()
      }
    })
  })
}
