import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clauseOffsets } from '@rostrum/contract/spoken'
import { estimateMs } from '../voice/estimate.ts'
import { captionChunks, chunkAt, clauseStart, utterancePieces } from '@rostrum/contract/captions'

const word = fc.stringMatching(/^[a-zà-ü]{1,14}[,.;]?$/)
const sentence = fc.oneof(
  fc.array(word, { minLength: 1, maxLength: 60 }).map((words) => words.join(' ')),
  fc.stringMatching(/^[一-鿆ぁ-ん、。]{1,90}$/),
  fc.stringMatching(/^[a-z]{1,200}$/),
)

const wide = (text: string) =>
  Array.from(text).reduce((sum, character) => sum + (/[\u3040-\u9fff\u3000-\u303f]/.test(character) ? 2 : 1), 0)

test('captions cover a sentence without gap or overlap, two lines of 42 columns each', () => {
  fc.assert(
    fc.property(sentence, (text) => {
      const chunks = captionChunks(text)
      assert.equal(chunks[0]?.start, 0)
      assert.equal(chunks.at(-1)?.end, text.length)
      chunks.forEach((chunk, i) => {
        assert.equal(chunk.start, chunks[i - 1]?.end ?? 0)
        assert.ok(wide(chunk.text) <= 2 * 42 + 1, chunk.text)
        assert.equal(chunk.text, text.slice(chunk.start, chunk.end).trim())
      })
    }),
  )
})

test('pieces for the voice hold at most 180 characters and start where asked', () => {
  fc.assert(
    fc.property(sentence, fc.nat({ max: 100 }), (text, chars) => {
      const from = clauseStart(text, chars)
      const pieces = utterancePieces(text, from)
      assert.ok(from >= text.length || pieces[0]?.start === from)
      for (const piece of pieces) assert.ok(piece.text.length <= 180)
      assert.equal(pieces.map((piece) => text.slice(piece.start, piece.end)).join(''), text.slice(from))
    }),
  )
})

test('captions are cut at clause ends where a clause fits', () => {
  const text =
    'Solar output falls at six, while demand keeps rising until nine, so gas peakers run for three hours at the highest price of the day.'
  assert.deepEqual(
    captionChunks(text).map((chunk) => chunk.text),
    [
      'Solar output falls at six, while demand keeps rising until nine,',
      'so gas peakers run for three hours at the highest price of the day.',
    ],
  )
  assert.equal(chunkAt(captionChunks(text), 80)?.start, 65)
})

test('numbers keep their comma and point', () => {
  assert.deepEqual(clauseOffsets('It costs 7,300 cycles, or 3.90 a day.'), [0, 23])
})

test('a sentence takes at least 700 ms and less at a higher speed', () => {
  assert.equal(estimateMs('Yes', 2), 700)
  assert.ok(
    estimateMs('A battery shifts the evening peak by four hours.', 2) < estimateMs('A battery shifts the evening peak by four hours.'),
  )
})
