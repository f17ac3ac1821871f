// Background work that comes again and again.
import type { Clock } from '@rostrum/base/clock'

export interface Rounds {
  /** `work` resolves to the milliseconds until it is wanted again, or to nothing for `everyMs`; the first time after `firstMs`. */
  every(everyMs: number, work: () => Promise<number | void>, firstMs?: number): void
  /** Resolves when the rounds that are under way have ended. */
  stop(): Promise<void>
}

export function createRounds(clock: Clock, onFailure: (error: unknown) => void): Rounds {
  const cancels = new Map<symbol, () => void>()
  const underWay = new Set<Promise<void>>()
  let isStopped = false
  return {
    every(everyMs, work, firstMs = everyMs) {
      const key = Symbol('work')
      const wait = (ms: number) => {
        if (!isStopped) cancels.set(key, clock.after(ms, begin))
      }
      const round = async () => {
        // What is cut off by the stop has not failed.
        const next = await work().catch((error: unknown) => (isStopped ? undefined : onFailure(error)))
        wait(next ?? everyMs)
      }
      const begin = () => {
        const begun = round().finally(() => underWay.delete(begun))
        underWay.add(begun)
      }
      wait(firstMs)
    },
    async stop() {
      isStopped = true
      for (const cancel of cancels.values()) cancel()
      await Promise.all(underWay)
    },
  }
}
