import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keepIds } from './slide-identity.ts'

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
