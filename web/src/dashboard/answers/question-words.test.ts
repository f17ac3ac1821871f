import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AskedQuestion } from '../data/wire.ts'
import { isUnanswered, withLeaders } from './question-words.ts'

const question = (questionId: string, rest: Partial<AskedQuestion>): AskedQuestion => ({
  questionId,
  source: 'room',
  runId: 'r',
  text: `${questionId}?`,
  by: { attendeeId: 'a', name: null },
  status: 'answered',
  slideIndex: 0,
  votes: 1,
  askedAt: '2026-01-01T00:00:00.000Z',
  ...rest,
})

test('a question answered together with a like one was counted as unanswered', () => {
  const asked = withLeaders([
    question('second', { mergedInto: 'first' }),
    question('first', { outcome: 'answered' }),
    question('fourth', { mergedInto: 'third' }),
    question('third', { outcome: 'unknown' }),
    question('of a page not read', { mergedInto: 'elsewhere' }),
    question('waiting', { status: 'queued' }),
  ])
  assert.deepEqual(
    asked.filter(isUnanswered).map(({ questionId }) => questionId),
    ['fourth', 'third', 'waiting'],
  )
  assert.equal(asked[0]?.joinedWith, 'first?')
})
