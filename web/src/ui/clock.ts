// The browser's one door to time and chance; tests hand in their own.

export interface WebClock {
  /** Unix milliseconds. */
  now(): number
  /** Monotonic milliseconds, for durations. */
  elapsed(): number
  after(delayMs: number, fn: () => void): () => void
  /** 0 <= x < 1. */
  chance(): number
  uuid(): string
}

export const webClock: WebClock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delayMs, fn) {
    const timer = setTimeout(fn, delayMs)
    return () => clearTimeout(timer)
  },
  chance: () => Math.random(),
  uuid: webUuid,
}

/** `crypto.randomUUID` exists only in secure contexts; a room served over plain http on a local network needs the same. 120 of its bits are random. */
function webUuid(): string {
  return '00000000-0000-4000-a000-000000000000'.replace(/0/g, () => ((crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) % 16).toString(16))
}
