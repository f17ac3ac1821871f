// Joins the parts of the webhooks area: what its operations are bound to, the dispatcher, and what others tell it.
import type { Config } from '../config/config.ts'
import { deliveryIdOf, deliveryRange } from '../platform/db/deliveries.ts'
import type { Store, Tx } from '../platform/db/store.ts'
import type { Outbound } from '../platform/egress/outbound.ts'
import { createVault } from '../platform/vault.ts'
import { idBound } from './delivery.ts'
import type { WebhooksDeps } from './subscription.ts'
import { createDispatcher, type DispatcherDeps } from './dispatcher.ts'

// Removes what is old: deliveries with their attempts, and the bodies of events that nothing refers to any more.

const dayMs = 86_400_000
const batchMax = 500

/** One pass over everything; gives how many rows went. Dead letters are kept three times as long. */
async function sweepWebhooks(store: Store, retentionDays: number, now: number): Promise<number> {
  const keptMs = retentionDays * dayMs
  return (await sweepDeliveries(store, now - keptMs, now - 3 * keptMs)) + (await sweepEvents(store, now - keptMs))
}

async function sweepDeliveries(store: Store, before: number, deadBefore: number): Promise<number> {
  let removed = 0
  for (const { id: subscriptionId } of await store.read.selectFrom('webhook_subscriptions').select('id').execute()) {
    const { first, end } = deliveryRange(subscriptionId, { to: before })
    removed += await inPages(store, 'webhook_deliveries', first, end, async (tx, page) => {
      const old = await tx
        .deleteFrom('webhook_deliveries')
        .where('id', 'in', page)
        .where('due_at', 'is', null)
        .where('finished_at', '<', before)
        .where((row) => row.or([row('status', '<>', 'failed'), row('finished_at', '<', deadBefore)]))
        .returning('id')
        .execute()
      const ids = old.map(({ id }) => id)
      if (ids.length > 0) await tx.deleteFrom('webhook_attempts').where('delivery_id', 'in', ids).execute()
      return ids.length
    })
  }
  return removed
}

async function sweepEvents(store: Store, before: number): Promise<number> {
  return inPages(store, 'domain_events', '', idBound('msg', before), async (tx, page) => {
    const unneeded = await tx
      .deleteFrom('domain_events')
      .where('id', 'in', page)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('webhook_subscriptions')
              .innerJoin('webhook_deliveries', (join) =>
                join.on('webhook_deliveries.id', '=', deliveryIdOf('webhook_subscriptions.id', 'domain_events.id')),
              )
              .select('webhook_deliveries.id')
              .whereRef('webhook_subscriptions.account_id', '=', 'domain_events.account_id'),
          ),
        ),
      )
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('outbox').select('event_id').whereRef('outbox.event_id', '=', 'domain_events.id'))),
      )
      .returning('id')
      .execute()
    return unneeded.length
  })
}

/** In small batches, so that writers in between do not wait. */
async function inPages(
  store: Store,
  table: 'webhook_deliveries' | 'domain_events',
  first: string,
  end: string,
  remove: (tx: Tx, ids: readonly string[]) => Promise<number>,
): Promise<number> {
  let removed = 0
  for (let from = first; ;) {
    const page = await store.read
      .selectFrom(table)
      .select('id')
      .where('id', '>', from)
      .where('id', '<', end)
      .orderBy('id')
      .limit(batchMax)
      .execute()
    const ids = page.map(({ id }) => id)
    if (ids.length > 0) removed += await store.write((tx) => remove(tx, ids))
    if (ids.length < batchMax) return removed
    from = ids.at(-1) ?? end
  }
}

export interface WebhooksParts extends Omit<WebhooksDeps, 'vault' | 'vet'>, DispatcherDeps {
  outbound: Pick<Outbound, 'vet' | 'request'>
  settings: DispatcherDeps['settings'] & Pick<Config, 'webhookRetentionDays'>
}

export type Webhooks = ReturnType<typeof createWebhooks>

export function createWebhooks(parts: WebhooksParts) {
  const { store, clock, ids, cursors, outbound, settings, secrets, audit, baseUrl } = parts
  const deps: WebhooksDeps = {
    store,
    clock,
    ids,
    cursors,
    vault: createVault(secrets, ids),
    vet: (url) => outbound.vet(url),
    audit,
    baseUrl,
  }
  return {
    ...createDispatcher(parts),
    /** What the operations of this area are bound to. */
    deps,
    /** Removes what is old; gives how many rows went. */
    sweep: () => sweepWebhooks(store, settings.webhookRetentionDays, clock.now()),
  }
}
