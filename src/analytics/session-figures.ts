// Reads the logs of a session's live runs and adds them up. A run that is over is folded once and kept as long as its log
// has not grown (a late click on the offer is still a fact).
import { z } from 'zod'
import type { Reader, Store, Tx } from '../platform/db/store.ts'
import { factsOf } from './facts.ts'
import type { Figures } from './figures.ts'
import { figuresOf } from './figures.ts'
import type { RunSummary } from './run-summary.ts'
import { summariseRun } from './run-summary.ts'

interface RunHead {
  id: string
  last_seq: number
  ended_at: number | null
}

const stretch = z.object({ from: z.number(), to: z.number() })
const storedSummary = z.object({
  attendees: z.array(
    z.object({
      attendeeId: z.string(),
      present: z.array(stretch),
      engagedMs: z.number(),
      slidesMs: z.record(z.string(), z.number()),
      started: z.boolean(),
      half: z.boolean(),
      completed: z.boolean(),
      clicked: z.boolean(),
      lead: z.boolean(),
      leftAtSlide: z.number().nullable(),
    }),
  ),
  questions: z.array(
    z.object({ questionId: z.string(), text: z.string(), slideIndex: z.number().optional(), outcome: z.string().nullable() }),
  ),
  leads: z.number(),
})

/** Folds one run from its log. */
export async function readRunSummary(read: Reader, runId: string, slidesCount: number, now: number): Promise<RunSummary> {
  const events = await read
    .selectFrom('run_events')
    .select(['at', 'audience', 'type', 'data'])
    .where('run_id', '=', runId)
    .orderBy('seq')
    .execute()
  return summariseRun(factsOf(events), slidesCount, now)
}

async function keptSummaries(read: Reader, sessionId: string): Promise<Map<string, { seq: number; slides: number; summary: string }>> {
  const rows = await read.selectFrom('run_summaries').selectAll().where('session_id', '=', sessionId).execute()
  return new Map(rows.map((row) => [row.run_id, { seq: row.last_seq, slides: row.slides_count, summary: row.summary }]))
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
    keptSummaries(read, sessionId),
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
  const fresh: { run: RunHead; summary: RunSummary }[] = []
  for (const run of runs) {
    const known = kept.get(run.id)
    if (known !== undefined && known.seq === run.last_seq && known.slides === slidesCount) {
      summaries.push(storedSummary.parse(JSON.parse(known.summary)))
      continue
    }
    const summary = await readRunSummary(read, run.id, slidesCount, now)
    summaries.push(summary)
    if (run.ended_at !== null) fresh.push({ run, summary })
  }
  if (fresh.length > 0) await keep(store, sessionId, slidesCount, fresh)
  return figuresOf(summaries, slidesCount, { leads: Number(leads.count), ofAgents })
}

async function keep(
  store: Store,
  sessionId: string,
  slidesCount: number,
  fresh: readonly { run: RunHead; summary: RunSummary }[],
): Promise<void> {
  await store.write(async (tx) => {
    for (const { run, summary } of fresh) {
      const row = {
        run_id: run.id,
        session_id: sessionId,
        last_seq: run.last_seq,
        slides_count: slidesCount,
        summary: JSON.stringify(summary),
      }
      await tx
        .insertInto('run_summaries')
        .values(row)
        .onConflict((conflict) => conflict.column('run_id').doUpdateSet(row))
        .execute()
    }
  })
}

/** Those of a session that is deleted. */
export async function forget(tx: Tx, sessionId: string): Promise<void> {
  await tx.deleteFrom('run_summaries').where('session_id', '=', sessionId).execute()
}
