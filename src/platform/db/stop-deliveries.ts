// Calls deliveries back (Spec 3.3): what waits for a subscription, a session or an event that is no more, in the transaction of
// that change. One statement writes for many what `webhooks/retry.ts` says of one.
import { type ExpressionBuilder, sql } from 'kysely'
import type { Tx } from './store.ts'
import type { Tables } from './tables.ts'

type Builder = ExpressionBuilder<Tables, 'webhook_deliveries'>

/** Ends waiting deliveries that fit `where`; one in flight ends by itself and is then not tried again. */
export async function stopWaiting(
  tx: Tx,
  status: 'canceled' | 'skipped',
  now: number,
  where: (eb: Builder) => ReturnType<Builder['and']>,
): Promise<void> {
  // What had ended before a manual attempt was asked for keeps its end.
  const keepsEnd = sql<boolean>`resume_status IS NOT NULL AND resume_status <> 'retry_scheduled'`
  await tx
    .updateTable('webhook_deliveries')
    .set({
      status: sql`CASE WHEN ${keepsEnd} THEN resume_status ELSE ${sql.lit(status)} END`,
      trigger: sql`CASE WHEN ${keepsEnd} THEN 'automatic' ELSE "trigger" END`,
      finished_at: sql`CASE WHEN ${keepsEnd} THEN finished_at ELSE CAST(${now} AS BIGINT) END`,
      due_at: null,
      resume_status: null,
      resume_at: null,
    })
    .where('due_at', 'is not', null)
    .where('status', 'in', ['pending', 'retry_scheduled'])
    .where(where)
    .execute()
}
