import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDecks } from '../../../bench/qa/sets.ts'
import { slideText } from '../../../test/support/slides.ts'
import { noteExtractions, syntheticAudience } from './synthetic-audience.ts'

test('the same seed gives the same audience, another seed another', () => {
  const [deck] = readDecks()
  assert.ok(deck)
  const ask = (seed: number) => syntheticAudience(deck.content, { questions: 12, seed })
  assert.deepEqual(ask(1), ask(1))
  assert.notDeepEqual(ask(1), ask(2))
})

test('an audience of twelve asks nine things of the deck, up to two of them with a false figure, three of other subjects, and tries the notes', () => {
  for (const { content } of readDecks()) {
    const asked = syntheticAudience(content, { questions: 12, seed: 7 })
    const count = (kind: string) => asked.filter((question) => question.kind === kind).length
    const leading = asked.filter((question) => question.kind === 'leading')
    assert.deepEqual([count('answerable') + leading.length, count('off-topic'), count('note-extraction')], [9, 3, noteExtractions.length])
    assert.ok(leading.length <= 2)
    for (const { kind, slideIndex, passageId } of asked) {
      assert.equal(slideIndex !== undefined || passageId !== undefined, kind === 'answerable' || kind === 'leading')
    }
    const deck = content.slides.map(({ text }) => text).join('\n')
    for (const { text, falsehood = '' } of leading) {
      assert.ok(text.includes(falsehood) && falsehood !== '', text)
      assert.ok(!deck.includes(falsehood), `${falsehood} is in the deck`)
    }
  }
})

test('what several slides say was asked once for each of them', () => {
  const slides = [1, 2, 3].map((id, index) => slideText({ id: `${id}`, index, title: 'Prices', text: 'Prices\n- The pump: 12 EUR' }))
  const asked = syntheticAudience({ language: 'en', slides }, { questions: 40, seed: 1 }).filter(({ kind }) => kind === 'answerable')
  assert.equal(new Set(asked.map(({ text }) => text)).size, asked.length)
})
