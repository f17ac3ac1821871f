import assert from 'node:assert/strict'
import { test } from 'node:test'
import { together } from './store.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('callers of one turn share one call, later ones wait for it and share the next', async () => {
  const batches: number[][] = []
  const gates: (() => void)[] = []
  const double = together<number, number>(
    async (items) => {
      batches.push([...items])
      await new Promise<void>((resolve) => void gates.push(resolve))
      return items.map((item) => item * 2)
    },
    { itemsMax: 3 },
  )
  const first = [1, 2].map(double)
  await turn()
  const later = [3, 4, 5, 6].map(double)
  await turn()
  assert.deepEqual(batches, [[1, 2]])
  gates[0]?.()
  assert.deepEqual(await Promise.all(first), [2, 4])
  await turn()
  gates[1]?.()
  await later[0]
  await turn()
  gates[2]?.()
  assert.deepEqual(await Promise.all(later), [6, 8, 10, 12])
  assert.deepEqual(batches, [[1, 2], [3, 4, 5], [6]])
})

test('a failure is told to those it concerns alone', async () => {
  const checked = together<number, number>(
    async (items) => {
      if (items.includes(0)) throw new Error('no zero')
      return items
    },
    { itemsMax: 2 },
  )
  const outcomes = await Promise.allSettled([1, 0, 2, 3].map(checked))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled', 'fulfilled'],
  )
})
