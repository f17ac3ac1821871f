// Writes at once on PostgreSQL in an order that the test sets: one stays open until the others wait for it.
import { sql } from 'kysely'
import type { Store } from '../../server/platform/db/store.ts'
import type { OpenStore } from './stores.ts'

/** Resolves when each of `works` waits for a lock or is settled; gives how many wait. */
export async function untilHeldUp(store: Store, ...works: readonly Promise<unknown>[]): Promise<number> {
  let running = works.length
  for (const work of works)
    void work.then(
      () => running--,
      () => running--,
    )
  for (;;) {
    const { rows } = await sql<{ count: number }>`SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event IN ('transactionid', 'tuple', 'relation')`.execute(
      store.read,
    )
    if ((rows[0]?.count ?? 0) >= running) return running
  }
}

/** Stores where a write that would be tried again fails: nothing on them may run into a deadlock. */
export function eachTriedOnce(open: OpenStore): OpenStore {
  return async (time) => {
    const opened = await open(time)
    return { ...opened, store: triedOnce(opened.store) }
  }
}

function triedOnce({ urgent, ...store }: Store): Store {
  const once = (write: Store['write']): Store['write'] => {
    return (fn, manner) => {
      let tries = 0
      return write((tx, ring) => {
        if (tries++ > 0) throw new Error('A write is tried again.')
        return fn(tx, ring)
      }, manner)
    }
  }
  return { ...store, write: once(store.write), ...(urgent && { urgent: { read: urgent.read, write: once(urgent.write) } }) }
}
