import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lead } from '../data/wire.ts'
import { matches, peopleFrom, timelineOf, type Visit } from './people.ts'

const lead = (id: string, email: string, over: Partial<Lead> = {}): Lead => ({
  id,
  name: '',
  email,
  company: '',
  ctaClicked: false,
  followUp: 'new',
  created_at: '2026-11-20T10:05:00.000Z',
  ...over,
})
const visit = (attendeeId: string, over: Partial<Visit> = {}): Visit => ({
  attendeeId,
  sessionId: 's1',
  runId: 'r1',
  joinedAt: '2026-11-20T10:00:00.000Z',
  watchedSeconds: 60,
  slidesSeen: 3,
  completed: false,
  ctaClicked: false,
  questions: [],
  ...over,
})
const everyone = { everyone: true, search: '', followUp: undefined, days: undefined }

test('the visits and details of one address are one person, whoever came without is another', () => {
  const asked = [{ text: 'What does it cost?', at: '2026-11-21T09:01:00.000Z', outcome: 'answered' }]
  const people = peopleFrom(
    [lead('l1', 'Maya@acme.example', { attendeeId: 'a1' }), lead('l2', 'maya@ACME.example', { attendeeId: 'a2', sessionId: 's2' })],
    [visit('a1', { name: 'Maya', ctaClicked: true }), visit('a2', { joinedAt: '2026-11-21T09:00:00.000Z', questions: asked }), visit('a3')],
  )
  assert.deepEqual(
    people.map(({ key, name, watchedSeconds, questions, hasClicked }) => [key, name, watchedSeconds, questions.length, hasClicked]),
    [
      ['maya@acme.example', 'Maya', 120, 1, true],
      ['a3', '', 60, 0, false],
    ],
  )
})

test('what somebody else sent for an address is not mixed into its person', () => {
  const people = peopleFrom([lead('l1', 'maya@acme.example'), lead('l2', 'maya@acme.example', { name: 'Mallory', repeatOf: 'l1' })], [])
  assert.deepEqual(
    people.map(({ key, name }) => [key, name]).toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
    [
      ['l2', 'Mallory'],
      ['maya@acme.example', ''],
    ],
  )
})

test('a timeline runs from joining to consent, in the order in which it happened', () => {
  const [person] = peopleFrom(
    [
      lead('l1', 'm@x.example', {
        attendeeId: 'a1',
        consents: [{ at: '2026-11-20T10:05:00.001Z', source: 'form', text: 'I agree.', version: 1 }],
      }),
    ],
    [
      visit('a1', {
        leftAt: '2026-11-20T10:09:00.000Z',
        ctaClickedAt: '2026-11-20T10:06:00.000Z',
        questions: [{ text: 'Why?', at: '2026-11-20T10:02:00.000Z', outcome: null }],
      }),
    ],
  )
  assert.ok(person !== undefined)
  assert.deepEqual(
    timelineOf(person, () => 'Watched').map(({ kind }) => kind),
    ['joined', 'asked', 'details', 'consent', 'clicked', 'left'],
  )
})

test('people are found by what they said and left, by status and by time', () => {
  const now = Date.parse('2026-11-25T10:00:00Z')
  const [maya, tom] = peopleFrom(
    [lead('l1', 'maya@acme.example', { attendeeId: 'a1', followUp: 'contacted', created_at: '2026-11-24T10:00:00.000Z' })],
    [visit('a1', { questions: [{ text: 'Is it loud?', at: '2026-11-20T10:02:00.000Z', outcome: null }] }), visit('a2', { name: 'Tom' })],
  )
  assert.ok(maya !== undefined && tom !== undefined)
  const found = (filter: Partial<Parameters<typeof matches>[1]>) =>
    [maya, tom].filter((person) => matches(person, { ...everyone, ...filter }, now)).map(({ key }) => key)
  assert.deepEqual(found({}), ['maya@acme.example', 'a2'])
  assert.deepEqual(found({ everyone: false }), ['maya@acme.example'])
  assert.deepEqual(found({ search: ' LOUD ' }), ['maya@acme.example'])
  assert.deepEqual(found({ followUp: 'new' }), [])
  assert.deepEqual(found({ days: 2 }), ['maya@acme.example'])
})
