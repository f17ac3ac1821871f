// The store as features see it: typed queries on committed data, one way to write, and a doorbell that rings after commit.
import type { Kysely, Transaction } from 'kysely'
import type { Lifeline } from './postgres/lifeline.ts'
import type { Tables } from './tables.ts'

export type Reader = Kysely<Tables>
export type Tx = Transaction<Tables>

/** Something changed: `run:<id>`, `commands:<runId>`, `outbox`, `credentials`. A hint, coalesced and possibly lost; the store is the truth. */
export type Topic = string

/** Where domain events go: every append leaves one row for each consumer. */
export interface OutboxSettings {
  /** For `roomUrl` in the body of an event. */
  baseUrl: string
  consumers: readonly string[]
}

/** What a write need not have; each makes it cheaper on PostgreSQL, and nothing of it changes SQLite. */
export interface WriteManner {
  /** Every statement finds its rows by a key, whatever the tables hold: PostgreSQL plans each text once for a connection. */
  isByKey?: boolean
}

export interface Store {
  readonly dialect: 'sqlite' | 'postgres'
  /** Reads committed data only. */
  readonly read: Reader
  /**
   * Runs `fn` in a transaction and resolves once it is durable. On SQLite, callers of one tick share one commit, each in its
   * own savepoint; on PostgreSQL `fn` may run again after a serialisation failure, so it has no effects outside `tx`, and it
   * awaits nothing but `tx`. `ring` tells listeners on every node, after the commit.
   */
  write<T>(fn: (tx: Tx, ring: (topic: Topic) => void) => Promise<T>, manner?: WriteManner): Promise<T>
  /** Tells listeners on every node what no write tells: a wish for work that the store shows anyway. */
  ring(topic: Topic): void
  /**
   * The same data through connections of their own, for what keeps talks going: a crowd that has taken the others cannot hold it
   * up. Absent where all share one (SQLite).
   */
  readonly urgent?: Pick<Store, 'read' | 'write'>
  /** Shows the other processes that the one of this name lives. Absent where leases alone tell (SQLite). */
  lifeline?(name: string): Lifeline
  /** Calls `listener` for every topic that starts with `prefix`. The returned function stops it. */
  listen(prefix: string, listener: (topic: Topic) => void): () => void
  /** Finishes what is queued and closes every connection. */
  close(): Promise<void>
}

/** A write whose query failed is rolled back even if it caught the error: PostgreSQL commits nothing after a failed statement. */
export function caughtFailure(cause: unknown): Error {
  return new Error('A query of this write failed and its error was caught; let it throw.', { cause })
}

// What stops a start, in words for the operator: the command line prints the message alone, without a stack.

/** The store cannot be used as it is; `message` says why and what to do. */
export class StartupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartupError'
  }
}
