// What pages have in common and what they say each: running heads, footers and page numbers are furniture, figures are not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { page, read, style, write } from '../../../test/support/written-pages.ts'
import { piecesOf } from '../block.ts'

const body = style(18)

test('what stands at the same edge of many pages is furniture, page numbers too', () => {
  const pages = Array.from({ length: 5 }, (_, at) =>
    page(
      write(`About ${'abcde'.charAt(at)}`, 60, 60, style(40)),
      write(`This page speaks of ${'abcde'.charAt(at)}`, 60, 200, body),
      write('Northwind Pumps', 60, 525, style(10)),
      write(`${at + 1} / 5`, 900, 525, style(10)),
    ),
  )
  for (const [at, draft] of read(...pages).entries()) assert.deepEqual(draft.furniture, ['Northwind Pumps', `${at + 1} / 5`])
  // A title that stands over the steps of a build is larger than all that it stands over, and no running head.
  const steps = ['a', 'b', 'c', 'd', 'e'].map((step, at) =>
    page(
      write('How it grows', 60, 60, style(40)),
      write(`๏ Step ${step} of it`, 60, 200 + at * 20, body),
      write('Pumps', 60, 525, style(10)),
    ),
  )
  for (const { title, blocks, furniture } of read(...steps))
    assert.deepEqual([title, blocks.map(({ kind }) => kind), furniture], ['How it grows', ['list'], ['Pumps']])
})

test('lines of equal words with other figures are said, wherever they stand, unless the figures count with the pages', () => {
  const revenue = [12, 41, 7, 23, 16]
  const pages = revenue.map((million, at) =>
    page(
      write(`Region ${'abcde'.charAt(at)}`, 60, 60, style(40)),
      write(`Revenue ${million} million euro`, 60, 200, body),
      write(`Quay ${at + 1} handled ${million + 30} containers in week 7.`, 60, 240, body),
      write(`${million} ships at the foot`, 60, 500, style(12)),
      write('The same to the letter', 60, 280, body),
      write(`Harbour report | page ${at + 1}`, 60, 525, style(10)),
    ),
  )
  for (const [at, { blocks, furniture }] of read(...pages).entries()) {
    const said = blocks.flatMap((block) => piecesOf(block).map(({ text }) => text)).join(' ')
    for (const words of [`Revenue ${revenue[at]} million euro`, `${revenue[at]} ships`, `handled ${(revenue[at] ?? 0) + 30} containers`])
      assert.ok(said.includes(words), `${words}: ${said}`)
    assert.deepEqual(furniture, ['The same to the letter', `Harbour report | page ${at + 1}`])
  }
})

test('the numbers of pages are furniture where builds repeat them and where pages were left out', () => {
  for (const numbers of [
    [1, 1, 1, 2, 2, 3],
    [1, 2, 4, 5, 8, 9],
  ]) {
    const pages = numbers.map((number, at) =>
      page(write(`About ${'abcdef'.charAt(at)}`, 60, 60, style(40)), write(`${number} / 60`, 900, 525, style(10))),
    )
    for (const [at, { furniture }] of read(...pages).entries()) assert.deepEqual(furniture, [`${numbers[at]} / 60`])
  }
})

test('one line at the edge that names the number of its page is said', () => {
  const pages = ['a', 'b', 'c', 'd'].map((letter, at) =>
    page(
      write(`About ${letter}`, 60, 60, style(40)),
      write(`Text of ${letter}`, 60, 200, body),
      ...(at === 2 ? [write('Quay 3', 60, 510, body)] : []),
    ),
  )
  assert.deepEqual(read(...pages)[2]?.furniture, [])
})

test('cells that a table repeats, and the name beside a figure that changes, are said', () => {
  const pages = [12, 41, 7, 23, 16].map((million, at) =>
    page(
      write(`Region ${'abcde'.charAt(at)}`, 60, 60, style(40)),
      write('Revenue', 60, 200, body),
      write(`${million} million euro`, 400, 200, body),
      ...[1, 2, 3].map((row) => write('Layoff permanent', 60, 400 + 40 * row, body)),
    ),
  )
  for (const { furniture } of read(...pages)) assert.deepEqual(furniture, [])
})

test('the names of columns and a row that stays as it is are said, where another row of the table changes', () => {
  const table = [
    ['Product', 'Units', 'Price'],
    ['Lamp', '45', '19 EUR'],
  ]
  const pages = [120, 157, 194, 231].map((units, at) =>
    page(
      write(`Sales in ${'abcd'.charAt(at)}`, 60, 60, style(40)),
      ...[...table, ['Kettle', `${units}`, `${units - 90} EUR`]].flatMap((row, down) =>
        row.map((cell, column) => write(cell, 60 + 240 * column, 200 + 40 * down, body)),
      ),
      write('Harbour Trading', 60, 525, style(10)),
    ),
  )
  for (const { blocks, furniture } of read(...pages)) {
    assert.deepEqual(furniture, ['Harbour Trading'])
    assert.deepEqual(blocks.flatMap((block) => piecesOf(block).map(({ text }) => text)).slice(0, 6), table.flat())
  }
})

test('a quarter is the title of its page, not the revenue below it', () => {
  const pages = [4.1, 4.8, 5.2, 6.9].map((million, at) =>
    page(
      write(`Q${at + 1} 2025`, 60, 60, style(40)),
      write(`Revenue: ${million} million EUR`, 60, 200, body),
      write('Churn: 2 %', 60, 260, body),
    ),
  )
  assert.deepEqual(
    read(...pages).map(({ title }) => title),
    ['Q1 2025', 'Q2 2025', 'Q3 2025', 'Q4 2025'],
  )
})
