// The one door to time. Production uses `systemClock`; tests inject a manual clock (test/support/clock.ts).

/** Epoch milliseconds, cancellable timers and a monotonic reading; nothing else in `src` may read the time. */
export interface Clock {
  /** Unix time in whole milliseconds. */
  now(): number
  /** Monotonic milliseconds, for durations only. */
  elapsed(): number
  /** Calls `fn` once, `delayMs` from now. The returned function cancels it; cancelling twice is harmless. */
  after(delayMs: number, fn: () => void): () => void
}

/** A timer of Node that is to wait longer, 24.8 days, rings at once. */
const timerMaxMs = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delayMs, fn) {
    let timer: NodeJS.Timeout
    const wait = (ms: number) => {
      timer = ms > timerMaxMs ? setTimeout(wait, timerMaxMs, ms - timerMaxMs) : setTimeout(fn, Math.max(0, ms))
    }
    wait(delayMs)
    return () => clearTimeout(timer)
  },
}

/** Instants on the wire: ISO 8601 in UTC. `at` in milliseconds since the epoch; throws a `RangeError` where that is no day. */
export const iso = (at: number): string => new Date(at).toISOString()

/** Of a time that may be absent. */
export function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at)
}
