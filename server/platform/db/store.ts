// The store as features see it: typed queries on committed data, one way to write, and a doorbell that rings after commit.
import type { Kysely, Transaction } from 'kysely'
import type { Health } from '../away.ts'
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
  /** What it was asked in vain. Its own failures that are nobody's fault come as `temporarily_unavailable`. */
  readonly health: Pick<Health, 'failures' | 'fault'>
  /** Calls `listener` for every topic that starts with `prefix`. The returned function stops it. */
  listen(prefix: string, listener: (topic: Topic) => void): () => void
  /** Finishes what is queued and closes every connection. */
  close(): Promise<void>
}

/** A write whose query failed is rolled back even if it caught the error: PostgreSQL commits nothing after a failed statement. */
export function caughtFailure(cause: unknown): Error {
  return new Error('A query of this write failed and its error was caught; let it throw.', { cause })
}

/** The store cannot be used as it is; `message` says why and what to do, and is all that the command line prints. */
export class StartupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartupError'
  }
}

// What a transaction carries besides its connection: the bell that rings once it has committed, and where domain events go.
// Kept beside the handle so that `append(tx, event)` needs neither from every caller.

export interface TransactionContext {
  ring: Ring
  outbox: OutboxSettings
}

const contexts = new WeakMap<Tx, TransactionContext>()

/** Called by the stores, once per transaction. */
export function bindContext(tx: Tx, context: TransactionContext): void {
  contexts.set(tx, context)
}

export function contextOf(tx: Tx): TransactionContext {
  const context = contexts.get(tx)
  if (context === undefined) throw new Error('Pass the transaction that `write` gave, not one derived from it.')
  return context
}

/** Tells listeners on every node after `tx` has committed. */
export function ringAfter(tx: Tx, topic: Topic): void {
  contextOf(tx).ring(topic)
}

// The doorbell: after a commit it tells listeners which topics changed. A ring is a hint and may be lost; the store is the truth.

export type Ring = (topic: Topic) => void

export interface Doorbell {
  listen(prefix: string, listener: Ring): () => void
  /** Calls every listener whose prefix fits, once per distinct topic. A listener that throws silences nobody else. */
  ring(topics: Iterable<Topic>): void
}

export function createDoorbell(): Doorbell {
  const listeners = new Map<symbol, { prefix: string; listener: Ring }>()
  return {
    listen(prefix, listener) {
      const key = Symbol(prefix)
      listeners.set(key, { prefix, listener })
      return () => void listeners.delete(key)
    },
    ring(topics) {
      for (const topic of new Set(topics)) {
        for (const { prefix, listener } of listeners.values()) {
          if (topic.startsWith(prefix)) call(listener, topic)
        }
      }
    },
  }
}

function call(listener: Ring, topic: Topic): void {
  try {
    listener(topic)
  } catch (error) {
    process.emitWarning(`A listener of "${topic}" threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
}

// Callers that come at the same time share one round trip: what a crowd asks for one by one costs the database as much as what a few
// ask. Nobody waits when nothing is under way.

/**
 * `work` gets the items of one turn, and those that came while the batch before was under way, so many at once; its results stand in their
 * order.
 */
export function together<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  { itemsMax }: { itemsMax: number },
): (item: Item) => Promise<Result> {
  interface Caller {
    item: Item
    resolve(result: Result): void
    reject(error: unknown): void
  }
  const queue: Caller[] = []
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || queue.length === 0) return
    isScheduled = true
    setImmediate(() => void flush())
  }

  async function flush(): Promise<void> {
    const callers = queue.splice(0, itemsMax)
    try {
      const results = await work(callers.map(({ item }) => item))
      if (results.length !== callers.length) throw new Error(`${results.length} results for ${callers.length} items.`)
      results.forEach((result, at) => callers[at]?.resolve(result))
    } catch (error) {
      for (const { reject } of callers) reject(error)
    }
    isScheduled = false
    schedule()
  }

  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    queue.push({ item, resolve, reject })
    schedule()
    return promise
  }
}
