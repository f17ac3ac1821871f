import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cutText, sectionsOf, splitPassages } from './passages.ts'

const dense = (text: string) => text.replaceAll(/\s+/g, '')

test('headings make sections, each named by its path; text before the first has the name of the file', () => {
  const source =
    'About us\n\n# Prices\n## Basic\nEUR 10 a month.\n## Plus ##\nEUR **20** a month, see [the list](https://x.example/a).\n# Support\n\nBy phone.'
  assert.deepEqual(sectionsOf(source, 'prices.md'), [
    { title: 'prices.md', text: 'About us' },
    { title: 'Prices: Basic', text: 'EUR 10 a month.' },
    { title: 'Prices: Plus', text: 'EUR 20 a month, see the list.' },
    { title: 'Support', text: 'By phone.' },
  ])
})

test('addresses at the end of a page, tags, badges and what tells machines of it were quoted as text', () => {
  const source =
    '---\nlayout: page\n---\n# Pumps\n[![build](a.svg)](b.yaml)\nSee [our guide][guide], *quiet* and _small_; a [note] stays, [Guide] not.\n\n<table><tr><td>P1</td><td align=left><b>Loud</b> fans</td></tr></table>\n\n[guide]: https://x.example/guide'
  assert.deepEqual(sectionsOf(source, 'a'), [
    { title: 'Pumps', text: 'build\nSee our guide, quiet and small; a [note] stays, Guide not.\n\nP1\n\nLoud fans' },
  ])
})

test('a comment is never knowledge, not even one that is not closed, and a # in code is no heading', () => {
  assert.deepEqual(sectionsOf('Open.<!-- secret -->\n```\n# not a heading\n```\nEnd.<!-- also secret', 'a'), [
    { title: 'a', text: 'Open.\n```\n# not a heading\n```\nEnd.' },
  ])
})

test('every piece is within its bound, none is empty, and nothing but white space is lost', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n\n', '\n', '. ', ' '))),
      fc.integer({ min: 6, max: 60 }),
      (parts, max) => {
        const text = parts.join('')
        const pieces = cutText(text, max)
        for (const piece of pieces) assert.ok(piece.trim() !== '' && piece.length <= max && piece.isWellFormed() === text.isWellFormed())
        assert.equal(dense(pieces.join('')), dense(text))
      },
    ),
    { numRuns: 500 },
  )
})

test('a document of many sections is joined until it fits, with its headings, and refused when it cannot', () => {
  const sections = Array.from({ length: 500 }, (_, n) => ({ title: `Part ${n}`, text: `Text ${n}. ${'x '.repeat(200)}` }))
  const whole = splitPassages(sections, 500)
  assert.equal(whole?.length, 500)
  const fitted = splitPassages(sections, 30) ?? []
  assert.ok(fitted.length > 0 && fitted.length <= 30)
  for (const { content } of fitted) assert.ok(content.length <= 50_000)
  const all = fitted.map(({ title, content }) => `${title}\n${content}`).join('\n')
  for (let n = 0; n < 500; n++) assert.ok(all.includes(`Part ${n}\nText ${n}.`), `part ${n}`)
  assert.equal(splitPassages(sections, 2), null)
})

// Patterns that look back and forth over a megabyte would not come back before the runner's limit.
test('a megabyte of hostile text is read', () => {
  for (const piece of ['[', '**', '`', '<!--', '![x](', ' ', '#', '\n# ', '# #', 'x \t']) {
    const passages = splitPassages(sectionsOf(piece.repeat(1_000_000 / piece.length), 'x'), 200)
    for (const { content } of passages ?? []) assert.ok(content.length <= 50_000)
  }
})
