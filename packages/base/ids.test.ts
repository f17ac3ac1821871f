import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemIds } from './clock.ts'

test('random bytes are never given out twice, of whatever length and across refills', () => {
  const seen = new Set<string>()
  const lengths = [8, 16, 12, 64, 65, 200]
  for (let n = 0; n < 3_000; n++) {
    const bytes = systemIds.bytes(lengths[n % lengths.length] ?? 8)
    assert.equal(bytes.length, lengths[n % lengths.length])
    seen.add(Buffer.from(bytes.subarray(0, 8)).toString('hex'))
  }
  assert.equal(seen.size, 3_000)
  assert.ok(!seen.has('0000000000000000'))
})

test('what one caller does to its bytes reaches no other', () => {
  const first = systemIds.bytes(16)
  first.fill(7)
  assert.ok(systemIds.bytes(16).some((byte) => byte !== 7))
  assert.ok(first.every((byte) => byte === 7))
})
