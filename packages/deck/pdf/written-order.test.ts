// What the order tells in which a program wrote a page, and the spaces that it wrote: where a paragraph goes on and where it ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { box, page, read, style, write } from '../../../test/support/written-pages.ts'
import { piecesOf } from '../block.ts'
import type { PageGeometry } from './geometry.ts'

const body = style(18)
const title = write('How it works', 60, 60, style(40))
const textsOf = (sheet: PageGeometry) => read(sheet)[0]?.blocks.map((block) => [block.kind, ...piecesOf(block).map(({ text }) => text)])
const paragraphs = (...texts: readonly string[]) => texts.map((text) => ['paragraph', text])

test('a line with a space at its end goes on where the next word did not fit; one without ends its paragraph', () => {
  const wide = [
    'Whoever orders before noon has it on the same ',
    'Tuesday, and nobody waits for longer than that.',
    'Orders of the evening leave with the next van',
    'Sundays are free',
  ]
  assert.deepEqual(
    textsOf(page(title, ...wide.map((line, at) => write(line, 60, 200 + at * 22, body)))),
    paragraphs(
      'Whoever orders before noon has it on the same Tuesday, and nobody waits for longer than that.',
      'Orders of the evening leave with the next van',
      'Sundays are free',
    ),
  )
  // The next word had room: somebody typed the space.
  const typed = ['Order ', 'Then it is made by hand, one after the other']
  assert.deepEqual(
    textsOf(page(title, ...typed.map((line, at) => write(line, 60, 200 + at * 22, body)))),
    paragraphs(...typed.map((line) => line.trim())),
  )
})

test('the space at the end of a text is no sign where what follows stands further away than lines of it', () => {
  const lines = [
    'The pump is made of steel and of nothing else ',
    'Nobody hears it in the rooms that lie above it, ',
    'nor in the garden behind the house of the owner',
  ]
  const sheet = page(title, ...lines.map((line, at) => write(line, 60, [200, 230, 252][at] ?? 0, body)))
  assert.deepEqual(textsOf(sheet), paragraphs(lines[0]?.trim() ?? '', `${lines[1]}${lines[2]}`))
})

test('a dash or a number where a wrapped line begins opens no item', () => {
  const lines = [
    'It takes water from below, from wells or tanks ',
    '- and from rivers - and holds the pressure for ',
    '12. hours and longer, as long as nobody drinks it',
  ]
  assert.deepEqual(textsOf(page(title, ...lines.map((line, at) => write(line, 60, 200 + at * 22, body)))), paragraphs(lines.join('')))
})

test('lines of code that end with a space are lines of their own', () => {
  const lines = ['--source-dir string   Local directory with sources ', '-o, --output string   Build output type (docker) ']
  const sheet = page(title, ...lines.map((line, at) => write(line, 60, 200 + at * 22, style(18, { isFixed: true }))))
  assert.deepEqual(textsOf(sheet), [['code', lines.map((line) => line.trim()).join('\n')]])
})

test('lines set as far apart as paragraphs are go on by their words alone', () => {
  const steps = ['Save the event to the outbox in the database', 'Commit the transaction', 'of the database, and tell nobody before']
  const sheet = page(title, ...steps.map((line, at) => write(line, 60, 200 + at * 32, body)))
  assert.deepEqual(textsOf(sheet), paragraphs(steps[0] ?? '', `${steps[1]} ${steps[2]}`))
})

test('columns of one text each are read one after the other, however close they stand', () => {
  const columns = [60, 282, 504].map((x, n) =>
    ['First it is said here ', 'what the second line ', 'of column ends with'].map((line, at) =>
      write(`${line.slice(0, 20)}${n}`, x, 200 + at * 24, style(20)),
    ),
  )
  const said = textsOf(page(title, ...columns.flat()))
  assert.deepEqual(said?.flat().join(' ').match(/[012]/gu), ['0', '0', '0', '1', '1', '1', '2', '2', '2'])
})

test('names of shapes on one height are names of their own, however close they stand', () => {
  const names = ['Read', 'Parse', 'Answer', 'Write']
  const sheet = {
    ...page(title, ...names.toReversed().map((name) => write(name, 100 + names.indexOf(name) * 66, 240, style(20)))),
    shapes: names.map((_, at) => box(96 + at * 66, 220, 160 + at * 66, 250)),
  }
  assert.deepEqual(textsOf(sheet), [['figure', ...names]])
})

test('a cell that spans two columns does not make one of them', () => {
  const rows: [string, number][][] = [
    [['Versions', 60], ['2012 to 2019', 240], ['All', 500]],
    [['Editions', 60], ['Web, Standard', 240], ['All of them', 480]],
    [['Encryption', 60], ['At rest and on every line that leaves', 240]],
    [['Support', 60], ['By the people who wrote it all', 240]],
    [['Backups', 60], ['Managed', 240], ['By hand', 490]],
  ] // prettier-ignore
  const sheet = {
    ...page(title, ...rows.flatMap((row, at) => row.map(([text, x]) => write(text, x, 200 + at * 40, body)))),
    shapes: [170, 215, 255, 295, 335, 375].map((y) => box(50, y, 700, y + 1)),
  }
  const [table] = read(sheet)[0]?.blocks ?? []
  assert.deepEqual(table?.kind === 'table' && table.rows[0]?.map(({ text }) => text), ['Versions', '2012 to 2019', 'All'])
})

test('a cell holds all lines of its text, wrapped at spaces or parted in a word', () => {
  const cells: [readonly string[], number, number][] = [
    [['Part'], 60, 190],
    [['Does'], 420, 190],
    [['the pump in the old ', 'garden house takes wa-', 'ter from the well, not ', 'from the river'], 60, 230],
    [['nothing at all'], 420, 230],
    [['the tank'], 60, 340],
    [['holds it'], 420, 340],
  ]
  const sheet = {
    ...page(title, ...cells.flatMap(([lines, x, y]) => lines.map((line, at) => write(line, x, y + at * 21, body)))),
    shapes: [165, 210, 320, 360].map((y) => box(50, y, 700, y + 1)),
  }
  const [table] = read(sheet)[0]?.blocks ?? []
  assert.deepEqual(table?.kind === 'table' && table.rows[1]?.map(({ text }) => text), [
    'the pump in the old garden house takes water from the well, not from the river',
    'nothing at all',
  ])
})

test('an address that is parted at the end of its line is whole, with no space in it', () => {
  const lines = ['From http://example.com/reports/2026/quarter', '-1/pumps.pdf']
  assert.deepEqual(textsOf(page(title, ...lines.map((line, at) => write(line, 60, 200 + at * 22, body)))), paragraphs(lines.join('')))
})

test('a heading whose letters are set far apart is words, without a space in the file', () => {
  const letters = write('Real Decks for All', 60, 60, style(40), 0.5).filter(({ text }) => text !== ' ')
  assert.equal(read(page(letters, write('A page with spaces of its own below it', 60, 200, body)))[0]?.title, 'Real Decks for All')
})
