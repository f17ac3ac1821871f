// Deadlines of many exchanges on one timer: a timer each, set and cleared, costs more than the rest of what is kept about a
// request.
import { Bag } from '../kernel/bag.ts'
import type { Clock } from '../kernel/clock.ts'

/** Like `clock.after`, for calls that are nearly always cancelled and much alike in length. */
export function createDeadlines(clock: Clock): Clock['after'] {
  const waiting = new Bag<{ due: number; fn: () => void }>()
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
    for (const place of waiting.places()) {
      const { due, fn } = place.value
      if (place.index >= 0 && due > now) arm(due)
      else if (waiting.remove(place)) fn()
    }
  }

  return (delayMs, fn) => {
    const due = clock.elapsed() + delayMs
    const place = waiting.add({ due, fn })
    arm(due)
    return () => {
      // The timer of one that is gone may stay for the others: it finds nothing due and is set again.
      if (!waiting.remove(place) || waiting.size > 0) return
      cancelTimer()
      timerAt = Number.POSITIVE_INFINITY
    }
  }
}
