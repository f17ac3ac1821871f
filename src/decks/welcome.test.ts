import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileScript } from './script/compile.ts'
import { titleOf } from './blocks/parse-blocks.ts'
import { welcomeDeck } from './welcome.ts'
import { slideText } from '../../test/support/slides.ts'

test('the welcome deck links to the docs of this server and keeps within the limits of a session', () => {
  const deck = welcomeDeck('http://localhost:4400/')
  assert.equal(deck.ctaUrl, 'http://localhost:4400/docs')
  assert.ok(deck.ctaText.length <= 80 && deck.slides.length >= 6 && deck.knowledgeBase.length >= 8)
})

test('the welcome talk takes about two minutes, says what was written for it, and asks the listener twice', () => {
  const deck = welcomeDeck('http://localhost:4400')
  const slides = deck.slides.map(({ textContent, narration, agentNotes }, index) =>
    slideText({
      id: `s${index}`,
      index,
      title: titleOf(textContent),
      text: textContent,
      narration,
      agentNotes,
    }),
  )
  const script = compileScript({ title: deck.title, language: deck.language, slides, ctaText: deck.ctaText })
  assert.ok(script.totalMs > 90_000 && script.totalMs < 160_000, `${script.totalMs}`)
  assert.equal(script.beats.filter(({ waitMs }) => waitMs !== undefined).length, 2)
})
