// Where chance begins in tests: one number for a whole run, so that a run can be had again.
import { randomInt } from 'node:crypto'

/** fast-check takes 32 bits. */
const seedMax = 2 ** 31 - 1

/** `ROSTRUM_TEST_SEED`: a whole number, or `random` to explore; 1 where it says nothing. */
export function seedOf(given: string | undefined): number {
  if (given === undefined || given === '') return 1
  if (given === 'random') return randomInt(1, seedMax)
  const seed = Number(given)
  if (Number.isInteger(seed) && seed >= 0 && seed <= seedMax) return seed
  throw new Error(`ROSTRUM_TEST_SEED is "${given}": give a whole number from 0 to ${seedMax}, or "random".`)
}

/** Of this process; `random` was settled by who started the run. */
export const testSeed: number = seedOf(process.env['ROSTRUM_TEST_SEED'])

/** How often a property that costs much is tried: `ROSTRUM_TEST_PROPERTIES=10` is a long form, ten times as often. */
export const tries = (runs: number): number => Math.ceil(runs * Number(process.env['ROSTRUM_TEST_PROPERTIES'] ?? 1))
