// Rows of the tables that are nobody's in particular. Each area adds its own to `Tables`, beside the types of their rows.
import type { WebhookFormat } from '@rostrum/contract/events'

export interface Tables {
  domain_events: DomainEventRow
  outbox: OutboxRow
  jobs: JobRow
  secret_canary: CanaryRow
  idempotency: IdempotencyRow
  webhook_subscriptions: SubscriptionRow
  webhook_deliveries: DeliveryRow
  webhook_attempts: AttemptRow
}

/** There is one. */
interface CanaryRow {
  number: number
  sealed: Uint8Array
}

export interface IdempotencyRow {
  /** SHA-256 of credential, operation and key. */
  id: string
  body_hash: string
  status: number
  /** JSON `{ headers, body }`; while the first call runs, the token of its claim. */
  response: string
  expires_at: number
}

export interface DomainEventRow {
  /** `msg_` and 32 hex digits of a version 7 UUID: the `webhook-id` of every attempt. */
  id: string
  account_id: string
  session_id: string
  /** Gapless from 1 within the session, in commit order. */
  sequence: number
  type: string
  at: number
  dedupe_key: string
  /** The exact JSON text that every attempt sends. */
  body: string
  /** When personal data was erased from `body`. */
  scrubbed_at: number | null
}

/** One event that one consumer has still to take; deleting the row moves its cursor. */
export interface OutboxRow {
  consumer: string
  event_id: string
}

/** Work to do (`storage/jobs.ts`). */
export interface JobRow {
  kind: string
  /** There is one job of a kind and a key. */
  key: string
  data: string
  /** Waiting: when it is due. Held: when its lease ends. */
  due_at: number
  failures: number
  /** Random for each claim; null while it waits. */
  lease_token: string | null
}

// Rows of webhook subscriptions, deliveries and attempts (Spec 2.9, 3.3).

export interface SubscriptionRow {
  /** `wh_` and 32 hex digits of a version 7 UUID. */
  id: string
  account_id: string
  /** Only events of this session; null: of every session of the account. */
  session_id: string | null
  url: string
  /** In whose form it posts. */
  format: WebhookFormat
  /** What `hubspot` is asked with, encrypted as `secret` is. */
  token: Uint8Array | null
  /** JSON array of event types, in the order of the specification. */
  event_types: string
  description: string | null
  disabled_reason: 'manual' | 'gone' | 'failures' | 'owner_revoked' | null
  /** The credential that answers for it; null: a signed-in person, so the account itself. */
  owner_credential_id: string | null
  /** Encrypted under a key of `ROSTRUM_SECRET`, bound to the id. */
  secret: Uint8Array
  secret_hint: string
  /** Signs beside `secret` until the grace ends. */
  previous_secret: Uint8Array | null
  previous_secret_until: number | null
  /** Encrypted seed of the Ed25519 key, kept when switched off; `public_key` is null while it does not sign. */
  ed25519_seed: Uint8Array | null
  public_key: string | null
  /** Deliveries dead-lettered since the last success. */
  dead_letters: number
  failing_since: number | null
  created_at: number
  updated_at: number
  deleted_at: number | null
}

export interface DeliveryRow {
  /** `dlv_`, the digits of the subscription and those of the event (`storage/delivery-id.ts`). */
  id: string
  subscription_id: string
  /** Of the domain event; of no row for `webhook.test`. */
  event_id: string
  type: string
  status: 'pending' | 'in_flight' | 'retry_scheduled' | 'succeeded' | 'failed' | 'skipped' | 'canceled'
  trigger: 'automatic' | 'manual' | 'recover' | 'test'
  /** Failed attempts of the present chain of three. */
  chain_attempt: number
  attempts: number
  /** Attempts that were cut off by the death of a process. */
  interrupted: number
  /** Waiting: when it is due. In flight: when its lease ends. Null in every other state. */
  due_at: number | null
  /** Where a manual attempt that fails goes back to. */
  resume_status: DeliveryRow['status'] | null
  resume_at: number | null
  /** Random for each claim; every later write names it. */
  lease_token: string | null
  /** When it was claimed last. */
  claimed_at: number | null
  last_reason: string | null
  last_http_status: number | null
  /** Of a first attempt that succeeded, as in `AttemptRow`; it began at `claimed_at`. */
  response_head: string | null
  peer: string | null
  /** The body of a `webhook.test`; every other body is its event's. */
  test_body: string | null
  created_at: number
  finished_at: number | null
}

/** One HTTP try of a delivery. A first that succeeds is kept in its delivery, and has no row until there is a second. */
export interface AttemptRow {
  delivery_id: string
  /** From 1, interrupted attempts counted. */
  n: number
  trigger: DeliveryRow['trigger']
  started_at: number
  ended_at: number
  outcome: 'succeeded' | 'failed' | 'blocked' | 'interrupted'
  reason: string | null
  http_status: number | null
  /** First 4 KiB of the answer as text. */
  response_head: string | null
  /** The address that was dialled; for the operator, never on the wire. */
  peer: string | null
}
