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

// Instants on the wire: ISO 8601 in UTC. Written here, because `toISOString` costs ten times as much, and a list has hundreds.

const dayMs = 86_400_000
/** As the last few calls had them: what is shown together was mostly made within a few days. */
const dates = new Map<number, string>()
const datesMax = 100

const twoDigits = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))
const two = (value: number): string => twoDigits[value] ?? ''

/** `at` in whole milliseconds since the epoch; throws a `RangeError` where that day is none. */
export function iso(at: number): string {
  const day = Math.floor(at / dayMs)
  const ms = at - day * dayMs
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor(ms / 60_000) % 60
  const seconds = Math.floor(ms / 1_000) % 60
  const rest = String(ms % 1_000).padStart(3, '0')
  return `${dates.get(day) ?? dateOf(day)}T${two(hours)}:${two(minutes)}:${two(seconds)}.${rest}Z`
}

function dateOf(day: number): string {
  const [date = ''] = new Date(day * dayMs).toISOString().split('T')
  if (dates.size >= datesMax) dates.clear()
  dates.set(day, date)
  return date
}

/** Of a time that may be absent. */
export function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at)
}
