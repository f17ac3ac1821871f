// Tells a server that hangs from one that is busy. Where somebody waits and nothing has been heard for a while, it is asked once more, on
// its own: one that answers is let work on; one that does not is away, and whoever waits for it is let go. Whoever comes then is refused
// at once, until it answers again.
import { Away } from '../away.ts'
import type { Clock } from '@rostrum/base/clock'

export interface AnsweringParts {
  /** Asks what costs nothing; rejects where no answer comes before `signal`. */
  ask(signal: AbortSignal): Promise<void>
  clock: Clock
  /** How long nothing may be heard; 0 for ever. */
  silenceMs: number
}

export interface Waiter {
  /** It waits no more. `isAnswered`: the server has said something, if only that it was wrong. */
  end(isAnswered: boolean): void
}

/** A server that is away is asked again at most so often, by those who come. */
const askEveryMs = 1_000
const looksPerSilence = 4

export function createAnswering({ ask, clock, silenceMs }: AnsweringParts) {
  const waiting = new Map<Waiter, { since: number; letGo: () => void }>()
  let heardAt = 0
  let askedAt = 0
  let isAway = false
  let isAsking = false
  let cancelLook: (() => void) | null = null

  function look(): void {
    cancelLook = null
    const [oldest] = waiting.values()
    if (oldest === undefined) return
    if (clock.elapsed() - Math.max(heardAt, oldest.since) >= silenceMs) askOnce()
    lookLater()
  }

  function lookLater(): void {
    cancelLook ??= clock.after(silenceMs / looksPerSilence, look)
  }

  function askOnce(): void {
    if (isAsking) return
    isAsking = true
    askedAt = clock.elapsed()
    const late = new AbortController()
    const cancel = clock.after(silenceMs, () => late.abort())
    ask(late.signal)
      .then(heard, () => {
        isAway = true
        for (const { letGo } of waiting.values()) letGo()
      })
      .finally(() => {
        cancel()
        isAsking = false
      })
      .catch(() => undefined)
  }

  function heard(): void {
    isAway = false
    heardAt = clock.elapsed()
  }

  /** From now on somebody waits; `letGo` ends that. Throws while the server is away. */
  function begin(letGo: () => void): Waiter {
    const waiter: Waiter = {
      end(isAnswered) {
        waiting.delete(waiter)
        if (isAnswered) heard()
      },
    }
    if (silenceMs === 0) return waiter
    const now = clock.elapsed()
    if (isAway) {
      if (now - askedAt >= askEveryMs) askOnce()
      throw new Away('unreachable')
    }
    waiting.set(waiter, { since: now, letGo })
    lookLater()
    return waiter
  }

  return {
    begin,
    /** What `work` gives; whoever waits for it is let go where the server is away. */
    async answers<T>(work: () => Promise<T>): Promise<T> {
      const { promise: inVain, reject } = Promise.withResolvers<never>()
      const waiter = begin(() => reject(new Away('unreachable')))
      let isAnswered = false
      try {
        const value = await Promise.race([work(), inVain])
        isAnswered = true
        return value
      } finally {
        waiter.end(isAnswered)
      }
    },
    close(): void {
      cancelLook?.()
      cancelLook = null
    },
  }
}

/** What `work` gives, unless `signal` comes before. */
export function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const late = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Away('unreachable'))))
  return Promise.race([work, late])
}
