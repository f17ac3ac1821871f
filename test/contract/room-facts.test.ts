// What a run tells the rest of the world: domain events, minutes, clicks, leads; and that a rehearsal tells nothing (Spec 1, 6.1).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settle } from '../support/clock.ts'
import { liveRoom, rehearsalToken } from '../support/live.ts'
import type { LiveRoom } from '../support/live.ts'

const factsOf = async (room: LiveRoom) =>
  (await room.store.read.selectFrom('domain_events').select(['type', 'body']).orderBy('sequence').execute()).map(({ type, body }) => ({
    type,
    data: (JSON.parse(body) as { data: Record<string, unknown> }).data,
  }))

test('each started minute of active time costs one row, whatever happens in it', async () => {
  const room = await liveRoom({ session: { mode: 'broadcast' } })
  const ada = await room.join()
  await ada.stream()
  await room.clock.advance(150_000)
  const run = await room.store.read.selectFrom('runs').selectAll().executeTakeFirstOrThrow()
  const minutes = await room.store.read.selectFrom('ledger').select('minute').orderBy('minute').execute()
  const active = ((run.ended_at ?? 0) - (run.started_at ?? 0)) / 60_000
  assert.deepEqual(
    minutes.map((row) => row.minute),
    Array.from({ length: Math.ceil(active) }, (_, minute) => minute),
  )
  await room.close()
})

test('no minute counts before a stream has been open for ten seconds: each look into a room cost the host one', async () => {
  const room = await liveRoom()
  const minutes = async () => (await room.store.read.selectFrom('ledger').select('minute').execute()).length
  for (let i = 0; i < 3; i++) {
    const visitor = await room.join()
    await visitor.stream()
    await visitor.post('control_run', { action: 'start' })
    await room.clock.advance(5_000)
    await visitor.post('leave_room', {})
  }
  await room.clock.advance(120_000)
  assert.equal(await minutes(), 0)
  const ada = await room.join()
  await ada.stream()
  await ada.post('control_run', { action: 'start' })
  await room.clock.advance(9_000)
  await ada.post('control_run', { action: 'pause' })
  assert.equal(await minutes(), 0)
  await ada.post('control_run', { action: 'resume' })
  await room.clock.advance(1_500)
  await ada.post('control_run', { action: 'pause' })
  assert.equal(await minutes(), 1)
  await room.close()
})

test('a talk of exactly one minute was counted as two when anything was told in its last instant', async () => {
  const room = await liveRoom()
  const ada = await room.join()
  await ada.stream()
  await ada.post('control_run', { action: 'start' })
  await room.clock.advance(60_000)
  await ada.post('control_run', { action: 'speed', speed: 1.25 })
  await ada.post('control_run', { action: 'pause' })
  const minutes = () => room.store.read.selectFrom('ledger').select('minute').execute()
  assert.deepEqual(await minutes(), [{ minute: 0 }])
  await ada.post('control_run', { action: 'resume' })
  await room.clock.advance(1)
  await ada.post('control_run', { action: 'pause' })
  assert.deepEqual(await minutes(), [{ minute: 0 }, { minute: 1 }])
  await room.close()
})

test('the call to action is clicked once per attendee and run, also after the end', async () => {
  const room = await liveRoom({ session: { mode: 'broadcast' } })
  const [ada, bob] = [await room.join(), await room.join()]
  await ada.stream()
  await bob.stream()
  await room.clock.advance(25_000)
  assert.deepEqual(await ada.post('act_on_cta', { action: 'click' }), { state: 'clicked', url: 'https://example.com/book' })
  await ada.post('act_on_cta', { action: 'click' })
  await ada.post('act_on_cta', { action: 'dismiss' })
  await room.clock.advance(300_000)
  assert.deepEqual(await bob.post('act_on_cta', { action: 'click' }), { state: 'clicked', url: 'https://example.com/book' })
  const clicks = (await factsOf(room)).filter((fact) => fact.type === 'cta.clicked')
  assert.equal(clicks.length, 2)
  await room.close()
})

test('session.completed carries the totals of the run', async () => {
  const room = await liveRoom({ session: { mode: 'broadcast' } })
  const ada = await room.join()
  await ada.stream()
  await settle()
  await ada.post('ask_question', { text: 'How many bolts?' })
  await room.clock.advance(150_000)
  const completed = (await factsOf(room)).find((fact) => fact.type === 'session.completed')?.data
  assert.equal(completed?.['endReason'], 'finished')
  const totals = completed?.['totals'] as { totalAttendees: number; averageEngagementSec: number; questionsCount: number }
  assert.equal(totals.totalAttendees, 1)
  assert.equal(totals.questionsCount, 1)
  assert.ok(Math.abs(totals.averageEngagementSec - Number(completed?.['durationSec'])) <= 0.1)
  await room.close()
})

test('a question about price is a sign of interest, told once', async () => {
  const room = await liveRoom({ session: { mode: 'broadcast' } })
  const ada = await room.join()
  await ada.stream()
  await settle()
  await ada.post('ask_question', { text: 'What is the price of a bolt?' })
  await room.clock.advance(30_000)
  await ada.post('ask_question', { text: 'Can we book a trial?' })
  await room.clock.advance(60_000)
  const interest = (await factsOf(room)).filter((fact) => fact.type === 'lead.captured')
  assert.equal(interest.length, 1)
  assert.equal(interest[0]?.data['lead'], null)
  assert.equal(interest[0]?.data['trigger'], 'high_intent')
  await room.close()
})

test('contact details are kept under the consent that was shown, and only with it', async () => {
  const room = await liveRoom()
  const ada = await room.join({ name: 'Ada' })
  const stream = await ada.stream()
  await assert.rejects(ada.post('leave_contact_details', { email: 'ada@example.com' }), { code: 'invalid_request' })
  const sent = await ada.post('leave_contact_details', { email: 'ada@example.com', consent: true })
  assert.equal(sent['success'], true)
  assert.deepEqual(
    room.leads.map((lead) => [lead.details.email, lead.consent.text]),
    [['ada@example.com', 'I agree.']],
  )
  await settle()
  assert.ok(!stream.text().includes('ada@example.com'))
  await room.close()
})

test('a rehearsal runs the same talk and leaves outbox, ledger, clicks and leads empty', async () => {
  const room = await liveRoom()
  const ada = await room.join({ key: rehearsalToken(room.session) })
  const stream = await ada.stream()
  await ada.post('control_run', { action: 'start' })
  await settle()
  assert.match(stream.text(), /"kind":"rehearsal"/)
  await ada.post('ask_question', { text: 'What is the price?', interrupt: true })
  await ada.post('act_on_cta', { action: 'click' })
  await ada.post('leave_contact_details', { email: 'ada@example.com', consent: true })
  await room.clock.advance(600_000)
  for (const table of ['domain_events', 'outbox', 'ledger', 'cta_clicks', 'leads'] as const) {
    assert.deepEqual(await room.store.read.selectFrom(table).selectAll().execute(), [], table)
  }
  assert.deepEqual(room.leads, [])
  assert.ok(stream.of('beat').length > 0)
  await room.close()
})

test('without minutes left no new live run begins, and a rehearsal still does', async () => {
  const room = await liveRoom({ hasMinutes: false })
  await assert.rejects(room.join(), { code: 'quota_exceeded' })
  assert.equal((await room.join({ key: rehearsalToken(room.session) })).runId.length, 36)
  await room.close()
})

test('a draft is not open by its slug', async () => {
  const room = await liveRoom({ session: { status: 'draft' } })
  await assert.rejects(room.join(), { code: 'not_found' })
  assert.equal((await room.call('view_room', { kind: 'nobody' }, { key: rehearsalToken(room.session) }))['kind'], 'rehearsal')
  await room.close()
})

test('the owner of a deleted session ends its runs, and the room is told why', async () => {
  const room = await liveRoom()
  const ada = await room.join()
  const stream = await ada.stream()
  await ada.post('control_run', { action: 'start' })
  await room.live.stopRuns(room.session.sessionId, 'deleted')
  await settle()
  assert.equal(stream.messages.at(-1)?.data['reason'], 'deleted')
  assert.equal(stream.isOpen(), false)
  await room.close()
})

test('a repeated join with the same id is the same attendee; what others see of them cannot repeat it', async () => {
  const room = await liveRoom({ session: { mode: 'broadcast' } })
  const id = '0b9cbb9a-6b39-4c4e-8bd0-0f3a9f6ad001'
  const first = await room.join({ id })
  const again = await room.join({ id })
  assert.equal(first.attendeeId, again.attendeeId)
  assert.equal(first.runId, again.runId)
  assert.notEqual((await room.join({ id: first.attendeeId })).attendeeId, first.attendeeId)
  await room.close()
})

test('a repeated leave with the same id sent whoever had come back away again', async () => {
  const room = await liveRoom({ session: { mode: 'broadcast' } })
  const ada = await room.join()
  await ada.stream()
  const id = '0b9cbb9a-6b39-4c4e-8bd0-0f3a9f6ad002'
  assert.deepEqual(await ada.post('leave_room', { id }), { left: true })
  await room.clock.advance(100)
  const again = await ada.stream()
  await settle()
  assert.deepEqual(await ada.post('leave_room', { id }), { left: true })
  await room.clock.advance(100)
  assert.equal(again.isOpen(), true)
  assert.deepEqual(await ada.post('leave_room', {}), { left: true })
  await room.clock.advance(100)
  assert.equal(again.isOpen(), false)
  await room.close()
})

test('an address typed into a question becomes a lead only by an explicit yes to the private prompt', async () => {
  const room = await liveRoom({ session: { mode: 'broadcast' } })
  const [ada, bob] = [await room.join(), await room.join()]
  const mine = await ada.stream()
  const theirs = await bob.stream()
  await settle()
  const asked = await ada.post('ask_question', { text: 'How many bolts? Mail ada@example.com' })
  assert.equal(asked['contactsRemoved'], true)
  await settle()
  const prompt = mine.of('answer').find((answer) => typeof answer['text'] === 'string' && answer['text'].includes('I agree.'))
  assert.deepEqual(prompt?.['suggestedActions'], [{ type: 'submit_lead', label: 'Leave your details' }])
  const seen = mine.messages.findLast((message) => message.id !== undefined)?.id
  await bob.post('ask_question', { text: 'yes', seen })
  assert.equal(room.leads.length, 0)
  const sent = await ada.post('ask_question', { text: 'Yes!', seen })
  assert.equal(sent['status'], 'answered')
  assert.deepEqual(
    room.leads.map((lead) => [lead.source, lead.details.email]),
    [['conversation', 'ada@example.com']],
  )
  const log = JSON.stringify(await room.store.read.selectFrom('run_events').select('data').execute())
  assert.ok(!log.includes('ada@example.com') && !theirs.text().includes('I agree.'))
  await ada.post('ask_question', { text: 'Write to ada@example.org' })
  await room.clock.advance(601_000)
  const last = mine.messages.findLast((message) => message.id !== undefined)?.id
  await assert.rejects(ada.post('ask_question', { text: 'yes', seen: last }), { code: 'run_state' })
  assert.equal(room.leads.length, 1)
  await room.close()
})
