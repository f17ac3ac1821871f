// Rules that the browser and the server each carry must stay one rule: the browser may import types only.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pronouncing as serverPronouncing } from '../../src/sessions/voice/clips/pronounced.ts'
import { clauseOffsets as serverOffsets } from '../../src/sessions/script/compile/timing.ts'
import { clauseOffsets } from '../src/room/captions.ts'
import { pronouncing } from '../src/room/pronounced.ts'

const text = fc.oneof(
  fc.array(fc.stringMatching(/^[a-zé0-9]{1,12}[,.;:!?]?$/), { maxLength: 80 }).map((words) => words.join(' ')),
  fc.stringMatching(/^[一-鿆、。，]{0,400}$/),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
)

test('the browser cuts a sentence into the clauses that the server numbers', () => {
  fc.assert(fc.property(text, (sentence) => assert.deepEqual(clauseOffsets(sentence), serverOffsets(sentence))))
})

const word = fc.constantFrom('a', 'kubectl', 'Polish', 'C++', 'SQL Server', 'SQL', 'é', '大分', 'ー', 'لينكس', '.', '$&', '(', 'ไทย')
const spoken = fc.array(fc.oneof(word, fc.constantFrom(' ', '. ', 'x', 'を', 'Kubectl')), { maxLength: 30 }).map((parts) => parts.join(''))

test('both voices are given words as the host says them, and the browser finds its way back to the caption', () => {
  fc.assert(
    fc.property(spoken, fc.dictionary(word, fc.constantFrom('one', 'two words', '$1', '')), (caption, list) => {
      const { text: said, captionAt } = pronouncing(list)(caption)
      assert.equal(said, serverPronouncing(list)(caption))
      const places = Array.from({ length: said.length + 1 }, (_, at) => captionAt(at))
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
        'never back',
      )
      assert.equal(places.at(-1), caption.length)
      const rest = (text: string) => text.replaceAll(/[^x.]/g, '')
      if (rest(Object.entries(list).flat().join('')) === '') assert.equal(rest(said), rest(caption), 'what is no word of the list stays')
      for (const { 0: character, index } of said.matchAll(/x/g))
        if (!Object.values(list).some((each) => each.includes('x'))) assert.equal(caption[captionAt(index)], character)
    }),
  )
})
