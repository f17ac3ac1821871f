import assert from 'node:assert/strict'
import { test } from 'node:test'
import { iso, systemClock } from './clock.ts'

const dayMs = 86_400_000

test('what is due in 25 days or more does not ring at once, again and again', async () => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  const rung: string[] = []
  const cancel = systemClock.after(25 * dayMs, () => void rung.push('25 days'))
  // Set later: what rang too early would have rung before it.
  await new Promise<void>((resolve) => void systemClock.after(2, resolve))
  cancel()
  process.off('warning', note)
  assert.deepEqual(rung, [])
  assert.deepEqual(warnings, [])
})

test('a long wait rings once, when it is over, and can be cancelled on the way', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const rung: number[] = []
  systemClock.after(60 * dayMs, () => void rung.push(60))
  const cancel = systemClock.after(70 * dayMs, () => void rung.push(70))
  for (let day = 0; day < 59; day++) t.mock.timers.tick(dayMs)
  assert.deepEqual(rung, [])
  t.mock.timers.tick(dayMs)
  cancel()
  for (let day = 60; day < 80; day++) t.mock.timers.tick(dayMs)
  assert.deepEqual(rung, [60])
})

const latest = 8_640_000_000_000_000

test('what is no time is refused', () => {
  for (const at of [Number.NaN, Infinity, latest + 86_400_000, -latest - 1]) assert.throws(() => iso(at), RangeError)
})
