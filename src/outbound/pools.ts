// Keep-alive pools, keyed by origin and vetted addresses: a socket never outlives the verdict that opened it, because
// another verdict is another pool.
import { Pool } from 'undici'
import type { Clock } from '../kernel/clock.ts'
import type { Destination } from './destination.ts'
import { createConnector } from './dial.ts'

export interface PinnedPool {
  pool: Pool
  /** Address of the newest connection. */
  peer: string
}

interface Kept {
  pinned: PinnedPool
  /** Greater for what was used later. */
  usedAt: number
}

export interface Pools {
  get(destination: Destination, addresses: readonly string[]): PinnedPool
  close(): Promise<void>
}

const poolsMax = 256
const idleMs = 10_000
const headMaxBytes = 16_384
const connectionsMax = 32

export function createPools(clock: Clock, isAllowed: (address: string) => boolean): Pools {
  const pools = new Map<string, Kept>()
  let uses = 0

  function open(destination: Destination, addresses: readonly string[]): PinnedPool {
    const connector = createConnector(
      { addresses, port: destination.port, isAllowed, onConnected: (address) => void (pinned.peer = address) },
      clock,
    )
    const pool = new Pool(destination.origin, {
      connect: connector,
      connections: connectionsMax,
      pipelining: 1,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: headMaxBytes,
      allowH2: false,
      // Undici's timers are coarse and count idle time only: the exchange has a deadline of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const pinned: PinnedPool = { pool, peer: addresses[0] ?? '' }
    return pinned
  }

  function dropOldest(): void {
    const [key, oldest] = [...pools].reduce((one, other) => (other[1].usedAt < one[1].usedAt ? other : one))
    pools.delete(key)
    void oldest.pinned.pool.close()
  }

  return {
    get(destination, addresses) {
      const key = `${destination.origin} ${addresses.length === 1 ? addresses[0] : addresses.toSorted().join(' ')}`
      const known = pools.get(key)
      if (known !== undefined) {
        known.usedAt = ++uses
        return known.pinned
      }
      if (pools.size >= poolsMax) dropOldest()
      const pinned = open(destination, addresses)
      pools.set(key, { pinned, usedAt: ++uses })
      return pinned
    },
    async close() {
      const open = [...pools.values()]
      pools.clear()
      await Promise.all(open.map(({ pinned }) => pinned.pool.destroy()))
    },
  }
}
