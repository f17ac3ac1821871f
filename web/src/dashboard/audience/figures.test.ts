import assert from 'node:assert/strict'
import { test } from 'node:test'
import { difference } from './figures.ts'

test('a difference that its words round to nothing read "0 sec above your median"', () => {
  const say = (seconds: number) => `${Math.round(seconds)} sec`
  assert.deepEqual(
    [difference(27.3, 27, say), difference(27, 27, say), difference(29, 27, say), difference(20, 27, say)],
    ['Your median', 'Your median', '2 sec above your median', '7 sec below your median'],
  )
})
