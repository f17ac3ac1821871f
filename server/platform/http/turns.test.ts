import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTurns } from './server.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a few begin at once; of a crowd each begins, in order, and others have their turn in between', async () => {
  const begun: number[] = []
  const begin = inTurns((n: number) => void begun.push(n))
  begin(0)
  assert.deepEqual(begun, [0])
  await turn()
  const crowd = Array.from({ length: 100 }, (_, n) => n + 1)
  crowd.forEach((n) => begin(n))
  const counts = [begun.length]
  while (begun.length < 101) {
    await turn()
    counts.push(begun.length)
    if (counts.length === 3) begin(101)
  }
  assert.ok(counts.every((count, at) => count - (counts[at - 1] ?? 1) <= 16))
  while (begun.length < 102) await turn()
  assert.deepEqual(begun, [0, ...crowd, 101])
})
