// What a batch of run events means outside the log, written in its transaction: the row of the run, visits, clicks, minutes used, and
// the domain events of Spec 6.1. A rehearsal changes the run's own rows only; this file is the one place that knows.
import type { NewDomainEvent } from '@rostrum/contract/events'
import { captured, findLeadOf, intentDedupeKey, type LeadAttendee, noteClick } from '../../leads/lead.ts'
import { appendAll } from '../../platform/db/domain-events.ts'
import type { Tx } from '../../platform/db/store.ts'
import type { Setting } from '@rostrum/stage/decide/draft'
import type { Cta, RunEvent } from '@rostrum/contract/room'
import { type Attendance, heardMs, isActive, type RunState } from '@rostrum/stage/run-state'
import { eraseName, unansweredKeys } from './forget.ts'
import { engagedBetween } from '@rostrum/stage/fold'

/** An event and the state it has led to. */
export interface Step {
  event: RunEvent
  state: RunState
}

/** `heard`: how many seconds of the run the ledger is known to hold, and how many it is to hold. */
export async function writeFacts(
  tx: Tx,
  before: RunState,
  steps: readonly Step[],
  setting: Setting,
  heard: { before: number; after: number },
): Promise<void> {
  const last = steps.at(-1)
  if (last === undefined) return
  await writeRun(tx, before, last.state, setting)
  await writeVisits(tx, steps, setting)
  if (setting.kind === 'rehearsal') return
  if (heard.after > heard.before) await writeMinutes(tx, setting, last.event.at, heard.before, heard.after)
  const { accountId, sessionId } = setting.session
  const facts: NewDomainEvent[] = []
  let previous = before
  for (const step of steps) {
    const fact = await factOf(tx, step, previous, setting)
    if (fact !== null) facts.push({ accountId, sessionId, at: step.event.at, ...fact })
    previous = step.state
  }
  await appendAll(tx, facts)
  for (const { event, state } of steps)
    if (event.type === 'cta' && event.data.state === 'clicked')
      await noteClick(tx, event.audience, attendeeOf(state.attendees.get(event.audience)), event.at)
  // Last: what was written since the lead was erased, and in this very batch, may hold the name.
  for (const { event } of steps) if (event.type === 'erased') await eraseName(tx, { runId: setting.runId, ...event.data })
}

async function writeRun(tx: Tx, before: RunState, after: RunState, { runId, session, kind }: Setting): Promise<void> {
  if (before.status === after.status && before.endedAt === after.endedAt) return
  const { status, startedAt, endedAt, endReason } = after
  await tx
    .updateTable('runs')
    .set({ status, started_at: startedAt, ended_at: endedAt, end_reason: endReason, ...(endedAt !== null && { address_mark: null }) })
    .where('id', '=', runId)
    .execute()
  if (kind === 'live' && before.startedAt === null && startedAt !== null) {
    await tx.updateTable('sessions').set({ active_at: startedAt }).where('id', '=', session.sessionId).execute()
  }
}

type VisitData = (RunEvent & { type: 'visit' })['data']

/** Those alike in one statement: a crowd comes and goes at once, and while its rows are written nobody else may write to the run. */
async function writeVisits(tx: Tx, steps: readonly Step[], { runId, session }: Setting): Promise<void> {
  const visits = steps.flatMap(({ event }) => (event.type === 'visit' ? [{ at: event.at, ...event.data }] : []))
  const opened = visits.flatMap(({ phase, at, attendeeId, visit }) =>
    phase === 'opened' ? [{ attendee_id: attendeeId, visit, run_id: runId, session_id: session.sessionId, opened_at: at }] : [],
  )
  if (opened.length > 0)
    await tx
      .insertInto('visits')
      .values(opened)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  const closed = new Map<string, { left_at: number; reason: NonNullable<VisitData['reason']>; visit: number; ids: string[] }>()
  for (const { phase, attendeeId, visit, since, reason = 'disconnected' } of visits) {
    if (phase !== 'closed') continue
    const key = `${since} ${reason} ${visit}`
    const alike = closed.get(key) ?? { left_at: since, reason, visit, ids: [] }
    alike.ids.push(attendeeId)
    closed.set(key, alike)
  }
  for (const { left_at, reason, visit, ids } of closed.values())
    await tx.updateTable('visits').set({ left_at, reason }).where('attendee_id', 'in', ids).where('visit', '=', visit).execute()
}

/** A row for each minute that was heard; the same minute is the same row, whoever writes it, and grows alone. */
async function writeMinutes(tx: Tx, { runId, session }: Setting, at: number, from: number, to: number): Promise<void> {
  const rows = []
  for (let minute = Math.floor(from / 60); minute * 60 < to; minute++) {
    const seconds = Math.min(60, to - minute * 60)
    rows.push({ run_id: runId, minute, seconds, account_id: session.accountId, session_id: session.sessionId, at })
  }
  await tx
    .insertInto('ledger')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['run_id', 'minute'])
        .doUpdateSet((row) => ({ seconds: row.ref('excluded.seconds') }))
        .whereRef('ledger.seconds', '<', 'excluded.seconds'),
    )
    .execute()
}

/** While a talk goes on the ledger is written so often; where it stops, to the second. */
const sliceSec = 15

/** How many seconds of the run are to be in the ledger after these steps, of which it has `before`. What was counted stays counted. */
export function heardSeconds(steps: readonly Step[], before: number): number {
  return steps.reduce((most, { event, state }) => {
    const seconds = heardMs(state, event.at) / 1_000
    const isGoingOn = isActive(state.status) && state.present > 0
    return Math.max(most, isGoingOn ? Math.floor(seconds / sliceSec) * sliceSec : Math.ceil(seconds))
  }, before)
}

type Fact = Pick<NewDomainEvent, 'type' | 'dedupeKey' | 'data'>

async function factOf(tx: Tx, { event, state }: Step, previous: RunState, setting: Setting): Promise<Fact | null> {
  switch (event.type) {
    case 'visit':
      return event.data.phase === 'opened' ? joined(event.data, state, setting) : left(event, event.data, previous, state, setting)
    case 'state':
      if (previous.startedAt === null && state.startedAt !== null) return started(state, setting)
      if (event.data.status === 'completed' && event.data.previous === 'closing') return completed(tx, event, state, setting)
      return null
    case 'cta':
      return event.data.state === 'clicked' ? clicked(tx, event, event.data, state, setting) : null
    case 'answer':
      return unanswered(event.data, state, setting)
    case 'intent':
      return event.data.signal === 'high_intent' ? highIntent(tx, event.data.attendeeId, state, setting) : null
    default:
      return null
  }
}

function attendeeOf(attendance: Attendance | undefined): LeadAttendee | null {
  if (attendance === undefined) return null
  const { attendeeId, name, kind, firstAt } = attendance
  return { id: attendeeId, name, kind, joinedAt: new Date(firstAt).toISOString() }
}

function joined(visit: { attendeeId: string; visit: number }, state: RunState, { runId }: Setting): Fact {
  const attendee = attendeeOf(state.attendees.get(visit.attendeeId))
  return {
    type: 'attendee.joined',
    dedupeKey: `joined:${visit.attendeeId}:${visit.visit}`,
    data: { runId, attendee, attendeesOnline: state.present },
  }
}

function left(
  event: RunEvent,
  visit: { attendeeId: string; visit: number; since: number; reason?: string },
  previous: RunState,
  state: RunState,
  { runId }: Setting,
): Fact {
  const before = previous.attendees.get(visit.attendeeId)
  const after = state.attendees.get(visit.attendeeId)
  const engagedMs = (after?.engagedMs ?? 0) - (before?.engagedMs ?? 0)
  return {
    type: 'attendee.left',
    dedupeKey: `left:${visit.attendeeId}:${visit.visit}`,
    data: {
      runId,
      attendee: attendeeOf(after),
      leftAt: new Date(Math.min(visit.since, event.at)).toISOString(),
      engagementSec: Math.round(engagedMs / 100) / 10,
      reason: visit.reason ?? 'disconnected',
      attendeesOnline: state.present,
    },
  }
}

function started(state: RunState, { runId }: Setting): Fact {
  let first: Attendance | undefined
  for (const attendee of state.attendees.values())
    if (attendee.isPresent && (first === undefined || attendee.firstAt < first.firstAt)) first = attendee
  const startedAt = new Date(state.startedAt ?? 0).toISOString()
  return {
    type: 'session.started',
    dedupeKey: `started:${runId}`,
    data: { runId, startedAt, attendee: attendeeOf(first), attendeesOnline: state.present },
  }
}

async function completed(tx: Tx, event: RunEvent, state: RunState, { runId }: Setting): Promise<Fact> {
  const { count } = await tx
    .selectFrom('leads')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow()
  const startedAt = state.startedAt ?? event.at
  return {
    type: 'session.completed',
    dedupeKey: `completed:${runId}`,
    data: {
      runId,
      startedAt: new Date(startedAt).toISOString(),
      completedAt: new Date(event.at).toISOString(),
      durationSec: Math.round((event.at - startedAt) / 100) / 10,
      endReason: state.endReason ?? 'finished',
      totals: { ...totalsOf(state, event.at), leads: count },
    },
  }
}

async function clicked(tx: Tx, event: RunEvent, cta: Cta, state: RunState, { runId, session }: Setting): Promise<Fact> {
  const clickId = `${runId}:${event.audience}`
  const row = { run_id: runId, attendee_id: event.audience, id: clickId, session_id: session.sessionId, at: event.at }
  await tx
    .insertInto('cta_clicks')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const clickedAt = new Date(event.at).toISOString()
  const attendee = attendeeOf(state.attendees.get(event.audience))
  return {
    type: 'cta.clicked',
    dedupeKey: `cta:${runId}:${event.audience}`,
    data: { runId, attendee, cta: { text: cta.text, url: session.unverified?.ctaUrl ?? cta.url, kind: cta.kind }, clickId, clickedAt },
  }
}

/** Told as the host sees it: asked in private or before all. What is said again of the same question changes nothing. */
function unanswered(
  { phase, outcome, questionId, instant }: (RunEvent & { type: 'answer' })['data'],
  state: RunState,
  { runId }: Setting,
): Fact | null {
  const question = state.questions.get(questionId)
  if (phase !== 'end' || instant || (outcome !== 'unknown' && outcome !== 'near') || question === undefined) return null
  const { id, text, slideIndex, attendeeId } = question
  return {
    type: 'question.unanswered',
    dedupeKey: `${unansweredKeys(attendeeId)}${id}`,
    data: {
      runId,
      question: { id, text, outcome, slideIndex, askedAt: new Date(question.askedAt).toISOString() },
      attendee: attendeeOf(state.attendees.get(attendeeId)),
    },
  }
}

async function highIntent(tx: Tx, attendeeId: string, state: RunState, { runId }: Setting): Promise<Fact> {
  const attendee = attendeeOf(state.attendees.get(attendeeId))
  const dedupeKey = intentDedupeKey(runId, attendeeId)
  const lead = await findLeadOf(tx, attendeeId)
  if (lead !== undefined) return captured(lead, { trigger: 'high_intent', source: 'intent', attendee }, dedupeKey)
  return {
    type: 'lead.captured',
    dedupeKey,
    data: { lead: null, trigger: 'high_intent', source: 'intent', consent: null, attendee, runId },
  }
}

/**
 * The figures of one run, read from its state: who came, how long they stayed (mean seconds with an open stream between start and end of the
 * run, rounded to 0.1), what they asked and clicked (Spec 2.5). `at` ends the visits that are still open.
 */
function totalsOf(state: RunState, at: number) {
  let engagedMs = 0
  for (const { isPresent, openedAt, engagedMs: closed } of state.attendees.values()) {
    engagedMs += closed + (isPresent ? engagedBetween(state, openedAt, at) : 0)
  }
  const totalAttendees = state.attendees.size
  const averageEngagementSec = totalAttendees === 0 ? 0 : Math.round(engagedMs / totalAttendees / 100) / 10
  return { totalAttendees, averageEngagementSec, questionsCount: state.questionsCount, ctaClicks: state.ctaClicks }
}
