import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slideText } from '../../test/support/slides.ts'
import { compileScript } from '../../packages/telling/compile.ts'
import { piecesOf } from '@rostrum/deck/block'
import type { Piece } from '@rostrum/contract/block'
import { titleOf } from '@rostrum/deck/block-text'
import { sniff } from '@rostrum/deck/sniff'
import { welcomeDeck, welcomePictures } from './welcome.ts'

test('the welcome deck links to the docs of this server and keeps within the limits of a session', () => {
  const deck = welcomeDeck('http://localhost:4400/')
  assert.equal(deck.ctaUrl, 'http://localhost:4400/docs')
  assert.ok(deck.ctaText.length <= 80 && deck.slides.length >= 6 && deck.knowledgeBase.length >= 8)
})

test('the welcome talk takes a minute and a half, says what was written for it, and asks the listener twice', () => {
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
  assert.ok(script.totalMs > 85_000 && script.totalMs < 95_000, `${script.totalMs}`)
  assert.equal(script.beats.filter(({ waitMs }) => waitMs !== undefined).length, 2)
})

test('each slide of the welcome talk has a small picture, and each line below its title a place on it', async () => {
  const pictures = await welcomePictures()
  assert.equal(pictures.length, welcomeDeck('').slides.length)
  for (const [at, { bytes, reading }] of pictures.entries()) {
    assert.equal(sniff(bytes), 'webp')
    assert.ok(bytes.length <= 60_000, `${at + 1}: ${bytes.length}`)
    const pieces = reading.blocks.flatMap((block): readonly Piece[] => piecesOf(block))
    assert.ok(pieces.length > 0)
    const boxes = pieces.map(({ boxes: [place] = [] }) => place)
    for (const [x, y, width, height] of boxes.map((place) => place ?? [2, 2, 2, 2])) {
      assert.ok(x > 0 && y > 0 && x + width < 0.5 && y + height < 1, `slide ${at + 1}`)
    }
    assert.equal(new Set(boxes.map(String)).size, boxes.length)
  }
  assert.ok(pictures.reduce((sum, { bytes }) => sum + bytes.length, 0) <= 250_000)
})
