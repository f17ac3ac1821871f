// The figures of the account's newest published sessions, read a few at a time; kept for five minutes, because each is a call.
import { analyticsQuery, sessionsQuery } from '../data/queries.ts'
import { cache, type Query } from '../data/use-query.ts'
import type { Analytics, SessionRecord } from '../data/wire.ts'

export interface SessionFigures {
  session: SessionRecord
  analytics: Analytics
}

const sessionsMax = 40
const atOnce = 4

/** `days`: of the last ones alone. */
export const allAnalyticsQuery = (days?: number): Query<SessionFigures[]> => ({
  queryKey: ['all-analytics', days ?? 'all'],
  staleTime: 5 * 60_000,
  async queryFn() {
    const sessions = (await cache.fetchQuery(sessionsQuery)).rows
      .filter(({ status, slidesCount }) => status === 'published' || slidesCount > 0)
      .slice(0, sessionsMax)
    const found: SessionFigures[] = []
    for (let at = 0; at < sessions.length; at += atOnce) {
      found.push(
        ...(await Promise.all(
          sessions.slice(at, at + atOnce).map(async (session) => ({
            session,
            analytics: await cache.fetchQuery({ ...analyticsQuery(session.id, days), staleTime: 5 * 60_000 }),
          })),
        )),
      )
    }
    return found
  },
})
