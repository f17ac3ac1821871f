// Stops subscriptions, for a while or for good, and what waits for them.
import { stopWaiting } from '../storage/stop-deliveries.ts'
import type { Tx } from '../storage/store.ts'
import type { SubscriptionRow } from '../storage/tables/webhooks.ts'

/** Rung with the id of a subscription whose row has changed. */
export const subscriptionTopic = 'webhook:'
/** Rung with the id of a subscription that has something new to send. */
export const dueTopic = 'webhook-due:'

/** Stops a subscription and skips what waits for it, except a test. False where it was stopped already. */
export async function disableSubscription(
  tx: Tx,
  ring: (topic: string) => void,
  id: string,
  reason: NonNullable<SubscriptionRow['disabled_reason']>,
  now: number,
): Promise<boolean> {
  const changed = await tx
    .updateTable('webhook_subscriptions')
    .set({ disabled_reason: reason, updated_at: now })
    .where('id', '=', id)
    .where('disabled_reason', 'is', null)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (changed === undefined) return false
  await stopWaiting(tx, 'skipped', now, (eb) => eb.and([eb('subscription_id', '=', id), eb('trigger', '<>', 'test')]))
  ring(subscriptionTopic + id)
  return true
}

/** Ends a subscription for good and cancels what waits for it. */
export async function endSubscription(tx: Tx, ring: (topic: string) => void, id: string, now: number): Promise<void> {
  await tx
    .updateTable('webhook_subscriptions')
    .set({ deleted_at: now, updated_at: now, previous_secret: null, ed25519_seed: null })
    .where('id', '=', id)
    .execute()
  await stopWaiting(tx, 'canceled', now, (eb) => eb.and([eb('subscription_id', '=', id)]))
  ring(subscriptionTopic + id)
}
