import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scaleOf } from '../bench/scale.ts'

test('a million attendees at five events a second and 8.4 us a write are 42 cores in 120 processes', () => {
  const scale = scaleOf({ writeUs: 8.4, attendees: 1_000_000, ticksPerSecond: 5, eventBytes: 300 })
  assert.equal(scale.writesPerSecond, 5_000_000)
  assert.equal(Math.round(scale.cores), 42)
  assert.equal(Math.round(scale.coresWithTls), 60)
  assert.equal(scale.perProcess, 8_333)
  assert.equal(scale.processes, 121)
  assert.equal(scale.busPerSecond, 605)
  assert.equal(scale.gigabitsPerSecond, 12)
})

test('half the events are half the writes and half the processes', () => {
  const [often, seldom] = [4, 2].map((ticksPerSecond) => scaleOf({ writeUs: 10, attendees: 1_000_000, ticksPerSecond, eventBytes: 300 }))
  assert.equal(often?.cores, 2 * (seldom?.cores ?? 0))
  assert.ok(Math.abs((often?.processes ?? 0) - 2 * (seldom?.processes ?? 0)) <= 2)
})
