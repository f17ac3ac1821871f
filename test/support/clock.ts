// A clock that moves only when the test says so, and never while a store has been asked something and has not answered.
import type { Clock } from '@rostrum/base/clock'
import { isUnderWay, nothingUnderWay } from './under-way.ts'

export interface ManualClock extends Clock {
  /** Moves time forward and runs every timer that falls due on the way, in order of due time. Awaits between timers. */
  advance(ms: number): Promise<void>
  set(now: number): void
  /** When the next timer is due, if any. */
  nextDue(): number | undefined
}

export function manualClock(start = Date.UTC(2026, 10, 20, 12)): ManualClock {
  let now = start
  let order = 0
  const timers = new Map<number, { due: number; fn: () => void }>()
  const earliest = () => {
    let best: [number, { due: number; fn: () => void }] | undefined
    for (const entry of timers) if (!best || entry[1].due < best[1].due) best = entry
    return best
  }
  return {
    now: () => now,
    elapsed: () => now - start,
    after(delayMs, fn) {
      const key = order++
      timers.set(key, { due: now + Math.max(0, delayMs), fn })
      return () => void timers.delete(key)
    },
    set(value) {
      now = value
    },
    nextDue: () => earliest()?.[1].due,
    async advance(ms) {
      const end = now + ms
      await settle()
      for (let next = earliest(); next && next[1].due <= end; next = earliest()) {
        now = Math.max(now, next[1].due)
        timers.delete(next[0])
        next[1].fn()
        await settle()
      }
      now = end
    },
  }
}

/** Waits for what stores have been asked, and lets promise chains and immediates that are due then run to their end. */
export async function settle(turns = 8): Promise<void> {
  for (let quiet = 0; quiet < turns; quiet++) {
    await nextTurn()
    if (!isUnderWay()) continue
    await nothingUnderWay()
    quiet = 0
  }
}

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** Lets time pass until `promise` is settled: what waits for the clock gets it. */
export async function passUntil<T>(clock: Pick<ManualClock, 'advance'>, promise: Promise<T>): Promise<T> {
  let isSettled = false
  const noted = promise.finally(() => void (isSettled = true))
  noted.catch(() => undefined)
  for (await settle(1); !isSettled;) await clock.advance(20)
  return noted
}

/** Asks again and again about what comes true in real time, as an answer of another server does; the runner ends what never does. */
export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  // A pause, so that what is waited for gets a busy machine.
  while (!(await holds())) await new Promise((resolve) => void setTimeout(resolve, 1))
}
