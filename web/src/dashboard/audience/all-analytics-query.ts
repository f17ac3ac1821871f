// The figures of the account's newest sessions, in one answer; kept for five minutes.
import { call } from '../data/api.ts'
import { sessionsQuery } from '../data/queries.ts'
import { cache, type Query } from '../data/use-query.ts'
import type { Overview, SessionRecord } from '../data/wire.ts'

export interface SessionFigures {
  session: SessionRecord
  analytics: Overview
}

const sessionsMax = 100

/** `days`: of the last ones alone. */
export const allAnalyticsQuery = (days?: number): Query<SessionFigures[]> => ({
  queryKey: ['all-analytics', days ?? 'all'],
  staleTime: 5 * 60_000,
  async queryFn({ signal }) {
    const [{ rows }, { sessions }] = await Promise.all([
      cache.fetchQuery(sessionsQuery),
      call('list_analytics', { limit: sessionsMax, ...(days && { days }) }, { signal }),
    ])
    const known = new Map(rows.map((session) => [session.id, session]))
    return sessions.flatMap((analytics) => {
      const session = known.get(analytics.sessionId)
      return session === undefined ? [] : [{ session, analytics }]
    })
  },
})
