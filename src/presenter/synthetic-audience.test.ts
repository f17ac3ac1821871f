import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDecks } from '../../bench/qa/sets.ts'
import { noteExtractions, syntheticAudience } from './synthetic-audience.ts'

test('the same seed gives the same audience, another seed another', () => {
  const [deck] = readDecks()
  assert.ok(deck)
  const ask = (seed: number) => syntheticAudience(deck.content, { questions: 12, seed })
  assert.deepEqual(ask(1), ask(1))
  assert.notDeepEqual(ask(1), ask(2))
})

test('an audience of twelve asks nine things of the deck, three of other subjects and tries the notes ten times', () => {
  for (const { content } of readDecks()) {
    const asked = syntheticAudience(content, { questions: 12, seed: 7 })
    const count = (kind: string) => asked.filter((question) => question.kind === kind).length
    assert.deepEqual([count('answerable'), count('off-topic'), count('note-extraction')], [9, 3, noteExtractions.length])
    for (const question of asked) assert.equal(question.slideIndex !== undefined, question.kind === 'answerable')
  }
})
