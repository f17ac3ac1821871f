// Dials vetted addresses, never a name: undici hands over the origin, this connector holds the addresses. The certificate,
// SNI and `Host` stay the name's (Spec 6.4.2).
import { connect, isIPv6 } from 'node:net'
import type { Socket } from 'node:net'
import { buildConnector } from 'undici'
import type { Clock } from '../kernel/clock.ts'
import { socketBlockList } from './address.ts'
import { DialError } from './dial-error.ts'

export interface DialTarget {
  /** Vetted. */
  addresses: readonly string[]
  port: number
  isAllowed: (address: string) => boolean
  onConnected: (address: string) => void
}

const totalMs = 5_000
const addressesMax = 4

/** At most four addresses, the families taking turns, the resolver's order kept within each. */
export function dialOrder(addresses: readonly string[]): string[] {
  const v6 = addresses.filter(isIPv6)
  const v4 = addresses.filter((address) => !isIPv6(address))
  const turns = Array.from({ length: Math.max(v4.length, v6.length) }, (_, turn) => [v4[turn], v6[turn]])
  return turns
    .flat()
    .filter((address) => address !== undefined)
    .slice(0, addressesMax)
}

export function createConnector({ addresses, port, isAllowed, onConnected }: DialTarget, clock: Clock): buildConnector.connector {
  const order = dialOrder(addresses)
  // The timeout of the handshake is ours, below: the shared 5 s cover both stages of all addresses.
  const secure = buildConnector({ allowH2: false, timeout: 0 })

  return (options, callback) => {
    const deadline = clock.elapsed() + totalMs
    let last = new DialError('connect', 'no address')
    const tryFrom = (index: number): void => {
      const address = order[index]
      const leftMs = deadline - clock.elapsed()
      if (address === undefined || leftMs <= 0) {
        callback(last, null)
        return
      }
      const shareMs = leftMs / (order.length - index)
      dialOne(address, options, shareMs, {
        connected(socket) {
          onConnected(address)
          callback(null, socket)
        },
        failed(error) {
          // A certificate that does not fit says more than a refused connection.
          if (last.stage !== 'tls' || error.stage === 'tls') last = error
          tryFrom(index + 1)
        },
      })
    }
    tryFrom(0)
  }

  function dialOne(
    address: string,
    options: buildConnector.Options,
    shareMs: number,
    done: { connected(socket: Socket): void; failed(error: DialError): void },
  ): void {
    let stage: 'connect' | 'tls' = 'connect'
    let isSettled = false
    const raw = connect({
      host: address,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      ...(isAllowed(address) ? {} : { blockList: socketBlockList(address) }),
    })
    const cancel = clock.after(shareMs, () => fail('no answer in time'))
    const fail = (detail: string) => {
      if (isSettled) return
      isSettled = true
      cancel()
      raw.destroy()
      done.failed(new DialError(stage, `${stage}: ${detail}`))
    }
    const succeed = (socket: Socket) => {
      if (isSettled) {
        socket.destroy()
        return
      }
      isSettled = true
      cancel()
      done.connected(socket)
    }
    raw.on('error', (error) => fail(codeOf(error)))
    raw.once('connect', () => {
      if (options.protocol !== 'https:') {
        succeed(raw)
        return
      }
      stage = 'tls'
      secure({ ...options, httpSocket: raw }, (error, socket) => (error === null ? succeed(socket) : fail(codeOf(error))))
    })
  }
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
