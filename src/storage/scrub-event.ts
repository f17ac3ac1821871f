// Erasure of personal data from a kept domain event. The event stays in its place in the sequence, without its data.
import { sql } from 'kysely'
import { z } from 'zod'
import { stopWaiting } from './stop-deliveries.ts'
import type { Tx } from './store.ts'

const envelope = z.looseObject({ data: z.looseObject({ sequence: z.number(), session: z.unknown() }) })

/**
 * Empties the event of `dedupeKey`, if there is one: only its sequence and session remain. Deliveries that wait are cancelled,
 * and answers that may echo the data are forgotten. Whoever sends events must look at `scrubbed_at` before it does.
 */
export async function scrubEvent(tx: Tx, dedupeKey: string, now: number): Promise<void> {
  const event = await tx.selectFrom('domain_events').select(['id', 'body']).where('dedupe_key', '=', dedupeKey).executeTakeFirst()
  if (event === undefined) return
  const kept = envelope.parse(JSON.parse(event.body))
  const body = JSON.stringify({ ...kept, data: { sequence: kept.data.sequence, session: kept.data.session } })
  await tx.updateTable('domain_events').set({ body, scrubbed_at: now }).where('id', '=', event.id).execute()
  const found = await tx
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('event_id', '=', event.id)
    // Said in the text, because there is an index of such.
    .where('type', '=', sql.lit('lead.captured'))
    .execute()
  const deliveries = found.map(({ id }) => id)
  if (deliveries.length === 0) return
  await stopWaiting(tx, 'canceled', now, (eb) => eb.and([eb('id', 'in', deliveries)]))
  await tx.updateTable('webhook_deliveries').set({ response_head: null }).where('id', 'in', deliveries).execute()
  await tx.updateTable('webhook_attempts').set({ response_head: null }).where('delivery_id', 'in', deliveries).execute()
}
