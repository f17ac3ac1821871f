// How a session went: attendance, engagement, questions, clicks and leads, equal to a count over its log (spec 2.5).
import { z } from 'zod'
import { countLimit, utmOf, uuid } from '@rostrum/contract/fields'
import type { Cursors } from '../platform/db/cursor.ts'
import { ServiceError } from '@rostrum/base/errors'
import { operation, scoped } from '../platform/operation.ts'
import { stepByStep } from '@rostrum/base/work'
import type { Store, Tx } from '../platform/db/store.ts'
import { readLog } from '../runs/log/run-log.ts'
import { counted, type Figures, figures, figuresOf, joinAlike, type RunSummary, runSummary, summariseRun } from './figures.ts'

declare module '../platform/db/tables.ts' {
  interface Tables {
    run_summaries: RunSummaryRow
  }
}

/** The fold of a run that is over, good as long as its log ends at `last_seq`. */
interface RunSummaryRow {
  run_id: string
  session_id: string
  last_seq: number
  slides_count: number
  /** JSON of `RunSummary`. */
  summary: string
}

export interface AnalyticsDeps {
  store: Store
  cursors: Cursors
  recapUrl(attendeeId: string): string
  /** Whether two questions ask the same, by their words or by the content of the session. */
  sameQuestion(sessionId: string): Promise<(a: string, b: string) => boolean>
}

/** A session of the account; what belongs to another answers as if it did not exist. */
export async function ownSession(store: Store, accountId: string, sessionId: string) {
  const own = store.read.selectFrom('sessions').select(['id', 'slides_count']).where('id', '=', sessionId)
  const session = await own.where('account_id', '=', accountId).executeTakeFirst()
  if (session === undefined) throw new ServiceError('not_found', 'There is no such session. List yours to see their ids.')
  return session
}

const dayMs = 86_400_000
const shown = figures.partial({ slides: true, funnel: true, attendance: true, unanswered: true })
const output = z.object({ sessionId: z.string(), ...shown.shape })

const sources = z
  .array(z.object({ source: z.string().nullable(), attendees: z.number(), leads: z.number() }))
  .describe('Which `utm_source`, or named link, brought how many, the most first; null: nothing of it is known.')

/** Of who came to live runs, and of the leads of the session. */
async function sourcesOf({ read }: Store, sessionId: string, since: number): Promise<z.output<typeof sources>> {
  const came = read
    .selectFrom('attendees')
    .innerJoin('runs', 'runs.id', 'attendees.run_id')
    .innerJoin('visits', (join) => join.onRef('visits.attendee_id', '=', 'attendees.id').on('visits.visit', '=', 1))
    .select((row) => ['attendees.utm', row.fn.countAll<number>().as('count')])
    .where('attendees.session_id', '=', sessionId)
    .where('runs.kind', '=', 'live')
    .where('runs.created_at', '>=', since)
    .groupBy('attendees.utm')
  const left = read
    .selectFrom('leads')
    .select((row) => ['utm', row.fn.countAll<number>().as('count')])
    .where('session_id', '=', sessionId)
    .where('created_at', '>=', since)
    .groupBy('utm')
  const bySource = new Map<string | null, { source: string | null; attendees: number; leads: number }>()
  const add = (utm: string | null, more: { attendees?: number; leads?: number }) => {
    const source = utmOf(utm)?.source ?? null
    const { attendees, leads } = bySource.get(source) ?? { attendees: 0, leads: 0 }
    bySource.set(source, { source, attendees: attendees + (more.attendees ?? 0), leads: leads + (more.leads ?? 0) })
  }
  const [seats, details] = await Promise.all([came.execute(), left.execute()])
  for (const { utm, count } of seats) add(utm, { attendees: Number(count) })
  for (const { utm, count } of details) add(utm, { leads: Number(count) })
  return [...bySource.values()]
    .toSorted((a, b) => b.attendees - a.attendees || b.leads - a.leads || Number(a.source === null) - Number(b.source === null))
    .slice(0, sourcesMax)
}

const sourcesMax = 50

export const getSessionAnalytics = operation({
  name: 'get_session_analytics',
  summary: 'Show the analytics of a session',
  description: 'Live runs, and what personal agents asked; rehearsals count nowhere. Times are seconds; slides count from 0.',
  access: scoped('analytics:read'),
  input: z.object({
    sessionId: uuid.describe('Id of the session.'),
    days: z.int().min(1).max(3_660).optional().describe('Only the last ones.'),
  }),
  run: async ({ sessionId, days }, call, { store, sameQuestion }: AnalyticsDeps) => {
    const session = await ownSession(store, call.principal.accountId, sessionId)
    const since = days === undefined ? 0 : call.now - days * dayMs
    const counted = await sessionFigures(store, session.id, session.slides_count, call.now, since)
    const asked = counted.unanswered
    const unanswered = asked.length < 2 ? asked : await stepByStep(joinAlike(asked, await sameQuestion(session.id)))
    return { sessionId: session.id, ...counted, unanswered, sources: await sourcesOf(store, session.id, since) }
  },
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/analytics',
    output: output.extend({ sources: sources.optional() }),
  },
  tool: {
    title: 'Presentation analytics',
    description:
      'Shows how one of your presentations went: attendees, engagement, questions, call-to-action clicks, attention per slide and what went unanswered. Use this when a talk has been held. Next: export_leads, or add to the knowledge.',
    // Every list of tools pays for what it says of results: polls have names that say enough, and /docs has the rest.
    output: output
      .partial()
      .required({ sessionId: true })
      .extend({ polls: z.array(z.looseObject({})).optional() }),
    view: ({ sources: _, ...result }) => result,
    ui: 'analytics',
  },
})

const overview = figures.omit({ slides: true, funnel: true, attendance: true, unanswered: true }).extend({
  sessionId: z.string(),
  unanswered: z.number().describe('Questions that the deck did not answer.'),
})

export const listAnalytics = operation({
  name: 'list_analytics',
  summary: 'Show the figures of all sessions',
  description: 'Of the newest sessions that have slides. What stands in each in detail is read with its id.',
  access: scoped('analytics:read'),
  input: z.object({
    limit: countLimit(100).describe('How many sessions, 1 to 100.'),
    days: z.int().min(1).max(3_660).optional().describe('Only the last ones.'),
  }),
  run: async ({ limit, days }, { principal, now }, { store }: AnalyticsDeps) => {
    const own = store.read.selectFrom('sessions').select(['id', 'slides_count']).where('account_id', '=', principal.accountId)
    const sessions = await own.where('slides_count', '>', 0).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
    const since = days === undefined ? 0 : now - days * dayMs
    const rows: z.output<typeof overview>[] = []
    for (const { id, slides_count } of sessions) {
      const { unanswered, ...counted } = await sessionFigures(store, id, slides_count, now, since)
      rows.push(overview.parse({ sessionId: id, ...counted, unanswered: unanswered.reduce((sum, { count }) => sum + count, 0) }))
    }
    return { sessions: rows }
  },
  http: { method: 'GET', path: '/api/v1/agent/analytics', output: z.object({ sessions: z.array(overview) }) },
})

// Reads the logs of a session's live runs and adds them up. A run that is over is folded once and kept as long as its log
// has not grown (a late click on the offer is still a fact).

/** Every figure of the session at `now`, over its live runs and the questions of personal agents since then; rehearsals count nowhere. */
export async function sessionFigures(store: Store, sessionId: string, slidesCount: number, now: number, since = 0): Promise<Figures> {
  const { read } = store
  const [runs, leads, asked] = await Promise.all([
    read
      .selectFrom('runs')
      .select(['id', 'last_seq', 'ended_at'])
      .where('session_id', '=', sessionId)
      .where('kind', '=', 'live')
      .where('created_at', '>=', since)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
    read
      .selectFrom('leads')
      .select((row) => row.fn.countAll<number>().as('count'))
      .where('session_id', '=', sessionId)
      .where('created_at', '>=', since)
      .executeTakeFirstOrThrow(),
    read
      .selectFrom('pap_questions')
      .select(['id', 'question', 'outcome'])
      .where('session_id', '=', sessionId)
      .where('at', '>=', since)
      .orderBy('at')
      .orderBy('id')
      .execute(),
  ])
  const ofAgents = asked.map(({ id, question, outcome }) => ({ questionId: id, text: question, outcome }))
  const summaries = await summariesOf(store, { sessionId, slidesCount, now }, runs)
  return figuresOf([...summaries.values()], slidesCount, { leads: Number(leads.count), ofAgents })
}

/** What each of these runs says, in their order: as it is kept, else folded from its log, and kept where the run is over. */
export async function summariesOf(
  store: Store,
  { sessionId, slidesCount, now }: { sessionId: string; slidesCount: number; now: number },
  runs: readonly { id: string; last_seq: number; ended_at: number | null }[],
): Promise<Map<string, RunSummary>> {
  const kept = await store.read.selectFrom('run_summaries').selectAll().where('session_id', '=', sessionId).execute()
  const known = new Map(kept.map((row) => [row.run_id, row]))
  const summaries = new Map<string, RunSummary>()
  const fresh: RunSummaryRow[] = []
  for (const { id, last_seq, ended_at } of runs) {
    const row = known.get(id)
    if (row !== undefined && row.last_seq === last_seq && row.slides_count === slidesCount) {
      summaries.set(id, runSummary.parse(JSON.parse(row.summary)))
      continue
    }
    const summary = summariseRun(await readLog(store.read, id, counted), slidesCount, now)
    summaries.set(id, summary)
    const folded = { run_id: id, session_id: sessionId, last_seq, slides_count: slidesCount, summary: JSON.stringify(summary) }
    if (ended_at !== null) fresh.push(folded)
  }
  const keep = (tx: Tx, row: RunSummaryRow) =>
    tx
      .insertInto('run_summaries')
      .values(row)
      .onConflict((conflict) => conflict.column('run_id').doUpdateSet(row))
      .execute()
  if (fresh.length > 0)
    await store.write(async (tx) => {
      for (const row of fresh) await keep(tx, row)
    })
  return summaries
}

/** Those of a session that is deleted. */
export async function forget(tx: Tx, sessionId: string): Promise<void> {
  await tx.deleteFrom('run_summaries').where('session_id', '=', sessionId).execute()
}
