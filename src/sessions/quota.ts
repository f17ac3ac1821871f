// The monthly quota of created sessions (spec 7: 402). Counted in the creating transaction, so it cannot be raced past.
import { ServiceError } from '../platform/errors.ts'
import { prepared } from '../platform/db/prepared.ts'
import type { Tx } from '../platform/db/store.ts'

/** What an account may create. `perLife` counts for ever instead of by month: unclaimed agents. */
export interface SessionPlan {
  sessions: number
  perLife: boolean
}

/** `2026-11` in UTC. */
export function periodOf(now: number): string {
  return new Date(now).toISOString().slice(0, 7)
}

/** The first instant of the next month, UTC. */
export function periodEnd(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

const spend = prepared((db, { accountId, period, limit }: { accountId: string; period: string; limit: number }) =>
  db
    .insertInto('usage')
    .values({ account_id: accountId, period, sessions: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'period'])
        .doUpdateSet((row) => ({ sessions: row('usage.sessions', '+', 1) }))
        .where('usage.sessions', '<', limit),
    )
    .returning('sessions'),
)

/** Takes one session from the quota, or throws `quota_exceeded` and takes nothing. */
export async function spendSession(tx: Tx, accountId: string, plan: SessionPlan, now: number): Promise<void> {
  const period = plan.perLife ? 'life' : periodOf(now)
  const spent = plan.sessions > 0 ? await spend(tx, { accountId, period, limit: plan.sessions }) : []
  if (spent.length === 0) throw quotaExceeded(plan, now)
}

function quotaExceeded(plan: SessionPlan, now: number): ServiceError {
  const limit = plan.sessions.toLocaleString('en')
  const resetsAt = plan.perLife ? null : new Date(periodEnd(now)).toISOString()
  const detail =
    resetsAt === null
      ? `An unclaimed agent may create ${limit} sessions. Ask a person to claim this agent, or use an API key.`
      : `You have used ${limit} of ${limit} sessions this month. It resets on ${resetsAt.slice(0, 10)}.`
  return new ServiceError('quota_exceeded', detail, { members: { quota: { limit: plan.sessions, used: plan.sessions, resetsAt } } })
}
