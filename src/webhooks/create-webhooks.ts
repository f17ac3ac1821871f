// Joins the parts of the webhooks area: what its operations are bound to, the dispatcher, and what others tell it.
import type { Clock } from '../platform/clock.ts'
import type { Cursors } from '../platform/cursor.ts'
import { deliveryIdOf, deliveryRange } from '../platform/db/deliveries.ts'
import type { Store } from '../platform/db/store.ts'
import type { DeliveryRow } from '../platform/db/tables.ts'
import type { Outbound } from '../platform/egress/outbound.ts'
import type { Ids } from '../platform/ids.ts'
import type { Gauges } from '../platform/http/observe.ts'
import { createVault } from '../platform/vault.ts'
import { idBound } from './delivery.ts'
import type { Audit, WebhooksDeps } from './deps.ts'
import { createDispatcher } from './dispatcher.ts'
import { createEndpoints, type CredentialScopes } from './endpoints.ts'
import { createMetrics } from './metrics.ts'

// Removes what is old: deliveries with their attempts, and the bodies of events that nothing refers to any more. In small
// batches, so that writers in between do not wait.

const dayMs = 86_400_000
const batchMax = 500

/** One pass over everything; gives how many rows went. Dead letters are kept three times as long. */
async function sweepWebhooks(store: Store, retentionDays: number, now: number): Promise<number> {
  const keptMs = retentionDays * dayMs
  return (await sweepDeliveries(store, now - keptMs, now - 3 * keptMs)) + (await sweepEvents(store, now - keptMs))
}

type Ended = Pick<DeliveryRow, 'id' | 'status' | 'finished_at' | 'due_at'>

async function sweepDeliveries(store: Store, before: number, deadBefore: number): Promise<number> {
  let removed = 0
  const subscriptions = await store.read.selectFrom('webhook_subscriptions').select('id').execute()
  for (const { id } of subscriptions) removed += await sweepSubscription(store, id, before, deadBefore)
  return removed
}

async function sweepSubscription(store: Store, subscriptionId: string, before: number, deadBefore: number): Promise<number> {
  let removed = 0
  const { first, end } = deliveryRange(subscriptionId, { to: before })
  let from = first
  for (;;) {
    const page: Ended[] = await store.read
      .selectFrom('webhook_deliveries')
      .select(['id', 'status', 'finished_at', 'due_at'])
      .where('id', '>', from)
      .where('id', '<', end)
      .orderBy('id')
      .limit(batchMax)
      .execute()
    const old = page.filter(
      ({ status, finished_at, due_at }) => due_at === null && (finished_at ?? 0) < (status === 'failed' ? deadBefore : before),
    )
    const ids = old.map(({ id }) => id)
    if (ids.length > 0) {
      removed += await store.write(async (tx) => {
        const gone = await tx.deleteFrom('webhook_deliveries').where('id', 'in', ids).where('due_at', 'is', null).returning('id').execute()
        const goneIds = gone.map(({ id }) => id)
        if (goneIds.length > 0) await tx.deleteFrom('webhook_attempts').where('delivery_id', 'in', goneIds).execute()
        return gone.length
      })
    }
    const last = page.at(-1)
    if (page.length < batchMax || last === undefined) return removed
    from = last.id
  }
}

async function sweepEvents(store: Store, before: number): Promise<number> {
  let removed = 0
  let from = ''
  for (;;) {
    const page = await store.read
      .selectFrom('domain_events')
      .select('id')
      .where('id', '>', from)
      .where('id', '<', idBound('msg', before))
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
      .orderBy('id')
      .limit(batchMax)
      .execute()
    const ids = page.map(({ id }) => id)
    const last = ids.at(-1)
    if (last === undefined) return removed
    await store.write((tx) => tx.deleteFrom('domain_events').where('id', 'in', ids).execute())
    removed += ids.length
    if (ids.length < batchMax) return removed
    from = last
  }
}

/** The part of the configuration that this area reads. */
export interface WebhookSettings {
  /** After attempts 1 and 2. */
  webhookRetryMs: readonly number[]
  webhookTimeoutMs: number
  webhookConcurrency: number
  webhookEndpointConcurrency: number
  webhookDisableAfterMs: number
  webhookRetentionDays: number
}

export interface WebhooksParts {
  store: Store
  clock: Clock
  ids: Ids
  cursors: Cursors
  outbound: Pick<Outbound, 'vet' | 'request'>
  settings: WebhookSettings
  /** `ROSTRUM_SECRET`: the first seals, all open. */
  secrets: readonly string[]
  baseUrl: string
  version: string
  /** True where this process alone uses the store: leases of a dead one are freed at the start. */
  isAlone: boolean
  /** `auth` answers, and keeps the audit log. */
  credentialScopes: CredentialScopes
  audit: Audit
  warn(words: string, error: unknown): void
}

export interface Webhooks {
  /** What the operations of this area are bound to. */
  deps: WebhooksDeps
  gauges: Gauges
  /** Sends deliveries; roles `worker` and `all`. */
  start(): Promise<void>
  /** Resolves when everything that is due was sent and written down. */
  idle(): Promise<void>
  /** Removes what is old; gives how many rows went. */
  sweep(): Promise<number>
  close(): Promise<void>
}

/** A lease outlives the attempt by this: five seconds in the queue and ten to spare. */
const leaseMarginMs = 15_000

export function createWebhooks(parts: WebhooksParts): Webhooks {
  const { store, clock, ids, cursors, outbound, settings, secrets, baseUrl, version, isAlone, warn } = parts
  const vault = createVault(secrets, ids)
  const metrics = createMetrics(store, clock)
  const { webhookTimeoutMs: timeoutMs } = settings
  const dispatcher = createDispatcher({
    store,
    clock,
    ids,
    metrics,
    isAlone,
    warn,
    delays: settings.webhookRetryMs,
    disableAfterMs: settings.webhookDisableAfterMs,
    leaseMs: timeoutMs + leaseMarginMs,
    endpoints: createEndpoints({ store, vault, clock, credentialScopes: parts.credentialScopes }),
    attempt: {
      request: (request) => outbound.request(request),
      userAgent: `Rostrum-Webhooks/${version} (+${baseUrl}/docs/webhooks)`,
      timeoutMs,
    },
    lanes: { concurrency: settings.webhookConcurrency, endpointConcurrency: settings.webhookEndpointConcurrency },
  })
  return {
    deps: { store, clock, ids, cursors, vault, vet: (url) => outbound.vet(url), audit: parts.audit },
    gauges: metrics.gauges,
    async start() {
      await dispatcher.start()
    },
    idle: dispatcher.idle,
    sweep: () => sweepWebhooks(store, settings.webhookRetentionDays, clock.now()),
    async close() {
      await dispatcher.close()
    },
  }
}
