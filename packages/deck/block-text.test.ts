import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseBlocks, textMax, titleOf, writeBlocks } from './block-text.ts'
import { piecesOf } from './block.ts'
import type { Block, Draft } from '@rostrum/contract/block'

const page = (title: string, blocks: readonly Draft[]) => ({
  title,
  titleFrom: 'layout' as const,
  isTitleSure: true,
  blocks,
  furniture: [],
})
const kinds = (blocks: readonly Block[]) => blocks.map(({ kind }) => kind)
const says = (blocks: readonly Block[]) => blocks.map((block) => piecesOf(block).map(({ text }) => text))

test('what people write is read as blocks', () => {
  const text = `Pricing
- Basic: 5 dollars
  - for one person
- Pro: 9 dollars

## Limits
Nobody is charged for a rehearsal.
| Plan | Minutes |
| --- | --- |
| Basic | 100 |
\`\`\`
npm start
\`\`\`
> Best talk of the week
[Client]
[Server]
[The docs](https://example.org/docs)
https://example.org`
  const blocks = parseBlocks(text, titleOf(text))
  assert.deepEqual(kinds(blocks), ['list', 'heading', 'paragraph', 'table', 'code', 'quote', 'figure', 'link', 'link'])
  assert.deepEqual(says(blocks).flat(), [
    'Basic: 5 dollars', 'for one person', 'Pro: 9 dollars', 'Limits', 'Nobody is charged for a rehearsal.', 'Plan', 'Minutes', 'Basic', '100',
    'npm start', 'Best talk of the week', 'Client', 'Server', 'The docs', 'https://example.org',
  ]) // prettier-ignore
})

test('bullets keep their levels, and the title is not among them', () => {
  const items = parseBlocks('# Plans\n- Solo\n  - 12 EUR\n- Team\n\n* 29 EUR', 'Plans').flatMap((block) =>
    block.kind === 'list' ? block.items : [],
  )
  assert.deepEqual(
    items.map(({ text, level }) => [text, level]),
    [
      ['Solo', 0],
      ['12 EUR', 1],
      ['Team', 0],
      ['29 EUR', 0],
    ],
  )
})

test('lines that were wrapped are one paragraph, short ones are not', () => {
  const text = 'Title\nThis line was cut in the middle by a program that\nwraps what it is given.\nShort\nagain'
  assert.deepEqual(says(parseBlocks(text, 'Title')), [
    ['This line was cut in the middle by a program that wraps what it is given.'],
    ['Short'],
    ['again'],
  ])
})

const words = fc
  .stringMatching(/^[A-Za-zäß漢 ]{1,30}[a-z]$/)
  .map((text) => text.trim().replace(/\s+/gu, ' '))
  .filter((text) => text.length > 3)
const piece = words.map((text) => ({ text: `W${text}` }))
const draft: fc.Arbitrary<Draft> = fc.oneof(
  piece.map((each) => ({ kind: 'paragraph' as const, text: `${each.text}.` })),
  fc.record({
    kind: fc.constant('list' as const),
    items: fc.array(
      piece.map((each) => ({ ...each, level: 0 })),
      { minLength: 1, maxLength: 5 },
    ),
  }),
  fc.integer({ min: 1, max: 4 }).chain((width) =>
    fc.record({
      kind: fc.constant('table' as const),
      hasHeader: fc.constant(true),
      rows: fc.array(fc.array(piece, { minLength: width, maxLength: width }), { minLength: 2, maxLength: 4 }),
    }),
  ),
  piece.map((each) => ({ kind: 'code' as const, ...each })),
  piece.map((each) => ({ kind: 'heading' as const, level: 2, ...each })),
  fc.record({
    kind: fc.constant('figure' as const),
    shows: fc.constant('diagram' as const),
    labels: fc.array(piece, { minLength: 1, maxLength: 5 }),
  }),
)
/** Two lists in a row are one when they are read. */
const drafts = fc.array(draft, { maxLength: 6 }).map((all) => all.filter(({ kind }, at) => kind !== all[at - 1]?.kind))

test('written and read again, blocks are the same, and every piece stands where it says', () => {
  fc.assert(
    fc.property(drafts, (all) => {
      const { text, reading } = writeBlocks(page('A title', all))
      for (const each of reading.blocks.flatMap((block) => piecesOf(block))) assert.equal(text.slice(each.start, each.end), each.text)
      assert.deepEqual(parseBlocks(text, 'A title'), reading.blocks)
    }),
  )
})

test('of any text every piece is a part of it, and nothing that is said is lost', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'B', ' ', '\n', '|', '-', '#', '`', '[', ']', '>', '1', '.', '•'), maxLength: 200 }),
      (text) => {
        const blocks = parseBlocks(text, '')
        const pieces = blocks.flatMap((block) => piecesOf(block))
        for (const { text: said, start, end } of pieces)
          assert.equal(text.slice(start, end).replace(/\s+/gu, ' '), said.replace(/\s+/gu, ' '))
        const letters = (all: string) => all.replace(/[^aB]/gu, '')
        const links = blocks.map((block) => (block.kind === 'link' && block.text !== block.url ? block.url : ''))
        assert.equal(
          letters(pieces.map((each) => each.text).join('') + links.join('')).length,
          letters(text.replace(/^\s*```.*$/gmu, '')).length,
        )
      },
    ),
  )
})

test('what does not fit is left out whole', () => {
  const { text, reading, isCut } = writeBlocks(
    page('T', [
      { kind: 'paragraph', text: 'a'.repeat(textMax) },
      { kind: 'paragraph', text: 'b.' },
    ]),
  )
  assert.deepEqual([text, isCut, reading.blocks.length], ['T\nb.', true, 1])
})
