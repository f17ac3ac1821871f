import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearShare, phraseHits, phraseShare, phraseWeights } from './features.ts'
import { questionTypeOf, readQuestion } from './question.ts'
import { buildSessionIndex } from './session-index.ts'

const indexOf = (...contents: string[]) =>
  buildSessionIndex('s', { language: 'en', slides: [], passages: contents.map((content, index) => ({ id: `k${index}`, index, content })) })

test('a phrase is met by the same words in the same order, stop words included', () => {
  const index = indexOf('The head of the mill left.', 'The mill lost its head.')
  const query = readQuestion('Who is the head of the mill?', index)
  const hits = index.chunks.map(({ units }) => units.map((unit) => phraseHits(query, unit)))
  const weights = phraseWeights(query.phrases.size, hits)
  const [same = 0, other = 0] = hits.map((units) => phraseShare(weights, units))
  assert.ok(same > other && other > 0, `${same} ${other}`)
})

test('words that stand together in the question count as near in either order', () => {
  const index = indexOf('Brass pumps are sold.', 'Pumps of brass are sold.', 'Brass is dear, and the old yard by the river sells pumps.')
  const query = readQuestion('Who sells brass pumps?', index)
  const [same = 0, turned = 0, far = 0] = index.chunks.map(({ units }) => Math.max(...units.map((unit) => nearShare(query, unit))))
  assert.ok(same > far && turned > far, `${same} ${turned} ${far}`)
})

test('the first question word says what is asked for', () => {
  assert.equal(questionTypeOf('From whom did they buy the land where they live?', 'en'), 'person')
  assert.equal(questionTypeOf('When was the price raised?', 'en'), 'date')
})
