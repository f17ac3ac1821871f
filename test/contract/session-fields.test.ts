// Every field of the table of a session (contract/session.ts) goes the whole way: creation, row, record, change, copy, room.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roomRecord, type Settings, sessionFields } from '@rostrum/contract/session'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

/** Whom its host has named, and an address to confirm, close the room to others: test/contract/guests.test.ts, registrations.test.ts. */
type Open = Omit<Settings, 'guests' | 'entry'>
type Values = { [Name in keyof Open]: readonly [Open[Name], Open[Name]] }

/** What is set first and then; two values that differ from what nobody sets. */
const values: Values = {
  title: ['Grid storage', 'Storage of the grid'],
  description: ['For planners.', 'For everybody.'],
  mode: ['broadcast', 'isolated'],
  ctaText: ['Book a call', 'Buy one'],
  ctaUrl: ['https://northwind.example/call', 'https://northwind.example/buy'],
  tags: [['energy'], ['energy', 'grid']],
  language: ['de', 'fr'],
  listenerLanguages: [['en'], ['en', 'ja']],
  discoverable: [false, true],
  voice: ['nora', 'kim'],
  pronunciations: [{ kWh: 'kilowatt hours' }, { MW: 'megawatts' }],
  presenterName: ['Nora', 'Kim'],
  brand: [
    { name: 'Northwind', accent: '#0b3d91' },
    { paper: '#fff7d6', hideFooter: true },
  ],
  consentText: ['You may write to me.', 'You may call me.'],
  ctaKind: ['checkout', 'link'],
  startPolicy: ['scheduled', 'host'],
  startsAt: ['2026-12-01T10:00:00.000Z', '2026-12-02T10:00:00.000Z'],
  timeZone: ['Europe/Berlin', 'Asia/Tokyo'],
  registration: [{ asks: ['company'] }, { asks: [], question: 'Why?', attendeesMax: 5 }],
  linksUntil: ['2026-12-03T10:00:00.000Z', '2026-12-04T10:00:00.000Z'],
  embedOrigins: [['https://a.example'], ['https://b.example', 'https://c.example']],
  ctaRules: [['end', 'intent'], ['agent']],
  moderation: ['manual', 'auto'],
  targetSeconds: [300, 600],
  minutesMax: [10, 20],
}
const names = Object.keys(values) as (keyof Open)[]
const first = Object.fromEntries(names.map((name) => [name, values[name][0]]))
const then = Object.fromEntries(names.map((name) => [name, values[name][1]]))

const optional = names.filter((name) => sessionFields[name].unset === null)
const only = (record: Readonly<Record<string, unknown>>, which: readonly string[]) =>
  Object.fromEntries(which.filter((name) => name in record).map((name) => [name, record[name]]))

eachStore((_name, open) => {
  test('each field that a creation sets is in the record, its copy and, where the room sees it, the room; a change replaces it, and null takes back what may be absent', () =>
    withService(open, async ({ api }) => {
      const { body: made } = await api('POST', '/api/v1/agent/sessions', { ...first, isLive: true })
      const path = `/api/v1/agent/sessions/${String(made.sessionId)}`
      const inRoom = Object.keys(roomRecord)
      const room = async () => only((await api('GET', `/api/v1/rooms/${String(made.slug)}`, undefined, null)).body, inRoom)

      assert.deepEqual(only((await api('GET', path)).body, names), first)
      assert.deepEqual(await room(), only(first, inRoom))
      const { body: copy } = await api('POST', `${path}/duplicate`)
      assert.deepEqual(only(copy, names), { ...first, title: 'Grid storage (copy)' })

      assert.deepEqual(only((await api('PATCH', path, then)).body, names), then)
      assert.deepEqual(await room(), only(then, inRoom))

      const { body: cleared } = await api('PATCH', path, Object.fromEntries(optional.map((name) => [name, null])))
      assert.deepEqual(
        only(cleared, names),
        only(
          then,
          names.filter((name) => !optional.includes(name)),
        ),
      )
      assert.deepEqual(only((await api('PATCH', path, {})).body, optional), {}, 'and a change that names none of them leaves them so')
    }))
})
