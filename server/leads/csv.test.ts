import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { csvCell, csvFile } from './export-leads.ts'

test('a cell that a spreadsheet would run is disarmed', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠', ' =', '"=']) {
    assert.match(csvCell(`${start}HYPERLINK("x")`), /^"'/, JSON.stringify(start))
  }
  assert.equal(csvCell('Maya'), '"Maya"')
})

test('every text comes back from the file as it went in, but for the disarming apostrophe', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (row) => {
      const body = csvFile(row, []).slice(1)
      const cells = [...body.matchAll(/"((?:[^"]|"")*)"(?:,|\r\n)/g)].map((match) => (match[1] ?? '').replaceAll('""', '"'))
      assert.deepEqual(
        cells.map((cell, i) => (cell === row[i] ? cell : cell.slice(1))),
        row,
      )
    }),
  )
})

test('the file opens as UTF-8 in a spreadsheet', () => {
  assert.equal(csvFile(['Name'], [['Zoë']]), '\uFEFF"Name"\r\n"Zoë"\r\n')
})
