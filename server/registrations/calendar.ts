// A talk as an entry of a calendar (RFC 5545), asked for and called off as RFC 5546 says. Times are UTC, which every calendar turns into the
// time of its owner, so no rules of time zones travel along.

export interface CalendarEntry {
  /** The same for every change: who adds it again has one entry. */
  uid: string
  sequence: number
  method: 'REQUEST' | 'CANCEL' | 'PUBLISH'
  startsAt: number
  minutes: number
  title: string
  text: string
  url: string
  organizer: { name: string; email: string } | null
  attendee: { name: string | null; email: string }
  now: number
}

const lineMax = 75

/** `20261125T090000Z` */
const time = (at: number) => new Date(at).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')

const plain = (value: string) => value.replaceAll(/\r\n?|\u2028|\u2029/g, '\n').replaceAll(/[\p{Cc}--\n]/gv, ' ')
const text = (value: string) =>
  plain(value)
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
/** A value of a parameter has no way to write a quotation mark that every reader knows. */
const parameter = (value: string) => `"${plain(value).replaceAll('\n', ' ').replaceAll('"', "'")}"`

/** At most 75 octets a line, characters whole; the rest goes on behind a space. */
function folded(line: string): string {
  let [lines, length] = ['', 0]
  for (const character of line) {
    const octets = Buffer.byteLength(character)
    if (length + octets > lineMax) [lines, length] = [`${lines}\r\n `, 1]
    lines += character
    length += octets
  }
  return lines
}

export function calendarOf(entry: CalendarEntry): string {
  const { uid, sequence, method, startsAt, minutes, title, organizer, attendee, now } = entry
  const isPublished = method === 'PUBLISH'
  const from = organizer === null ? [] : [`ORGANIZER;CN=${parameter(organizer.name)}:mailto:${organizer.email}`]
  const to = `ATTENDEE;CN=${parameter(attendee.name ?? attendee.email)};PARTSTAT=ACCEPTED;RSVP=FALSE:mailto:${attendee.email}`
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Rostrum//Talks//EN',
    'CALSCALE:GREGORIAN',
    `METHOD:${method}`,
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `SEQUENCE:${sequence}`,
    `DTSTAMP:${time(now)}`,
    `DTSTART:${time(startsAt)}`,
    `DTEND:${time(startsAt + minutes * 60_000)}`,
    `SUMMARY:${text(title)}`,
    `DESCRIPTION:${text(entry.text)}`,
    `LOCATION:${text(entry.url)}`,
    `URL:${entry.url}`,
    ...from,
    ...(isPublished ? [] : [to]),
    `STATUS:${method === 'CANCEL' ? 'CANCELLED' : 'CONFIRMED'}`,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ]
    .map(folded)
    .join('\r\n')
}

/** A page of a calendar on the web that takes an entry by its address. */
export function webCalendarUrl({ title, text: details, url, startsAt, minutes }: Omit<CalendarEntry, 'method' | 'sequence'>): string {
  const dates = `${time(startsAt)}/${time(startsAt + minutes * 60_000)}`
  const query = new URLSearchParams({ action: 'TEMPLATE', text: title, dates, details, location: url })
  return `https://calendar.google.com/calendar/render?${query.toString()}`
}
