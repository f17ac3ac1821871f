// A first attempt that succeeds, as nearly all do, is kept in the row of its delivery: a row of its own would cost as much again.
// It is told from there, and gets its row before anything else is tried.
import type { Tx } from '../storage/store.ts'
import type { AttemptRow, DeliveryRow } from '../storage/tables/webhooks.ts'
import type { AttemptResult, Claimed } from './attempt.ts'

/** Whether this attempt is to be kept in its delivery. */
export function isFirstSuccess({ state }: Pick<Claimed, 'state'>, { happening }: Pick<AttemptResult, 'happening'>): boolean {
  return happening === 'succeeded' && state.trigger === 'automatic' && state.attempts + state.interrupted === 0
}

/** The attempts of a delivery; `log` is what has rows, in order. */
export function attemptsOf(row: DeliveryRow, log: readonly AttemptRow[]): readonly AttemptRow[] {
  const { id, status, attempts, claimed_at: startedAt, finished_at: endedAt, last_http_status, response_head, peer } = row
  if (log.length > 0 || status !== 'succeeded' || attempts !== 1 || startedAt === null || endedAt === null) return log
  const times = { started_at: startedAt, ended_at: endedAt }
  const answer = { http_status: last_http_status, response_head, peer }
  return [{ delivery_id: id, n: 1, trigger: 'automatic', ...times, outcome: 'succeeded', reason: null, ...answer }]
}

/** Gives the first attempts of these deliveries their rows, where they have none. Call before their state changes. */
export async function logFirstSuccesses(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx
    .insertInto('webhook_attempts')
    .columns(['delivery_id', 'n', 'trigger', 'started_at', 'ended_at', 'outcome', 'http_status', 'response_head', 'peer'])
    .expression((eb) =>
      eb
        .selectFrom('webhook_deliveries')
        .select(['id', eb.lit(1).as('n'), 'trigger', 'claimed_at', 'finished_at', 'status', 'last_http_status', 'response_head', 'peer'])
        .where('id', 'in', ids)
        .where('status', '=', 'succeeded')
        .where('trigger', '=', 'automatic')
        .where('attempts', '=', 1)
        .where('interrupted', '=', 0),
    )
    .onConflict((oc) => oc.doNothing())
    .execute()
}
