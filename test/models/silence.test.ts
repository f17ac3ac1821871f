import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silences } from '../../bench/model/silence.ts'

test('whatever one model or two do, nobody waits two seconds for a sentence, and every answer ends', async () => {
  const found = await silences()
  assert.ok(found.length > 150)
  assert.deepEqual(
    found.filter(({ ms }) => ms >= 2_000),
    [],
  )
})
