import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSeen } from './recognise.ts'
import type { SeenWord } from './tesseract.ts'

/** A line of words from `x`, `high` pixels high. */
function line(text: string, at: { x?: number; y: number; high?: number; confidence?: number; paragraph?: string }): SeenWord[] {
  const { x = 100, y, high = 30, confidence = 0.95, paragraph = String(y) } = at
  let x0 = x
  return text.split(' ').map((word) => {
    const x1 = x0 + word.length * high * 0.5
    const seen = { text: word, x0, y0: y, x1, y1: y + high, confidence, line: `${x}@${y}`, paragraph }
    x0 = x1 + high * 0.3
    return seen
  })
}

const page = (...lines: SeenWord[][]) => readSeen({ width: 1_600, height: 900, words: lines.flat() })

test('the large line at the top is the title, in two lines too, and the rest follows with its places', () => {
  const read = page(
    line('How the pumps', { y: 60, high: 70 }),
    line('became quiet', { y: 150, high: 70 }),
    line('They make 32 decibels at full load.', { y: 400 }),
  )
  assert.equal(read.title, 'How the pumps became quiet')
  assert.deepEqual([read.titleFrom, read.isTitleSure], ['recognised', true])
  const [block] = read.blocks
  assert.ok(block?.kind === 'paragraph' && block.text === 'They make 32 decibels at full load.')
  assert.deepEqual(block.boxes?.[0]?.slice(0, 2), [0.063, 0.444])
  assert.equal(block.confidence, 0.95)
})

test('a title that is unsure is none', () => {
  const read = page(line('H0w thc purnps', { y: 60, high: 70, confidence: 0.6 }), line('They make 32 decibels at full load.', { y: 400 }))
  assert.deepEqual([read.title, read.titleFrom], ['', 'none'])
  assert.ok(read.blocks.some((block) => block.kind === 'paragraph' && block.text === 'H0w thc purnps'))
})

test('a logo beside the title is no part of it, and a larger one does not take its place', () => {
  const beside = page(
    [
      ...line('ACME', { y: 60, high: 60 }),
      ...line('What the survey says', { x: 500, y: 60, high: 60 }).map((word) => ({ ...word, line: '100@60' })),
    ],
    line('It says that people like quiet pumps.', { y: 400 }),
  )
  assert.equal(beside.title, 'What the survey says')
  const above = page(
    line('TOP5', { x: 1_300, y: 20, high: 90 }),
    line('What the survey says', { y: 150, high: 60 }),
    line('It says that people like quiet pumps.', { y: 400 }),
  )
  assert.equal(above.title, 'What the survey says')
})

test('signs and scraps in a photograph are no words', () => {
  const read = page(
    line('| e', { y: 300, confidence: 0.7 }),
    line('~ =', { y: 350, confidence: 0.9 }),
    line('ay Hn', { y: 500, confidence: 0.35 }),
    line('N', { y: 600 }),
  )
  assert.deepEqual([read.title, read.blocks], ['', []])
})

test('an unsure word among sure ones stays', () => {
  const read = page(
    [
      ...line('Missing function', { y: 400 }),
      ...line('A8-Cross-Site', { y: 400, x: 400, confidence: 0.1 }),
      ...line('request forgery', { y: 400, x: 640 }),
    ]
      .map((words) => [{ ...words, line: 'one' }])
      .flat() as never,
  )
  assert.ok(read.blocks.some((block) => block.kind === 'paragraph' && block.text === 'Missing function A8-Cross-Site request forgery'))
})

test('Chinese is joined without the spaces of the recognition, and Latin words keep theirs', () => {
  const read = page(line('获取 周期 的 值 返回 为 max 200', { y: 600 }))
  assert.ok(read.blocks.some((block) => block.kind === 'paragraph' && block.text === '获取周期的值返回为 max 200'))
})

test('wrapped lines are one paragraph, bullets are items, and words that stand alone are labels of a drawing', () => {
  const wrapped = page(
    line('The new pumps need forty percent less power than those', { y: 300, paragraph: 'a' }),
    line('which they replace in the spring.', { y: 340, paragraph: 'a' }),
    line('• First item', { y: 500, paragraph: 'b' }),
    line('• Second item', { y: 540, paragraph: 'b' }),
  )
  assert.deepEqual(
    wrapped.blocks.map((block) =>
      block.kind === 'list' ? block.items.map(({ text }) => text) : block.kind === 'paragraph' ? block.text : block.kind,
    ),
    ['The new pumps need forty percent less power than those which they replace in the spring.', ['First item', 'Second item']],
  )
  const drawn = page(line('Client', { y: 300 }), line('Router', { y: 400, x: 700 }), line('Data store', { y: 500, x: 900 }))
  const [figure] = drawn.blocks
  assert.deepEqual(figure?.kind === 'figure' && figure.labels.map(({ text }) => text), ['Client', 'Router', 'Data store'])
})

test('drawn bullets are read as any sign, and the heading above them is the title', () => {
  const read = page(
    line('Agenda', { y: 20, high: 65 }),
    line('® What is Groovy', { y: 140, high: 48 }),
    line('(G] Groovy and testing frameworks of today', { y: 280, high: 48 }),
    line('® How Groovy helps', { y: 420, high: 48 }),
    line('o Resources', { y: 560, high: 48 }),
  )
  assert.equal(read.title, 'Agenda')
  assert.deepEqual(
    read.blocks.flatMap((block) => (block.kind === 'list' ? block.items.map(({ text }) => text) : block.kind)),
    ['What is Groovy', 'Groovy and testing frameworks of today', 'How Groovy helps', 'Resources'],
  )
})

test('a large text of many lines is no title, and scraps of code are code', () => {
  const text = [
    'Closures, operator overloading,',
    'turbocharged objects, native syntax',
    'for maps and lists, iterator methods,',
    'and expressions as citizens',
  ]
  const read = page(
    line('Groovy provides', { y: 20, high: 84 }),
    ...text.map((words, at) => line(words, { y: 300 + at * 70, high: 64, paragraph: 'a' })),
  )
  assert.equal(read.title, 'Groovy provides')
  const [code] = page(
    ...['public class Pump', 'private int level', 'this', 'return level;'].map((words, at) => line(words, { y: 500 + at * 50 })),
  ).blocks
  assert.deepEqual(code?.kind === 'code' && code.text.split('\n').length, 4)
})
