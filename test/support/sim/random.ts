// Chance that repeats: everything in a simulated room follows from one seed.

export type Random = () => number

export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A whole number from 0 to `below` - 1. */
export const under = (random: Random, below: number): number => Math.floor(random() * below)

export function oneOf<T>(random: Random, all: readonly T[]): T {
  const one = all[under(random, all.length)]
  if (one === undefined) throw new Error('There is nothing to choose from.')
  return one
}

export function uuidOf(random: Random): string {
  const hex = Array.from({ length: 32 }, () => under(random, 16).toString(16))
  hex[12] = '4'
  hex[16] = '8'
  const text = hex.join('')
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`
}
