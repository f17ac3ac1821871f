// Identifiers that repeat from run to run (mulberry32 of a seed).
import type { Ids } from '@rostrum/base/clock'

export function seededIds(seed = 1): Ids {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) & 255
  }
  const bytes = (length: number) => Uint8Array.from({ length }, next)
  return {
    bytes,
    uuid() {
      const raw = bytes(16)
      raw[6] = ((raw[6] ?? 0) & 0x0f) | 0x40
      raw[8] = ((raw[8] ?? 0) & 0x3f) | 0x80
      const hex = Array.from(raw, (byte) => byte.toString(16).padStart(2, '0')).join('')
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
    },
  }
}
