// Many deadlines on one timer behave as one timer each.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { manualClock } from '../../test/support/clock.ts'
import { createDeadlines } from './deadlines.ts'

test('whatever is set and cancelled, the rest falls due exactly on time, once', async () => {
  const step = fc.record({
    delay: fc.integer({ min: 0, max: 50 }),
    wait: fc.integer({ min: 0, max: 20 }),
    cancelAfter: fc.option(fc.integer({ min: 0, max: 60 })),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const clock = manualClock(0)
      const after = createDeadlines(clock)
      const fell: (number | undefined)[] = []
      const owed: (number | undefined)[] = []
      for (const [at, { delay, wait, cancelAfter }] of steps.entries()) {
        const began = clock.elapsed()
        const cancel = after(delay, () => void (fell[at] = fell[at] === undefined ? clock.elapsed() : Number.NaN))
        if (cancelAfter !== null) clock.after(cancelAfter, cancel)
        owed[at] = cancelAfter === null || cancelAfter > delay ? began + delay : undefined
        if (cancelAfter === delay) owed[at] = Number.NaN
        await clock.advance(wait)
      }
      await clock.advance(200)
      for (const [at, due] of owed.entries()) if (!Number.isNaN(due)) assert.equal(fell[at], due, `deadline ${at}`)
      assert.equal(clock.nextDue(), undefined)
    }),
    { numRuns: 60 },
  )
})
