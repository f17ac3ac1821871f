// A process that may die or stand still at any instant, on a store that may be slow or fail and a doorbell that may lose rings: what is
// asked of a dead one is never answered, and one that stood still goes on as if nothing had happened, though its leases may be another's.
import type { Store } from '../../../server/platform/db/store.ts'
import type { ManualClock } from '../clock.ts'
import type { LiveRoom, LiveRoomOptions } from '../live.ts'
import { liveRoom } from '../live.ts'
import type { Random } from './random.ts'

export interface SimProcess {
  room: LiveRoom
  kill(): void
  /** Nothing happens in it for so long: no timer, no write. */
  stall(ms: number): void
}

export interface Hardship {
  random: Random
  /** Each write and each commit takes up to so many milliseconds of virtual time. */
  slowMs: number
  /** The share of rings that are lost. */
  lostRings: number
  /** The share of writes that fail, half of them after their commit. */
  failingWrites?: number
}

/** As when the connection to a database breaks: nobody knows whether the write was done. */
export class StoreFault extends Error {
  constructor() {
    super('The store failed.')
  }
}

const never = <T>() => new Promise<T>(() => undefined)

export async function mortalProcess(
  options: LiveRoomOptions & { store: Store; clock: ManualClock },
  { random, slowMs, lostRings, failingWrites = 0 }: Hardship,
): Promise<SimProcess> {
  const { store, clock } = options
  let isDead = false
  let hasBegun = false
  let stalledUntil = 0
  const stops: (() => void)[] = []

  const mortalClock: ManualClock = {
    ...clock,
    after(delayMs, fn) {
      let cancel: () => void
      const fire = () => {
        if (isDead) return
        if (clock.now() >= stalledUntil) return fn()
        cancel = clock.after(stalledUntil - clock.now(), fire)
      }
      cancel = clock.after(delayMs, fire)
      return () => cancel()
    },
  }

  async function delay(): Promise<void> {
    const ms = Math.max(slowMs === 0 ? 0 : Math.floor(random() * slowMs), stalledUntil - clock.now())
    if (ms > 0) await new Promise<void>((resolve) => void mortalClock.after(ms, resolve))
  }

  const mortal = (write: Store['write']): Store['write'] => {
    return async (fn, manner) => {
      await delay()
      if (isDead) return never()
      const luck = hasBegun && failingWrites > 0 ? random() : 1
      if (luck < failingWrites / 2) throw new StoreFault()
      const result = await write(fn, manner)
      if (luck < failingWrites) throw new StoreFault()
      await delay()
      // The commit may be done although the process did not live to hear of it.
      return isDead ? never() : result
    }
  }
  const { urgent } = store

  const mortalStore: Store = {
    ...store,
    write: mortal(store.write),
    ...(urgent && { urgent: { ...urgent, write: mortal(urgent.write) } }),
    listen(prefix, listener) {
      const stop = store.listen(prefix, (topic) => {
        if (!isDead && (lostRings === 0 || random() >= lostRings)) listener(topic)
      })
      stops.push(stop)
      return stop
    },
  }

  const room = await liveRoom({ ...options, store: mortalStore, clock: mortalClock })
  hasBegun = true
  return {
    room,
    kill() {
      isDead = true
      for (const stop of stops) stop()
    },
    stall(ms) {
      stalledUntil = clock.now() + ms
    },
  }
}
