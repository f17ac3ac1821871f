// A clock for real work under limits: nothing runs out but what the test says, however slow the machine is.
import { type Clock, systemClock } from '@rostrum/base/clock'

/** Shorter waits are looks that come again; they take their real time. */
const looksMaxMs = 1_000

/** `runsOut` is asked of each limit when it begins: its length, and which of this length it is, from 1. True: it is over at once. */
export function heldClock(runsOut: (delayMs: number, nth: number) => boolean = () => false): Clock {
  const begun = new Map<number, number>()
  return {
    now: systemClock.now,
    elapsed: () => 0,
    after(delayMs, fn) {
      if (delayMs < looksMaxMs) return systemClock.after(delayMs, fn)
      const nth = (begun.get(delayMs) ?? 0) + 1
      begun.set(delayMs, nth)
      if (!runsOut(delayMs, nth)) return () => undefined
      const turn = setImmediate(fn)
      return () => clearImmediate(turn)
    },
  }
}
