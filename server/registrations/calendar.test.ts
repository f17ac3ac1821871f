// Entries as a calendar reads them by RFC 5545, whatever their titles and names hold. Three parsers that are not ours (ical.js 2.2.1, node-ical
// 0.27.2, ts-ics 2.4.6) read the same entries by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CalendarEntry, calendarOf } from './calendar.ts'

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 120 }).filter((text) => text.trim() === text && text !== '')
const entry: fc.Arbitrary<CalendarEntry> = fc.record({
  uid: fc.uuid().map((id) => `${id}@talks.example`),
  sequence: fc.nat(1_000),
  method: fc.constantFrom('REQUEST', 'CANCEL', 'PUBLISH'),
  startsAt: fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2090, 0) }).map((at) => at - (at % 1_000)),
  minutes: fc.integer({ min: 1, max: 600 }),
  title: words,
  text: words,
  url: fc.webUrl(),
  organizer: fc.option(fc.record({ name: words, email: fc.constant('talks@example.com') })),
  attendee: fc.record({ name: fc.option(words), email: fc.constant('maya@example.com') }),
  now: fc.constant(Date.UTC(2026, 10, 20)),
})

/** What a calendar may show: no control characters, and lines by `\n`. */
const shown = (text: string) => text.replaceAll(/\r\n?|\u2028|\u2029/g, '\n').replaceAll(/[\p{Cc}--\n]/gv, ' ')

/** Unfolded, each property once: its value without its parameters, out of the escapes of text. */
function read(file: string): Map<string, string> {
  const lines = file.replaceAll('\r\n ', '').split('\r\n').filter(Boolean)
  return new Map(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([A-Z-]+)(?:;[A-Z-]+=(?:"[^"]*"|[^":;]*))*:(.*)$/su.exec(line) ?? []
      return [name, value.replaceAll(/\\([\\;,n])/g, (_, sign: string) => (sign === 'n' ? '\n' : sign))]
    }),
  )
}

const time = (text = '') => Date.parse(text.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'))

test('an entry keeps within the lines of RFC 5545 and says what it was given', () => {
  fc.assert(
    fc.property(entry, (given) => {
      const file = calendarOf(given)
      assert.ok(file.split('\r\n').every((line) => Buffer.byteLength(line) <= 75 && !/[\r\n]/.test(line)))
      const found = read(file)
      assert.ok(!found.has(''), 'a line is no property')
      assert.deepEqual(
        ['METHOD', 'UID', 'SEQUENCE', 'SUMMARY', 'DESCRIPTION', 'URL'].map((name) => found.get(name)),
        [given.method, given.uid, String(given.sequence), shown(given.title), shown(given.text), given.url],
      )
      assert.equal(time(found.get('DTSTART')), given.startsAt)
      assert.equal(time(found.get('DTEND')), given.startsAt + given.minutes * 60_000)
      assert.equal(found.get('STATUS'), given.method === 'CANCEL' ? 'CANCELLED' : 'CONFIRMED')
      assert.equal(found.get('ATTENDEE'), given.method === 'PUBLISH' ? undefined : 'mailto:maya@example.com')
    }),
    { numRuns: 300 },
  )
})

test('an update and its end are the entry of before, with a higher number', () => {
  const first: CalendarEntry = {
    uid: 'a@talks.example',
    sequence: 0,
    method: 'REQUEST',
    startsAt: Date.UTC(2026, 10, 22, 12),
    minutes: 30,
    title: 'Storage; grids, and "more"',
    text: 'A\nB',
    url: 'https://talks.example/join/a',
    organizer: { name: 'Maya "M" Okafor', email: 'talks@example.com' },
    attendee: { name: null, email: 'tom@example.com' },
    now: Date.UTC(2026, 10, 20),
  }
  const ended = calendarOf({ ...first, method: 'CANCEL', sequence: 1 })
  assert.match(ended, /METHOD:CANCEL\r\n[\s\S]*UID:a@talks\.example\r\nSEQUENCE:1\r\n[\s\S]*STATUS:CANCELLED\r\n/)
  assert.match(calendarOf(first), /SUMMARY:Storage\\; grids\\, and "more"\r\nDESCRIPTION:A\\nB\r\n/)
  assert.match(calendarOf(first), /ORGANIZER;CN="Maya 'M' Okafor":mailto:talks@example\.com\r\n/)
})
