// The pure rules of the dashboard: pasted text, CSV, figures, files, palette and words for refusals.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../src/dashboard/data/api.ts'
import { csvFrom, csvRecords, firstCell, joinFiles, keepRecords } from '../src/dashboard/parts/csv.ts'
import { difference, median, medians, totals } from '../src/dashboard/audience/figures.ts'
import { refusedForm } from '../src/dashboard/parts/form-errors.ts'
import { plural, timecode } from '../src/dashboard/parts/format.ts'
import { matching } from '../src/dashboard/palette-entries.ts'
import { slidesFrom } from '../src/dashboard/session/pasted.ts'
import { fileName } from '../src/dashboard/parts/save-file.ts'
import { FieldsRefused } from '../src/ui/use-form.ts'

test('pasted text becomes slides at lines of dashes, and each first line is a title', () => {
  assert.deepEqual(slidesFrom('# Peak\r\nDemand rises\r\n---\r\nCost\n\nEUR 412'), [
    { title: 'Peak', textContent: 'Peak\nDemand rises' },
    { title: 'Cost', textContent: 'Cost\n\nEUR 412' },
  ])
})

test('pasted text without dashes becomes slides at blank lines', () => {
  assert.deepEqual(
    slidesFrom('One\na\n\n\nTwo').map(({ title }) => title),
    ['One', 'Two'],
  )
  assert.deepEqual(slidesFrom(' \n\n '), [])
})

test('no words of pasted text are lost', () => {
  const line = fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,3}$/)
  fc.assert(
    fc.property(fc.array(fc.array(line, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }), (blocks) => {
      const text = blocks.map((lines) => lines.join('\n')).join('\n---\n')
      assert.equal(
        slidesFrom(text)
          .map(({ textContent }) => textContent)
          .join('\n---\n'),
        text,
      )
    }),
  )
})

test('records of a CSV file keep line ends inside quotes', () => {
  const file = '\uFEFFid,notes\r\n"1","two\r\nlines, ""quoted"""\r\n"2","x"\r\n'
  assert.equal(csvRecords(file).length, 3)
  assert.equal(firstCell('"a""b",c'), 'a"b')
  assert.equal(keepRecords(file, new Set(['1'])), '\uFEFFid,notes\r\n"1","two\r\nlines, ""quoted"""\r\n')
})

test('a file that came in pages is one file with one head', () => {
  const pages = ['\uFEFF"id","notes"\r\n"1","two\r\nlines"\r\n', '\uFEFF"id","notes"\r\n"2","x"\r\n"3",""\r\n', '\uFEFF"id","notes"\r\n']
  assert.equal(joinFiles(pages), '\uFEFF"id","notes"\r\n"1","two\r\nlines"\r\n"2","x"\r\n"3",""\r\n')
  assert.equal(joinFiles(pages.slice(0, 1)), pages[0])
})

test('a cell that a spreadsheet would run gets an apostrophe, and numbers stay numbers', () => {
  const file = csvFrom(
    ['a', 'b'],
    [
      ['=1+1', -3],
      [' @cmd', 2],
    ],
  )
  assert.equal(file, '\uFEFF"a","b"\r\n"\'=1+1","-3"\r\n"\' @cmd","2"\r\n')
})

test('any cells survive being written and parted again', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.uuid(), fc.string()), { maxLength: 8 }), (rows) => {
      const records = csvRecords(csvFrom(['id', 'text'], rows))
      assert.deepEqual(
        records.slice(1).map(firstCell),
        rows.map(([id]) => id),
      )
    }),
  )
})

const figures = (totalAttendees: number, averageEngagementSec: number) => ({
  sessionId: 'x',
  totalAttendees,
  averageEngagementSec,
  questionsCount: 1,
  ctaClicks: 0,
  leads: 0,
})

test('the median is of sessions that people came to, and needs two of them', () => {
  assert.equal(median([]), undefined)
  assert.equal(median([3, 1, 2]), 2)
  assert.equal(median([1, 2, 3, 10]), 2.5)
  assert.equal(medians([figures(4, 10), figures(0, 0)]), undefined)
  assert.equal(medians([figures(4, 10), figures(2, 20)])?.totalAttendees, 3)
})

test('total engagement is weighted by attendees', () => {
  assert.equal(totals([figures(9, 100), figures(1, 200)]).averageEngagementSec, 110)
  assert.equal(totals([]).averageEngagementSec, 0)
})

test('a difference is told in words, with its direction', () => {
  assert.equal(difference(5, 3, String), '2 above your median')
  assert.equal(difference(3, 5, String), '2 below your median')
  assert.equal(difference(3, 3, String), 'Your median')
})

test('every word typed must be in a palette entry', () => {
  const entries = [
    { label: 'Grid storage', kind: 'Session', href: '/a' },
    { label: 'Leads', kind: 'Go to', href: '/b' },
  ]
  assert.deepEqual(
    matching(entries, 'stor GRID').map(({ href }) => href),
    ['/a'],
  )
  assert.equal(matching(entries, 'nothing').length, 0)
})

test('a used-up quota says how much, of how much, and when it starts again', () => {
  const problem = new Problem(402, { code: 'quota_exceeded', quota: { limit: 1000, used: 1000, resetsAt: '2026-12-01T00:00:00.000Z' } })
  assert.equal(problem.message, 'You have used 1,000 of 1,000 sessions this month. It resets on 1 December.')
})

test('a refusal names the missing scope, a failure the request, silence that nothing was changed', () => {
  assert.match(new Problem(403, { scopes_required: ['leads:read'] }).message, /leads:read/)
  assert.match(new Problem(500, { instance: 'urn:uuid:abc' }).message, /request abc/)
  assert.match(new Problem(0, {}).message, /Nothing was changed/)
})

test('field errors of the server reach the fields that hold them', () => {
  const problem = new Problem(400, { detail: 'bad', errors: [{ pointer: '#/slides/0/title', detail: 'send at most 200 characters.' }] })
  assert.throws(
    () => refusedForm(problem, { slides: 'pasted' }),
    (error) => error instanceof FieldsRefused && error.fields['pasted'] === 'Send at most 200 characters.',
  )
})

test('counts agree with their noun and positions read as clock times', () => {
  assert.equal(plural(1, 'slide'), '1 slide')
  assert.equal(plural(1200, 'person', 'people'), '1,200 people')
  assert.equal(timecode(247_900), '4:07')
})

test('a title of any script gives a usable file name', () => {
  assert.equal(fileName('Grid storage: in 12 minutes!', 'leads.csv'), 'grid-storage-in-12-minutes-leads.csv')
  assert.equal(fileName('日本語', 'qr.svg'), 'session-qr.svg')
})
