// What the operations of webhooks need; `create-webhooks.ts` builds it, and the composition root joins the ports.
import type { Clock } from '../kernel/clock.ts'
import type { Cursors } from '../kernel/cursor.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Call } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import type { Vault } from '../kernel/vault.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Store, Tx } from '../storage/store.ts'

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
