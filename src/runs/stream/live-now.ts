// How many people are in the rooms of some sessions at this moment, and which slide a session's newest running talk shows.
import { prepared } from '../../platform/db/statements.ts'
import type { Reader } from '../../platform/db/store.ts'

export interface LiveNow {
  online: number
  slideIndex: number | null
}

const somebodyIn = prepared((db, visited: { sessionId: string }) =>
  db.selectFrom('visits').select('run_id').where('session_id', '=', visited.sessionId).where('left_at', 'is', null).limit(1),
)

/** Live runs that are not over: who reads the recap is in no room. Sessions with nobody in one are left out. */
export async function liveNow(read: Reader, sessionIds: readonly string[]): Promise<ReadonlyMap<string, LiveNow>> {
  const [only] = sessionIds
  if (only === undefined) return new Map()
  // Most sessions are empty at most times, and a compiled look tells.
  if (sessionIds.length === 1 && (await somebodyIn(read, { sessionId: only })).length === 0) return new Map()
  const counted = await read
    .selectFrom('visits')
    .innerJoin('runs', 'runs.id', 'visits.run_id')
    .select((row) => ['visits.session_id', row.fn.countAll<number>().as('online'), row.fn.max('runs.created_at').as('newest')])
    .where('visits.session_id', 'in', sessionIds)
    .where('visits.left_at', 'is', null)
    .where('runs.kind', '=', 'live')
    .where('runs.status', '!=', 'completed')
    .groupBy('visits.session_id')
    .execute()
  const slides = await Promise.all(counted.map(({ session_id, newest }) => slideOf(read, session_id, newest)))
  return new Map(counted.map(({ session_id, online }, at) => [session_id, { online, slideIndex: slides[at] ?? null }]))
}

async function slideOf(read: Reader, sessionId: string, startedAt: number): Promise<number | null> {
  const shown = await read
    .selectFrom('run_events')
    .innerJoin('runs', 'runs.id', 'run_events.run_id')
    .select('run_events.data')
    .where('runs.session_id', '=', sessionId)
    .where('runs.created_at', '=', startedAt)
    .where('run_events.type', '=', 'slide')
    .orderBy('run_events.seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (shown === undefined) return null
  const data: unknown = JSON.parse(shown.data)
  return typeof data === 'object' && data !== null && 'index' in data && typeof data.index === 'number' ? data.index : null
}
