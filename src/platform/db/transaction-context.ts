// What a transaction carries besides its connection: the bell that rings once it has committed, and where domain events go.
// Kept beside the handle so that `append(tx, event)` needs neither from every caller.
import type { Ring } from './bell/doorbell.ts'
import type { OutboxSettings, Topic, Tx } from './store.ts'

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
