// What the operations of webhooks need; `create-webhooks.ts` builds it, and the composition root joins the ports.
import type { Clock } from '../platform/clock.ts'
import type { Cursors } from '../platform/cursor.ts'
import type { Ids } from '../platform/ids.ts'
import type { Call } from '../platform/operation.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import type { Vault } from '../platform/vault.ts'
import type { Outbound } from '../platform/egress/outbound.ts'
import type { Store, Tx } from '../platform/db/store.ts'

/** Writes an act into the audit log, in the transaction of the act; `auth` keeps it. */
export type Audit = (tx: Tx, call: Call<AccountPrincipal>, act: WebhookAct) => Promise<void>

export interface WebhookAct {
  /** `webhook.created`. */
  action: string
  accountId: string
  target: { kind: 'webhook'; id: string }
  /** Never the secret. */
  data: Readonly<Record<string, unknown>>
}

export interface WebhooksDeps {
  store: Store
  clock: Clock
  ids: Ids
  cursors: Cursors
  vault: Vault
  /** Refuses what an attempt would refuse. */
  vet: Outbound['vet']
  audit: Audit
}
