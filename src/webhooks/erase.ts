// What the end of a session means for its webhooks, in the transaction that deletes it.
import { leadEventTypes } from '../kernel/events.ts'
import type { Tx } from '../storage/store.ts'
import { ringAfter } from '../storage/transaction-context.ts'
import { scrubEvent } from '../storage/scrub-event.ts'
import { stopWaiting } from '../storage/stop-deliveries.ts'
import { endSubscription } from './stop.ts'

/** Cancels what waits, ends subscriptions to this session alone, and erases the contact details in events that are kept. */
export async function onSessionDeleted(tx: Tx, sessionId: string, now: number): Promise<void> {
  await stopWaiting(tx, 'canceled', now, (eb) =>
    eb.and([eb('event_id', 'in', eb.selectFrom('domain_events').select('id').where('session_id', '=', sessionId))]),
  )
  const own = await tx
    .selectFrom('webhook_subscriptions')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('deleted_at', 'is', null)
    .execute()
  for (const { id } of own) await endSubscription(tx, (topic) => ringAfter(tx, topic), id, now)
  const leads = await tx
    .selectFrom('domain_events')
    .select('dedupe_key')
    .where('session_id', '=', sessionId)
    .where('type', 'in', leadEventTypes)
    .where('scrubbed_at', 'is', null)
    .execute()
  for (const { dedupe_key: key } of leads) await scrubEvent(tx, key, now)
}
