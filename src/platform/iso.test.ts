import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { iso } from './iso.ts'

const latest = 8_640_000_000_000_000

test('an instant reads as the language itself writes it', () => {
  const anyTime = fc.integer({ min: -latest, max: latest })
  const ofOurDays = fc.integer({ min: 0, max: 4_102_444_800_000 })
  fc.assert(fc.property(fc.oneof(anyTime, ofOurDays), (at) => assert.equal(iso(at), new Date(at).toISOString())))
  for (const at of [0, -1, 1, 86_399_999, 86_400_000, latest, -latest]) assert.equal(iso(at), new Date(at).toISOString())
})

test('what is no time is refused', () => {
  for (const at of [Number.NaN, Infinity, latest + 86_400_000, -latest - 1]) assert.throws(() => iso(at), RangeError)
})
