// Deadlines of many exchanges on one timer: a timer each, set and cleared, costs more than the rest of what is kept about a
// request.
import type { Clock } from '../kernel/clock.ts'

/** Like `clock.after`, for calls that are nearly always cancelled and much alike in length. */
export function createDeadlines(clock: Clock): Clock['after'] {
  const waiting = new Set<{ due: number; fn: () => void }>()
  let timerAt = Number.POSITIVE_INFINITY
  let cancelTimer: () => void = () => {}

  function arm(due: number): void {
    if (due >= timerAt) return
    cancelTimer()
    timerAt = due
    cancelTimer = clock.after(due - clock.elapsed(), fire)
  }

  function fire(): void {
    timerAt = Number.POSITIVE_INFINITY
    const now = clock.elapsed()
    for (const entry of waiting) {
      if (entry.due > now) arm(entry.due)
      else if (waiting.delete(entry)) entry.fn()
    }
  }

  return (delayMs, fn) => {
    const entry = { due: clock.elapsed() + delayMs, fn }
    waiting.add(entry)
    arm(entry.due)
    return () => {
      // The timer of one that is gone may stay for the others: it finds nothing due and is set again.
      if (!waiting.delete(entry) || waiting.size > 0) return
      cancelTimer()
      timerAt = Number.POSITIVE_INFINITY
    }
  }
}
