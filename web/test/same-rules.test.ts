// Rules that the browser and the server each carry must stay one rule: the browser may import types only.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clauseOffsets as serverOffsets } from '../../src/decks/script/timing.ts'
import { clauseOffsets } from '../src/room/captions.ts'

const text = fc.oneof(
  fc.array(fc.stringMatching(/^[a-zé0-9]{1,12}[,.;:!?]?$/), { maxLength: 80 }).map((words) => words.join(' ')),
  fc.stringMatching(/^[一-鿆、。，]{0,400}$/),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
)

test('the browser cuts a sentence into the clauses that the server numbers', () => {
  fc.assert(fc.property(text, (sentence) => assert.deepEqual(clauseOffsets(sentence), serverOffsets(sentence))))
})
