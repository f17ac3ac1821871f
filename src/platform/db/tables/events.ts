// Rows of domain events and their outbox (spec 6); migration 006-events.

export interface EventTables {
  domain_events: DomainEventRow
  outbox: OutboxRow
  jobs: JobRow
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
