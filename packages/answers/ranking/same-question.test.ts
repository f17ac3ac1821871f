import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { slideText } from '../../../test/support/slides.ts'
import { titleOf } from '@rostrum/deck/block-text'
import { createSameQuestion } from './same-question.ts'
import { buildSessionIndex } from './session-index.ts'

const slides = [
  'The mill\n- Built in 1890 by Ada Brook\n- Stands in Harrow Vale',
  'Prices\n- Solo plan: 12 EUR a month\n- Team plan: 29 EUR a month',
  'Delivery\n- Shipped within 3 days\n- Never shipped on Sundays',
  'Warranty\n- Five years on the wheel\n- Two years on the gear',
].map((text, index) => slideText({ id: `s${index}`, index, title: titleOf(text), text }))

const isSame = createSameQuestion(buildSessionIndex('s', { language: 'en', slides, passages: [] }))

test('a question in other words is the same question', () => {
  for (const [a, b] of [
    ['How much is the Solo plan?', 'What does the Solo plan cost?'],
    ['Who built the mill?', 'Could you tell me who built the mill, please?'],
    ['How long is the warranty on the wheel?', 'warranty wheel how long'],
  ] as const)
    assert.ok(isSame(a, b), `${a} / ${b}`)
})

test('what asks for another thing, another value or the opposite stays apart', () => {
  for (const [a, b] of [
    ['How much is the Solo plan?', 'How much is the Team plan?'],
    ['When was the mill built?', 'Who built the mill?'],
    ['Where was the mill built?', 'When was the mill built?'],
    ['Do you ship on Sundays?', 'Do you not ship on Sundays?'],
    ['How long is the warranty on the wheel?', 'How long is the warranty on the gear?'],
    ['Can I get 2 plans?', 'Can I get 3 plans?'],
    ['Is there a cafe?', 'Is there a lift?'],
  ] as const)
    assert.ok(!isSame(a, b), `${a} / ${b}`)
})

test('sameness is mutual, every question with words is its own equal, and no text breaks it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ unit: 'binary', maxLength: 200 }), (a, b) => {
      assert.equal(isSame(a, b), isSame(b, a))
    }),
  )
  for (const question of ['Who built the mill?', 'Sind Hunde erlaubt?']) assert.ok(isSame(question, question))
})
