import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readDecks } from '../../bench/qa/sets.ts'
import { boundedSlide, keepIds } from './new-slide.ts'
import { boundedPassage } from '../knowledge/passage-rows.ts'

const textOf = (textContent: string) => boundedSlide({ textContent }).slide.textContent

/** The longest run of one character, counted by code points. */
function longestRun(text: string): number {
  let [longest, run, before] = [0, 0, '']
  for (const character of text) {
    run = character === before ? run + 1 : 1
    before = character
    longest = Math.max(longest, run)
  }
  return longest
}

test('honest text comes in as it is', () => {
  for (const { content } of readDecks()) {
    for (const { text } of content.slides)
      assert.deepEqual(boundedSlide({ textContent: text }), { slide: { textContent: text }, isCut: false })
    for (const passage of content.passages) assert.equal(boundedPassage(passage.content), passage.content)
  }
  const rule = `Prices\n${'-'.repeat(200)}\n${'Item and price, EUR 5; '.repeat(200)}`
  assert.equal(textOf(rule), rule)
  const book = 'One paragraph that goes on. '.repeat(1_700)
  assert.equal(boundedPassage(book), book)
})

test('a run of one character is cut to two hundred, wherever it stands and however wide it is', () => {
  const cases = fc.tuple(fc.string({ maxLength: 250 }), fc.constantFrom('\n', ' ', '.', 'a', '値', '😀'), fc.integer({ min: 1, max: 900 }))
  fc.assert(
    fc.property(fc.array(cases, { maxLength: 4 }), (parts) => {
      const text = parts.map(([before, character, count]) => before + character.repeat(count)).join('')
      const kept = boundedPassage(text)
      assert.ok(longestRun(kept) <= 200, `${longestRun(kept)}`)
      if (longestRun(text) <= 200) assert.equal(kept, text)
    }),
    { numRuns: 2_000 },
  )
})

test('lines, sentences and their number are cut to their bounds', () => {
  assert.equal(textOf('ab'.repeat(5_000))?.length, 4_999)
  assert.equal(textOf(`${'ab '.repeat(3_000)}. Then this.`)?.slice(-12), '. Then this.')
  assert.equal(textOf('Ab cd. '.repeat(2_500))?.length, 10_000)
  assert.equal(textOf('a\n'.repeat(9_000))?.split('\n').length, 400)
  assert.equal(boundedSlide({ agentNotes: '\n'.repeat(19_900) }).slide.agentNotes?.length, 200)
})

test('whatever comes, what is kept keeps within the bounds and is not cut again', () => {
  const piece = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom('\n', '. ', ' ', 'a', '。', '😀'))
  const text = fc.array(fc.tuple(piece, fc.integer({ min: 1, max: 2_000 })), { maxLength: 5 })
  fc.assert(
    fc.property(text, (parts) => {
      const kept =
        textOf(
          parts
            .map(([each, count]) => each.repeat(count))
            .join('')
            .slice(0, 20_000),
        ) ?? ''
      for (const line of kept.split('\n')) assert.ok(line.length <= 10_000)
      assert.ok(kept.isWellFormed() && kept.split('\n').length <= 400 && longestRun(kept) <= 200)
      assert.equal(textOf(kept), kept)
    }),
    { numRuns: 500 },
  )
})

const slides = fc.array(fc.record({ text: fc.constantFrom('', 'a', 'b', 'c'), imageKey: fc.constantFrom(undefined, 'x', 'y', 'z') }), {
  maxLength: 12,
})
const numbered = (list: readonly { text: string; imageKey: string | undefined }[]) =>
  list.map((slide, index) => ({ ...slide, id: `old-${index}` }))

test('ids are never given twice, and none is lost while a place is free', () => {
  fc.assert(
    fc.property(slides, slides, (before, after) => {
      let made = 0
      const ids = keepIds(numbered(before), after, () => `new-${made++}`)
      assert.equal(new Set(ids).size, after.length)
      assert.equal(ids.length, after.length)
    }),
  )
})

test('the same deck again keeps every id in its place', () => {
  fc.assert(
    fc.property(slides, (deck) => {
      // Equal slides may trade places only with their equals; in order they do not.
      assert.deepEqual(
        keepIds(numbered(deck), deck, () => 'new'),
        numbered(deck).map(({ id }) => id),
      )
    }),
  )
})

test('a slide is found by its text when the picture changed, and by its picture when the text did', () => {
  const before = numbered([
    { text: 'a', imageKey: 'x' },
    { text: 'b', imageKey: 'y' },
  ])
  assert.deepEqual(
    keepIds(
      before,
      [
        { text: 'new', imageKey: 'y' },
        { text: 'a', imageKey: 'z' },
      ],
      () => 'new',
    ),
    ['old-1', 'old-0'],
  )
})
