// The one door to time and the one to randomness. Production uses `systemClock` and `systemIds`; tests inject a manual clock and seeded
// ids (test/support).
import { randomBytes, randomUUID } from 'node:crypto'

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

// The one door to randomness: identifiers, slugs and secrets. Tests inject `seededIds` (test/support/ids.ts).

export interface Ids {
  /** A lower-case version 4 UUID. */
  uuid(): string
  /** Cryptographically strong bytes. */
  bytes(length: number): Uint8Array
}

export const systemIds: Ids = {
  uuid: () => randomUUID(),
  bytes: (length) => randomBytes(length),
}

const base32 = 'abcdefghijklmnopqrstuvwxyz234567'
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `length` lower-case base32 characters, five random bits each. */
export function randomBase32(ids: Ids, length: number): string {
  let text = ''
  for (const byte of ids.bytes(length)) text += base32.charAt(byte & 31)
  return text
}

/** `length` base62 characters, unbiased: bytes that would favour the first characters are thrown away. */
export function randomBase62(ids: Ids, length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of ids.bytes(length - text.length + 8)) {
      if (byte < 248 && text.length < length) text += base62.charAt(byte % 62)
    }
  }
  return text
}

/** A version 7 UUID: its order is the order of `now`, so rows keyed by it stay together on disk (RFC 9562). */
export function uuidV7(ids: Ids, now: number): string {
  const hex = uuidV7Hex(ids, now)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Its 32 digits alone. */
export function uuidV7Hex(ids: Ids, now: number): string {
  const bytes = Buffer.from(ids.bytes(16))
  bytes.writeUIntBE(Math.floor(now), 0, 6)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex')
}

/** What a version 7 UUID made at `at` begins with: any made later is greater, any made before is smaller. */
export function timeDigits(at: number): string {
  return Math.max(0, Math.floor(at)).toString(16).padStart(12, '0')
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}
