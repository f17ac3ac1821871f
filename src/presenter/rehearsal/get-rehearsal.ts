// The report of a rehearsal, once it has ended.
import { z } from 'zod'
import { ServiceError } from '../../kernel/errors.ts'
import type { Call } from '../../kernel/operation.ts'
import { operation, reads, scoped } from '../../kernel/operation.ts'
import type { AccountPrincipal } from '../../kernel/principal.ts'
import { ownSession } from '../../sessions/session.ts'
import type { RehearsalDeps } from './rehearsal-deps.ts'
import type { RehearsalReport } from './report.ts'

const input = z.object({ sessionId: z.string(), rehearsalId: z.string() })

/** A rehearsal without a report after this long has lost its process. */
const patienceMs = 40 * 60_000

async function get({ sessionId, rehearsalId }: z.output<typeof input>, call: Call<AccountPrincipal>, { room }: RehearsalDeps) {
  const { read } = room.store
  const session = await ownSession(read, call.principal.accountId, sessionId)
  const row = await read
    .selectFrom('rehearsals')
    .selectAll()
    .where('run_id', '=', rehearsalId.toLowerCase())
    .where('session_id', '=', session.id)
    .executeTakeFirst()
  if (row === undefined) throw new ServiceError('not_found', 'There is no such rehearsal of this session.')
  const head = { rehearsalId: row.run_id, runId: row.run_id, createdAt: new Date(row.created_at).toISOString() }
  // Written by `rehearse` alone.
  if (row.report !== null) return { ...head, ...(JSON.parse(row.report) as RehearsalReport) }
  const isLost = call.now - row.created_at > patienceMs
  return { ...head, ...nothingYet, status: isLost ? ('failed' as const) : ('running' as const) }
}

const nothingYet = {
  seconds: 0,
  slides: [],
  questions: [],
  unanswered: [],
  leaks: [],
  cta: { shown: false, reachable: null },
  warnings: [],
  score: 0,
}

const output = z.looseObject({
  rehearsalId: z.string(),
  runId: z.string(),
  status: z.enum(['running', 'completed', 'failed']),
  seconds: z.number(),
  slides: z.array(z.looseObject({ index: z.number(), estSeconds: z.number(), beats: z.number(), flags: z.array(z.string()) })),
  questions: z.array(z.looseObject({ text: z.string(), outcome: z.string() })),
  unanswered: z.array(z.string()),
  leaks: z.array(z.string()),
  cta: z.object({ shown: z.boolean(), reachable: z.boolean().nullable() }),
  warnings: z.array(z.looseObject({ code: z.string(), detail: z.string() })),
  score: z.number(),
})

export const getRehearsal = operation({
  name: 'get_rehearsal',
  area: 'room',
  summary: 'Read the report of a rehearsal',
  access: scoped('sessions:read'),
  effects: reads,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: get,
  http: { method: 'GET', path: '/api/v1/agent/sessions/{sessionId}/rehearsals/{rehearsalId}', output },
})
