import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { manualClock } from '../../../test/support/clock.ts'
import { createWakes } from './timers.ts'

test('every key wakes once at its last set time, in order of time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.option(fc.integer({ min: 0, max: 500 })))),
      async (sets) => {
        const clock = manualClock(0)
        const woken: { key: string; at: number }[] = []
        const wakes = createWakes(clock, (key) => void woken.push({ key, at: clock.now() }))
        const expected = new Map<string, number>()
        for (const [key, at] of sets) {
          wakes.set(key, at)
          if (at === null) expected.delete(key)
          else expected.set(key, at)
        }
        for (let i = 0; i < 50; i++) await clock.advance(10)
        assert.deepEqual(
          woken.map(({ at }) => at),
          [...expected.values()].sort((a, b) => a - b),
        )
        assert.deepEqual(new Map(woken.map(({ key, at }) => [key, at])), expected)
      },
    ),
    { numRuns: 30 },
  )
})
