// Joins the parts of the webhooks area: what its operations are bound to, the dispatcher, and what others tell it.
import type { Clock } from '../platform/clock.ts'
import type { Cursors } from '../platform/cursor.ts'
import type { Ids } from '../platform/ids.ts'
import type { Outbound } from '../platform/egress/outbound.ts'
import type { Store } from '../platform/db/store.ts'
import type { Audit, WebhooksDeps } from './deps.ts'
import { createDispatcher } from './dispatcher.ts'
import { createEndpoints, type CredentialScopes } from './endpoints.ts'
import { createMetrics, type WebhookGauge } from './metrics.ts'
import { sweepWebhooks } from './retention.ts'
import { createVault } from '../platform/vault.ts'

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
  gauges(): Readonly<Record<string, WebhookGauge>>
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
