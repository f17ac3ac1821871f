// Locks of rows, until the end of the transaction that reads them. SQLite writes one at a time and knows none.
import { PostgresAdapter, type SelectQueryBuilder, sql } from 'kysely'
import type { Reader, Tx } from './store.ts'
import type { Tables } from './tables.ts'

type Rows<Of extends keyof Tables, Found> = SelectQueryBuilder<Tables, Of, Found>

const knowsLocks = (db: Reader | Tx): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** Nobody else changes or deletes the rows that it finds, nor holds them. */
export const held = <Of extends keyof Tables, Found>(db: Reader | Tx, query: Rows<Of, Found>): Rows<Of, Found> =>
  knowsLocks(db) ? query.forNoKeyUpdate() : query

/** Nobody deletes the rows that it finds; others may change them. */
export const remaining = <Of extends keyof Tables, Found>(db: Reader | Tx, query: Rows<Of, Found>): Rows<Of, Found> =>
  knowsLocks(db) ? query.forKeyShare() : query

/** Leaves out rows that another transaction holds, and holds the others. */
export const heldUnlessTaken = <Of extends keyof Tables, Found>(db: Reader | Tx, query: Rows<Of, Found>): Rows<Of, Found> =>
  knowsLocks(db) ? query.forUpdate().skipLocked() : query

/** Nobody changes, deletes or holds the rows that it finds, as `held` does; others may keep them too. */
export const kept = <Of extends keyof Tables, Found>(db: Reader | Tx, query: Rows<Of, Found>): Rows<Of, Found> =>
  knowsLocks(db) ? query.forShare() : query

/** Nobody else goes on from here with the same word: for what is counted, and has no row to hold. */
export async function holdWord(tx: Tx, word: string): Promise<void> {
  if (knowsLocks(tx)) await sql`SELECT pg_advisory_xact_lock(hashtextextended(${word}, 0))`.execute(tx)
}
