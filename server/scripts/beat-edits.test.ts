import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { slideText } from '../../test/support/slides.ts'
import { applyEdits, placeOf, slideHash } from './beat-edits.ts'
import type { ScriptSlide } from '@rostrum/telling/beat'
import type { Beat } from '@rostrum/contract/beat'

const kinds = ['title', 'narration', 'bridge'] as const

test('an edited sentence stands at its place among those of its slide and kind, and nowhere else', () => {
  const drawn = fc.array(fc.tuple(fc.nat(3), fc.constantFrom(...kinds)), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(drawn, fc.nat(), (list, chosen) => {
      const slides = [0, 1, 2, 3].map((index): ScriptSlide => slideText({ id: `s${index}`, index, title: 'A', text: 'A' }))
      const beats = list.map(([slideIndex, kind], index): Beat => ({
        beatId: `b${index}`,
        slideId: `s${slideIndex}`,
        slideIndex,
        index,
        kind,
        text: 'It is blue.',
        sources: [],
        estMs: 1_000,
        pauseMs: 250,
        clauses: [0],
      }))
      const at = chosen % beats.length
      const edit = { ...placeOf(beats, at), slide_hash: slideHash(slides[0]), text_content: 'It is red.' }
      const edits = [{ ...edit, author: 'host' as const, edited_at: 1 }]
      const edited = applyEdits(beats, slides, edits, { language: 'en', wpm: 150 })
      assert.deepEqual(
        edited.flatMap(({ text }, index) => (text === 'It is red.' ? [index] : [])),
        [at],
      )
    }),
  )
})
