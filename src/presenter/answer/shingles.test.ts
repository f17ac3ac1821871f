import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leakTest } from './shingles.ts'

const notes = ['Mention that the floor price is fifty five euro and no lower. The deck is open to everyone in the room.']
const leaks = leakTest(notes, ['The deck is open to everyone in the room.'], 'en')

test('five words in a row of private notes are found, whatever the spelling and punctuation', () => {
  assert.ok(leaks('He said: the floor price -- is FIFTY five!'))
})

test('words that are public too, and fewer than five, pass', () => {
  assert.ok(!leaks('The deck is open to everyone in the room.'))
  assert.ok(!leaks('The floor price is secret.'))
  assert.ok(!leakTest([], [], 'en')('Anything at all may be said here.'))
})
