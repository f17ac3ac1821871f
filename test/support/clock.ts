// A clock that moves only when the test says so.
import type { Clock } from '../../src/kernel/clock.ts'
import { patienceMs } from './patience.ts'

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

/** Lets promise chains and immediates that are already due run to their end. */
export async function settle(turns = 8): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** Waits for what a real database or process does in its own time: asks again and again. */
export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It did not come true in ${patienceMs} ms.`)
    await settle()
  }
}
