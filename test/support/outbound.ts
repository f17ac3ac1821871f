// An outbound client that may reach the loopback address, and servers there to reach.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Server as NetServer } from 'node:net'
import type { OutboundConfig } from '../../server/platform/egress/outbound.ts'

const strict: OutboundConfig = {
  baseUrl: 'https://talks.rostrum.org',
  egressAllow: [],
  egressPorts: [443, 8443],
  insecureHttp: false,
  dnsServers: [],
  dnsblZones: [],
  dnsblResolvers: [],
  dnsblFail: 'open',
  dnsblList: null,
}

/** What an operator gets who sets nothing. */
export function outboundConfig(overrides: Partial<OutboundConfig> = {}): OutboundConfig {
  return { ...strict, ...overrides }
}

/** Loopback allowed, names resolved by `dns` alone. */
export function loopbackConfig(dns: string, overrides: Partial<OutboundConfig> = {}): OutboundConfig {
  return outboundConfig({ egressAllow: ['127.0.0.0/8'], dnsServers: [dns], ...overrides })
}

export interface Receiver {
  port: number
  url: string
  close(): Promise<void>
}

export async function listenLocally(server: NetServer | Server, scheme = 'http'): Promise<Receiver> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // The cast is proved by the line above: a listening TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `${scheme}://127.0.0.1:${port}`,
    async close() {
      if ('closeAllConnections' in server) server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export function startReceiver(listener: RequestListener): Promise<Receiver> {
  return listenLocally(createServer(listener))
}
