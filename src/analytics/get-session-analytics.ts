// How a session went: attendance, engagement, questions, clicks and leads, equal to a count over its log (spec 2.5).
import { z } from 'zod'
import { uuid } from '../contract/fields.ts'
import { ServiceError } from '../platform/errors.ts'
import { operation, reads, scoped } from '../platform/operation.ts'
import { stepByStep } from '../platform/step-by-step.ts'
import type { Reader, Store, Tx } from '../platform/db/store.ts'
import type { RunSummaryRow } from '../platform/db/tables/sessions.ts'
import { type Figures, figures, figuresOf, joinAlike } from './figures.ts'
import { factsOf, type RunSummary, runSummary, summariseRun } from './run-summary.ts'

export interface AnalyticsDeps {
  store: Store
  /** Whether two questions ask the same, by their words or by the content of the session. */
  sameQuestion(sessionId: string): Promise<(a: string, b: string) => boolean>
}

const shown = figures.partial({ slides: true, funnel: true, attendance: true, unanswered: true })
const output = z.object({ sessionId: z.string(), ...shown.shape })

export const getSessionAnalytics = operation({
  name: 'get_session_analytics',
  area: 'analytics',
  summary: 'Show the analytics of a session',
  description: 'Live runs, and what personal agents asked; rehearsals count nowhere. Times are seconds; slides count from 0.',
  access: scoped('analytics:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input: z.object({ sessionId: uuid.describe('Id of the session.') }),
  run: async ({ sessionId }, call, { store, sameQuestion }: AnalyticsDeps) => {
    const session = await store.read
      .selectFrom('sessions')
      .select(['id', 'slides_count'])
      .where('id', '=', sessionId)
      .where('account_id', '=', call.principal.accountId)
      .executeTakeFirst()
    if (session === undefined) throw new ServiceError('not_found', 'There is no such session. List yours to see their ids.')
    const counted = await sessionFigures(store, session.id, session.slides_count, call.now)
    const asked = counted.unanswered
    const unanswered = asked.length < 2 ? asked : await stepByStep(joinAlike(asked, await sameQuestion(session.id)))
    return { sessionId: session.id, ...counted, unanswered }
  },
  http: { method: 'GET', path: '/api/v1/agent/sessions/{sessionId}/analytics', output, view: (result) => result },
  tool: {
    title: 'Presentation analytics',
    description:
      'Shows how one of your Rostrum presentations went: attendees, average engagement, questions, call-to-action clicks, attention per slide and what the deck could not answer. Use this when a talk has been held. Rehearsals count nowhere. Next: export_leads, or add what was unanswered to the knowledge.',
    output: output.partial().required({ sessionId: true }),
    view: (result) => result,
    ui: 'analytics',
  },
})

// Reads the logs of a session's live runs and adds them up. A run that is over is folded once and kept as long as its log
// has not grown (a late click on the offer is still a fact).

/** Folds one run from its log. */
async function readRunSummary(read: Reader, runId: string, slidesCount: number, now: number): Promise<RunSummary> {
  const events = await read
    .selectFrom('run_events')
    .select(['at', 'audience', 'type', 'data'])
    .where('run_id', '=', runId)
    .orderBy('seq')
    .execute()
  return summariseRun(factsOf(events), slidesCount, now)
}

/** Every figure of the session at `now`, over its live runs and the questions of personal agents; rehearsals count nowhere. */
export async function sessionFigures(store: Store, sessionId: string, slidesCount: number, now: number): Promise<Figures> {
  const { read } = store
  const [runs, kept, leads, asked] = await Promise.all([
    read
      .selectFrom('runs')
      .select(['id', 'last_seq', 'ended_at'])
      .where('session_id', '=', sessionId)
      .where('kind', '=', 'live')
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
    read.selectFrom('run_summaries').selectAll().where('session_id', '=', sessionId).execute(),
    read
      .selectFrom('leads')
      .select((row) => row.fn.countAll<number>().as('count'))
      .where('session_id', '=', sessionId)
      .executeTakeFirstOrThrow(),
    read
      .selectFrom('pap_questions')
      .select(['id', 'question', 'outcome'])
      .where('session_id', '=', sessionId)
      .orderBy('at')
      .orderBy('id')
      .execute(),
  ])
  const ofAgents = asked.map(({ id, question, outcome }) => ({ questionId: id, text: question, outcome }))
  const summaries: RunSummary[] = []
  const fresh: RunSummaryRow[] = []
  for (const { id, last_seq, ended_at } of runs) {
    const known = kept.find((row) => row.run_id === id)
    if (known !== undefined && known.last_seq === last_seq && known.slides_count === slidesCount) {
      summaries.push(runSummary.parse(JSON.parse(known.summary)))
      continue
    }
    const summary = await readRunSummary(read, id, slidesCount, now)
    summaries.push(summary)
    const row = { run_id: id, session_id: sessionId, last_seq, slides_count: slidesCount, summary: JSON.stringify(summary) }
    if (ended_at !== null) fresh.push(row)
  }
  if (fresh.length > 0) await store.write((tx) => keep(tx, fresh))
  return figuresOf(summaries, slidesCount, { leads: Number(leads.count), ofAgents })
}

async function keep(tx: Tx, fresh: readonly RunSummaryRow[]): Promise<void> {
  for (const row of fresh)
    await tx
      .insertInto('run_summaries')
      .values(row)
      .onConflict((conflict) => conflict.column('run_id').doUpdateSet(row))
      .execute()
}

/** Those of a session that is deleted. */
export async function forget(tx: Tx, sessionId: string): Promise<void> {
  await tx.deleteFrom('run_summaries').where('session_id', '=', sessionId).execute()
}
