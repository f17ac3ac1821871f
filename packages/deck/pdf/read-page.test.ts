// What of a page becomes title, blocks and furniture: geometry written by hand, no renderer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { box, height, page, read, style, width, write } from '../../../test/support/written-pages.ts'
import { piecesOf } from '../block.ts'
import type { PageGeometry, Shape } from './geometry.ts'

const body = style(18)

test('a title of two lines is one, a wrapped line goes on, and an item keeps its level', () => {
  const [draft] = read(
    page(
      write('Why the long way round', 60, 60, style(40)),
      write('is shorter', 60, 106, style(40)),
      write('• The first of the items is so long that', 60, 180, body),
      write('it goes on', 78, 202, body),
      write('– a part of it', 96, 230, body),
      write('• The second', 60, 260, body),
    ),
  )
  assert.equal(draft?.title, 'Why the long way round is shorter')
  assert.deepEqual(
    draft?.blocks.map((block) => (block.kind === 'list' ? block.items.map(({ text, level }) => [level, text]) : block.kind)),
    [
      [
        [0, 'The first of the items is so long that it goes on'],
        [1, 'a part of it'],
        [0, 'The second'],
      ],
    ],
  )
})

test('two columns are read one after the other', () => {
  const left = ['Left of the page stands', 'a paragraph of two lines']
  const right = ['Right of the page stands', 'another of the same make']
  const [draft] = read(
    page(
      write('Two columns', 60, 60, style(40)),
      ...left.map((text, at) => write(text, 60, 200 + at * 22, body)),
      ...right.map((text, at) => write(text, 500, 200 + at * 22, body)),
    ),
  )
  assert.deepEqual(
    draft?.blocks.flatMap((block) => piecesOf(block).map(({ text }) => text)),
    [left.join(' '), right.join(' ')],
  )
})

test('letters that are set wide are words', () => {
  const [draft] = read(page(write('FINANCIAL REPORT', 60, 60, style(40), 0.3), write('What the year brought to all of us', 60, 200, body)))
  assert.equal(draft?.title, 'FINANCIAL REPORT')
})

test('rows of a ruled table hold what stands between two rulings, however many lines a cell takes', () => {
  const cells: [string, number, number][] = [
    ['Model', 60, 150],
    ['Made for', 300, 150],
    ['Small', 60, 200],
    ['a house with', 300, 200],
    ['a garden', 300, 222],
    ['Large', 60, 260],
    ['a school', 300, 260],
  ]
  const ruling = (y: number) => ({ kind: 'path' as const, area: { x0: 50, x1: 600, y0: y, y1: y + 1 }, isFilled: true, isStroked: false })
  const ruled = {
    ...page(write('Who buys what', 60, 60, style(40)), ...cells.map(([text, x, y]) => write(text, x, y, body))),
    shapes: [125, 170, 235, 280].map(ruling),
  }
  const [draft] = read(ruled)
  assert.deepEqual(
    draft?.blocks.map((block) => (block.kind === 'table' ? block.rows.map((row) => row.map(({ text }) => text)) : block.kind)),
    [
      [
        ['Model', 'Made for'],
        ['Small', 'a house with a garden'],
        ['Large', 'a school'],
      ],
    ],
  )
})

test('cells that are drawn as boxes are a table, whatever their words are set in, and none of them is the title', () => {
  const rows = [
    ['', 'Gold', 'Silver'],
    ['A place at the door', 'yes', ''],
    ['Words from the stage, as long as the others wait', '5 min', '2 min'],
  ]
  const cells = rows.flatMap((row, y) => row.map((text, x) => ({ text, x: 60 + x * 280, y: 80 + y * 70 })))
  const drawn = {
    ...page(
      ...cells.map(({ text, x, y }) => write(text.slice(0, 24), x + 20, y + 30, style(y === 80 ? 30 : 18))),
      write(rows[2]?.[0]?.slice(24).trim() ?? '', 80, 80 + 140 + 52, style(18)),
    ),
    shapes: cells.map(({ x, y }) => box(x, y, x + 276, y + 66)),
  }
  const [table] = read(drawn)
  assert.equal(table?.title, '')
  assert.deepEqual(
    table?.blocks.map((block) => (block.kind === 'table' ? block.rows.map((row) => row.map(({ text }) => text)) : block.kind)),
    [rows],
  )
})

test('the rest of an item, an address and a quote below the text are no titles', () => {
  const [item] = read(
    page(
      write('A drawing with small words', 60, 120, style(10)),
      write('•', 500, 200, style(24)),
      write('Support the broader open', 530, 200, style(24)),
      write('source and its people', 530, 230, style(24)),
      write('https://example.org/of-the-project', 500, 300, style(24)),
    ),
  )
  assert.doesNotMatch(item?.title ?? '', /source and its|example/)
  const [quote] = read(
    page(
      write('Organised by those who give', 500, 90, style(10)),
      write('WILL YOU GIVE TOO?', 60, 130, style(16)),
      write('Whoever gives meets many people of the trade and shows', 60, 160, style(16)),
      write('what they make to each of them.', 60, 180, style(16)),
      write('We gave and would', 60, 330, style(26)),
      write('give again', 60, 362, style(26)),
    ),
  )
  assert.equal(quote?.title, 'WILL YOU GIVE TOO?')
})

test('what is written below a picture is no title of a page that has no other words', () => {
  assert.deepEqual(
    read(page(write('Figure 7: how the pump is built', 300, 380, body))).map(({ title }) => title),
    [''],
  )
})

test('a sentence set like the rest of its page is no title, one that is set larger or left open is', () => {
  const title = (...lines: string[]) => read(page(...lines.map((line, at) => write(line, 60, 80 + at * 30, style(18)))))[0]?.title
  assert.equal(title('What was known of it is not lost.', 'It is in the heat'), '')
  assert.equal(title('You can also ask it like this:', 'type one', 'type two', 'type three'), '')
  assert.equal(title('What was known of it', 'It is in the heat'), 'What was known of it')
  const [large] = read(page(write('What was known of it is not lost.', 60, 80, style(30)), write('It is in the heat', 60, 200, style(18))))
  assert.equal(large?.title, 'What was known of it is not lost.')
})

test('letters that a word raises and lowers, as LaTeX does, stay in it', () => {
  const size = style(40)
  const [l, t, x] = [write('L', 60, 60, size), write('T', 82, 60, size), write('X', 118, 60, size)]
  const [draft] = read(page(l, write('A', 72, 52, style(28)), t, write('E', 100, 69, size), x, write('Its letters dance', 60, 200, body)))
  assert.equal(draft?.title, 'LATEX')
})

test('a paragraph that is one link keeps where it leads; a link on a few of its words does not make it one', () => {
  const link = (x1: number) => ({ area: { x0: 55, x1, y0: 180, y1: 206 }, url: 'https://example.org/plan' })
  const kinds = (x1: number) =>
    read({ ...page(write('What comes next', 60, 60, style(40)), write('Our plan for the year', 60, 200, body)), links: [link(x1)] })[0]
      ?.blocks
  assert.deepEqual(
    kinds(260)?.map((block) => (block.kind === 'link' ? [block.text, block.url] : block.kind)),
    [['Our plan for the year', 'https://example.org/plan']],
  )
  assert.deepEqual(
    kinds(100)?.map(({ kind }) => kind),
    ['paragraph'],
  )
})

test('two texts that stand beside each other between the same rulings are no table', () => {
  const lines = (x: number) => Array.from({ length: 10 }, (_, at) => write('seven words that go on and on', x, 150 + at * 22, body))
  const rulings = [125, 140, 157, 380].map((y) => box(60, y, 860, y + 1))
  const [draft] = read({
    ...page(
      write('Two texts', 60, 60, style(40)),
      write('Roadmap', 60, 135, body),
      write('Thanks', 480, 135, body),
      ...lines(60),
      ...lines(480),
    ),
    shapes: rulings,
  })
  assert.equal(
    draft?.blocks.some(({ kind }) => kind === 'table'),
    false,
  )
})

test('names and places below each other on a cover are lines of their own, a centred sentence is one', () => {
  const centred = (text: string, y: number) => write(text, 480 - text.length * 4.5, y, body)
  const below = (...lines: string[]) =>
    read(page(write('Quiet pumps', 330, 200, style(50)), ...lines.map((line, at) => centred(line, 300 + at * 22))))[0]?.blocks.flatMap(
      (block) => piecesOf(block).map(({ text }) => text),
    )
  assert.deepEqual(below('Ada Lovelace', 'Pump Research, Bath'), ['Ada Lovelace', 'Pump Research, Bath'])
  assert.deepEqual(below('A talk for all', 'who hear them'), ['A talk for all who hear them'])
})

test('writings that lie over each other are read one by one', () => {
  const [draft] = read(
    page(write('Two at one place', 60, 60, style(40)), write('below the other', 100, 200, body), write('above it', 104, 200, body)),
  )
  assert.deepEqual(draft?.blocks.flatMap((block) => piecesOf(block).map(({ text }) => text)).toSorted(), ['above it', 'below the other'])
})

test('an item goes on in a last line that is bold; a bold line at a distance is no part of it', () => {
  const bold = style(18, { isBold: true })
  const [draft] = read(
    page(
      write('• Sending events within', 60, 180, body),
      write('transactions', 78, 202, bold),
      write('• Hosting', 60, 230, body),
      write('What follows', 60, 290, bold),
      write('A sentence about it that is long enough to be one.', 60, 312, body),
    ),
  )
  assert.deepEqual(
    draft?.blocks.map((block) => piecesOf(block).map(({ text }) => text)),
    [['Sending events within transactions', 'Hosting'], ['What follows'], ['A sentence about it that is long enough to be one.']],
  )
})

test('names of two lines in boxes side by side are labels, each whole; the same words in boxes that touch are a table', () => {
  const small = style(14)
  const names = ['Order', 'Payment', 'Basket', 'Customer']
  const boxed = (gap: number): PageGeometry => ({
    ...page(
      write('How it is put together', 60, 60, style(40)),
      ...names.map((name, at) => write(name, 130 + at * 150 - name.length * 3.5, 240, small)),
      ...names.map((_, at) => write('module', 130 + at * 150 - 21, 257, small)),
    ),
    shapes: names.map((_, at) => ({
      kind: 'path',
      area: { x0: 56 + at * 150, y0: 220, x1: 206 - gap + at * 150, y1: 270 },
      isFilled: true,
      isStroked: true,
    })),
  })
  const shown = (gap: number) => read(boxed(gap))[0]?.blocks.map((block) => [block.kind, ...piecesOf(block).map(({ text }) => text)])
  assert.deepEqual(shown(20), [['figure', ...names.map((name) => `${name} module`)]])
  assert.equal(shown(0)?.[0]?.[0], 'table')
})

test('a title of two lines is whole where titles stand on the foot of their place', () => {
  const at = (number: number, ...title: readonly string[]) =>
    page(
      ...title.map((line, row) => write(line, 60, 90 - 46 * (title.length - 1 - row), style(40))),
      write(`• The blade number ${'abcdef'.charAt(number)} cuts the water`, 60, 200, body),
    )
  const drafts = read(at(0, 'Blades'), at(1, 'Bearings'), at(2, 'What does a quiet pump', 'mean?'), at(3, 'Feet'), at(4, 'Housing'))
  assert.deepEqual(
    drafts.map(({ title }) => title),
    ['Blades', 'Bearings', 'What does a quiet pump mean?', 'Feet', 'Housing'],
  )
})

test('a small drawing beside a line is its bullet, a part of a larger one beside the title is none', () => {
  const path = (x0: number, y0: number, side: number): Shape => ({
    kind: 'path',
    area: { x0, y0, x1: x0 + side, y1: y0 + side },
    isFilled: true,
    isStroked: false,
  })
  const [draft] = read({
    ...page(write('Processed data', 100, 60, style(40)), write('An event is read', 100, 200, body), write('It is kept', 100, 240, body)),
    shapes: [path(60, 34, 29), path(40, 34, 49), path(80, 190, 8), path(80, 230, 8)],
  })
  assert.equal(draft?.title, 'Processed data')
  assert.deepEqual(
    draft?.blocks.flatMap((block) => (block.kind === 'list' ? block.items.map(({ text }) => text) : [])),
    ['An event is read', 'It is kept'],
  )
})

test('numbers set large beside paragraphs count them', () => {
  const [draft] = read(
    page(
      write('Why we do it', 60, 60, style(40)),
      ...[1, 2].flatMap((at) => [
        write(`0${at}`, 60, 110 + at * 100, style(36)),
        write(`Reason ${'ab'.charAt(at - 1)} is one of those that take`, 130, 100 + at * 100, body),
        write('two lines', 130, 122 + at * 100, body),
      ]),
    ),
  )
  assert.deepEqual(
    draft?.blocks.map((block) => (block.kind === 'list' ? block.items.map(({ text, isOrdered }) => [isOrdered, text]) : block.kind)),
    [
      [
        [true, 'Reason a is one of those that take two lines'],
        [true, 'Reason b is one of those that take two lines'],
      ],
    ],
  )
})

test('a word parted at the end of a line is whole, and keeps the hyphen it always has', () => {
  const [draft] = read(
    page(
      write('Parted words', 60, 60, style(40)),
      write('It has a low price and no barrier at all, and this is a com-', 60, 200, body),
      write('plete sentence that ends in a thing which is called a low-', 60, 222, body),
      write('barrier offer.', 60, 244, body),
    ),
  )
  assert.deepEqual(
    draft?.blocks.flatMap((block) => piecesOf(block).map(({ text }) => text)),
    ['It has a low price and no barrier at all, and this is a complete sentence that ends in a thing which is called a low-barrier offer.'],
  )
})

const glyph = fc.record({
  text: fc.constantFrom('a', 'B', ' ', '-', '•', '1', '漢', 'ש', '\u00ad', '\ue000'),
  x: fc.double({ min: -100, max: 1_100, noNaN: true }),
  y: fc.double({ min: -100, max: 700, noNaN: true }),
  size: fc.constantFrom(0, 0.001, 6, 18, 18, 40, 4_000),
  isTurned: fc.boolean(),
  isFixed: fc.boolean(),
})
const geometry = fc.array(glyph, { maxLength: 120 }).map((all): PageGeometry => ({
  width,
  height,
  shapes: [],
  glyphs: all.map(({ text, x, y, size, isTurned, isFixed }) => ({
    text,
    area: { x0: x, x1: x + size / 2, y0: y - size, y1: y },
    baseline: y,
    isTurned,
    style: style(size, { isFixed }),
  })),
}))

test('wherever characters stand, each letter is in the title, in a block or in the furniture', () => {
  const letters = (text: string) =>
    Array.from(text.replace(/[^aB漢ש]/gu, ''))
      .sort()
      .join('')
  fc.assert(
    fc.property(fc.array(geometry, { minLength: 1, maxLength: 4 }), (pages) => {
      for (const [at, draft] of read(...pages).entries()) {
        const said = draft.blocks.flatMap((block) => piecesOf(block).map(({ text }) => text))
        const found = letters([draft.title, ...said, ...draft.furniture].join(''))
        assert.equal(found, letters(pages[at]?.glyphs.map(({ text }) => text).join('') ?? ''))
        for (const piece of draft.blocks.flatMap((block) => piecesOf(block)))
          for (const side of piece.boxes?.flat() ?? []) assert.ok(side >= 0 && side <= 1)
      }
    }),
  )
})

test('a page of thousands of pieces is read in time that grows with them', () => {
  const many = (count: number) =>
    page(...Array.from({ length: count }, (_, at) => write('ab', (at % 40) * 24, 20 + Math.floor(at / 40) * 2, style(1 + (at % 7)))))
  const one = (count: number) => page(...Array.from({ length: count }, (_, at) => write('a', at * 2, 200, style(1 + (at % 3)))))
  for (const count of [2_000, 20_000]) assert.ok((read(one(count))[0]?.blocks.length ?? 0) > 0)
  for (const count of [2_000, 20_000]) assert.ok((read(many(count))[0]?.blocks.length ?? 0) > 0)
})
