// The report of a rehearsal, once it has ended: of one with a synthetic audience, or of one that people held over its link.
import { z } from 'zod'
import { knownBy } from '../../contract/fields.ts'
import { ServiceError } from '../../platform/errors.ts'
import { type Call, operation, reads, scoped } from '../../platform/operation.ts'
import type { AccountPrincipal } from '../../platform/principal.ts'
import { ownSession } from '../../sessions/session.ts'
import { noSuchRun } from '../attendees.ts'
import type { RehearsalDeps } from '../room-deps.ts'
import { type RehearsalReport, reportOf } from './report.ts'

const input = z.object({ sessionId: knownBy, rehearsalId: knownBy })

/** A rehearsal without a report after this long has lost its process. */
const patienceMs = 40 * 60_000

async function get({ sessionId, rehearsalId }: z.output<typeof input>, call: Call<AccountPrincipal>, deps: RehearsalDeps) {
  const { read } = deps.room.store
  const session = await ownSession(read, call.principal.accountId, sessionId)
  const row = await read
    .selectFrom('runs')
    .leftJoin('rehearsals', 'rehearsals.run_id', 'runs.id')
    .select(['runs.id', 'runs.created_at', 'runs.ended_at', 'rehearsals.plan', 'rehearsals.report'])
    .where('runs.id', '=', rehearsalId)
    .where('runs.session_id', '=', session.id)
    .where('runs.kind', '=', 'rehearsal')
    .executeTakeFirst()
  if (row === undefined) throw new ServiceError('not_found', 'There is no such rehearsal of this session.')
  const head = { rehearsalId: row.id, runId: row.id, createdAt: new Date(row.created_at).toISOString() }
  // Written by `rehearse` and below alone.
  if (row.report !== null) return { ...head, ...(JSON.parse(row.report) as RehearsalReport) }
  const isByPeople = row.plan === null
  if (isByPeople && row.ended_at !== null) return { ...head, ...(await makeOnce(deps, session.id, row)) }
  const isLost = !isByPeople && call.now - row.created_at > patienceMs
  return { ...head, ...nothingYet, status: isLost ? ('failed' as const) : ('running' as const) }
}

/** Of a rehearsal by people, who are not awaited by anybody: made when it is first read, and kept. */
async function makeOnce(deps: RehearsalDeps, sessionId: string, run: { id: string; created_at: number }): Promise<RehearsalReport> {
  const tail = await deps.room.hub.open(run.id)
  if (tail === null) throw noSuchRun()
  try {
    const report = await reportOf(deps, tail, tail.state, null)
    const row = { run_id: run.id, session_id: sessionId, plan: 'null', report: JSON.stringify(report), created_at: run.created_at }
    await deps.room.store.write((tx) =>
      tx
        .insertInto('rehearsals')
        .values(row)
        .onConflict((made) => made.column('run_id').doNothing())
        .execute(),
    )
    return report
  } finally {
    tail.release()
  }
}

const nothingYet = {
  seconds: 0,
  slides: [],
  questions: [],
  unanswered: [],
  leaks: [],
  cta: { shown: false, reachable: null },
  warnings: [],
  findings: [],
  parts: { script: 0, answers: 0, safety: 0 },
  score: 0,
}

const output = z.object({
  rehearsalId: z.string(),
  runId: z.string(),
  createdAt: z.string(),
  status: z.enum(['running', 'completed', 'failed']),
  seconds: z.number(),
  slides: z.array(
    z.object({
      index: z.number(),
      estSeconds: z.number(),
      beats: z.number(),
      flags: z.array(z.string()),
      heard: z.number().optional().describe('0 to 100: what is left of what is said for who listens; absent where nothing is said.'),
      asked: z.number().optional().describe('Questions that were made from it.'),
      met: z.number().optional().describe('Those that were answered from it.'),
    }),
  ),
  questions: z.array(
    z.object({
      text: z.string(),
      kind: z.string().describe('What it was made for: `answerable` from the slides, `asked` by people; others must not be answered.'),
      outcome: z.string(),
      slideIndex: z.number().optional().describe('The slide that it was made from.'),
      isMet: z.boolean().optional().describe('Of one that was meant to be answered: whether it was, from where it was made.'),
      citation: z.object({ type: z.string(), index: z.number(), title: z.string(), quote: z.string() }).nullable(),
    }),
  ),
  unanswered: z.array(z.string()),
  leaks: z.array(z.string()),
  cta: z.object({ shown: z.boolean(), reachable: z.boolean().nullable() }),
  warnings: z.array(z.object({ code: z.string(), detail: z.string(), slideIndex: z.number().optional() })),
  findings: z
    .array(
      z.object({
        code: z.string(),
        slideIndex: z.number(),
        beatId: z.string().optional(),
        text: z.string().optional(),
        detail: z.string(),
        fix: z.string().nullable().optional(),
      }),
    )
    .describe('What a listener would stumble over, slide by slide; `fix: null`: the sentence may be left out.'),
  parts: z.object({ script: z.number(), answers: z.number(), safety: z.number() }).describe('Of 40, 40 and 20.'),
  score: z.number().describe('0 to 100; under 40 where most of what is said is no sentence.'),
})

export const getRehearsal = operation({
  name: 'get_rehearsal',
  area: 'room',
  summary: 'Read the report of a rehearsal',
  description: 'For `rehearsalId` give what `start_rehearsal` answered, or the `runId` of a rehearsal that people held over its link.',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: get,
  http: { method: 'GET', path: '/api/v1/agent/sessions/{sessionId}/rehearsals/{rehearsalId}', output },
})
