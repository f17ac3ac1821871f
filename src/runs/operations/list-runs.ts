// The runs of a session, newest first. Rehearsals are listed only where they are asked for.
import { pageOf } from '../../platform/cursor.ts'
import { z } from 'zod'
import { countLimit, knownBy } from '../../contract/fields.ts'
import type { Reader } from '../../platform/db/store.ts'
import type { RunRow } from '../../platform/db/tables/runs.ts'
import { operation, reads, scoped } from '../../platform/operation.ts'
import { ownSession } from '../../sessions/session.ts'
import type { RunsDeps } from '../room-deps.ts'
import { runStatus } from '../../contract/room.ts'

interface Counts {
  attendees: ReadonlyMap<string, number>
  questions: ReadonlyMap<string, number>
}

async function countsOf(read: Reader, rows: readonly RunRow[]): Promise<Counts> {
  const ids = rows.map((row) => row.id)
  if (ids.length === 0) return { attendees: new Map(), questions: new Map() }
  const attendees = await read
    .selectFrom('visits')
    .select((row) => ['run_id', row.fn.count<number>('attendee_id').distinct().as('count')])
    .where('run_id', 'in', ids)
    .groupBy('run_id')
    .execute()
  // A question has one command, however often it was sent; a refused one was never asked.
  const questions = await read
    .selectFrom('run_commands')
    .select((row) => ['run_id', row.fn.countAll<number>().as('count')])
    .where('run_id', 'in', ids)
    .where('kind', '=', 'questions')
    .where('answer', 'like', '{"ok":true%')
    .groupBy('run_id')
    .execute()
  const byRun = (counted: readonly { run_id: string; count: number }[]) => new Map(counted.map(({ run_id, count }) => [run_id, count]))
  return { attendees: byRun(attendees), questions: byRun(questions) }
}

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

const record = z.object({
  runId: z.string(),
  kind: z.enum(['live', 'rehearsal']),
  mode: z.enum(['isolated', 'broadcast']),
  status: runStatus,
  startedAt: z.string().nullable(),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
  endReason: z.string().optional(),
  attendees: z.number(),
  questions: z.number(),
})

export const listRuns = operation({
  name: 'list_runs',
  area: 'room',
  summary: 'List the runs of a session',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input: z.object({
    sessionId: knownBy,
    kind: z.enum(['live', 'rehearsal']).default('live'),
    limit: countLimit(100).describe('How many to return, 1 to 100.'),
    cursor: z.string().max(512).optional().describe('`nextCursor` of the page before.'),
  }),
  run: async ({ sessionId, kind, limit, cursor }, { principal }, deps: RunsDeps) => {
    const { read } = deps.store
    const session = await ownSession(read, principal.accountId, sessionId)
    const context = ['runs', session.id, kind]
    let query = read.selectFrom('runs').selectAll().where('session_id', '=', session.id).where('kind', '=', kind)
    if (cursor !== undefined) {
      const { at, id } = deps.cursors.open(context, cursor)
      query = query.where((row) => row.or([row('created_at', '<', at), row.and([row('created_at', '=', at), row('id', '<', id)])]))
    }
    const found = await query
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute()
    const page = pageOf(found, limit, (last) => deps.cursors.seal(context, { at: last.created_at, id: last.id }))
    return { ...page, counts: await countsOf(read, page.rows) }
  },
  http: {
    method: 'GET',
    path: '/api/v1/agent/sessions/{sessionId}/runs',
    output: z.object({ runs: z.array(record), count: z.number(), nextCursor: z.string().optional() }),
    view: ({ rows, nextCursor, counts }) => ({
      runs: rows.map((row) => ({
        runId: row.id,
        kind: row.kind,
        mode: row.mode,
        status: row.status,
        createdAt: iso(row.created_at),
        startedAt: iso(row.started_at),
        endedAt: iso(row.ended_at),
        ...(row.end_reason === null ? {} : { endReason: row.end_reason }),
        attendees: counts.attendees.get(row.id) ?? 0,
        questions: counts.questions.get(row.id) ?? 0,
      })),
      count: rows.length,
      nextCursor,
    }),
  },
})
