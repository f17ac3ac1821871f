import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askFollowUps } from '../../bench/qa/follow-ups.ts'
import { sessionOf } from '../../bench/qa/score.ts'
import { readDecks } from '../../bench/qa/sets.ts'
import { quotedAnswer } from './answer.ts'

test('of 100 questions that go on from another, in eight languages, at least 92 get what they ask for, and at most 3 nothing', () => {
  const pairs = askFollowUps(readDecks())
  const missed = pairs.filter(({ isRight }) => !isRight).map(({ first, next, reply }) => `${first} ${next} ${reply}`)
  assert.equal(pairs.length, 100)
  assert.ok(missed.length <= 8, missed.join('\n'))
  assert.ok(pairs.filter(({ isRefused }) => isRefused).length <= 3)
})

test('"And the training?" was answered with the contract: what is named anew counts for more than what was asked before', () => {
  const deck = readDecks().find(({ id }) => id === 'mediqor')
  assert.ok(deck)
  const history = [{ question: 'How long is the minimum contract?', answer: 'Minimum contract 36 months.', slides: [6] }]
  assert.match(quotedAnswer('And the training?', { session: sessionOf(deck), history }).end.text, /90 minutes/)
})
