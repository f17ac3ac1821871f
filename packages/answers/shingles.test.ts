import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { stepByStep } from '@rostrum/base/work'
import { leakTests } from './shingles.ts'

const made = (...given: Parameters<typeof leakTests>) => stepByStep(leakTests(...given))

const notes = ['Mention that the floor price is fifty five euro and no lower. The deck is open to everyone in the room.']
let leaks: (text: string) => boolean
before(async () => {
  leaks = (await made(notes, ['The deck is open to everyone in the room.'], 'en')).runs
})

test('five words in a row of private notes are found, whatever the spelling and punctuation', () => {
  assert.ok(leaks('He said: the floor price -- is FIFTY five!'))
})

test('words that are public too, and fewer than five, pass', async () => {
  assert.ok(!leaks('The deck is open to everyone in the room.'))
  assert.ok(!leaks('The floor price is secret.'))
  assert.ok(!(await made([], [], 'en')).runs('Anything at all may be said here.'))
})

test('words of a long public text are public wherever they stand in it', async () => {
  const words = Array.from({ length: 9_000 }, (_, n) => `word${n}`)
  const { runs, strict } = await made([words.join(' ')], [words.join(' ')], 'en')
  for (let n = 0; n < words.length - 5; n++) assert.ok(!runs(words.slice(n, n + 5).join(' ')), `at ${n}`)
  assert.ok(!strict(words.join(' ')))
})
