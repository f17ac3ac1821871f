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

/** `crypto.randomUUID` exists only in secure contexts; a room served over plain http on a local network needs the same. */
function webUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, (byte, i) =>
    (i === 6 ? (byte & 15) | 64 : i === 8 ? (byte & 63) | 128 : byte).toString(16).padStart(2, '0'),
  ).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
