// Opens the store that the configuration names: PostgreSQL when there is an address, else SQLite in the data directory.
import type { Clock } from '../clock.ts'
import { openSqlite } from './sqlite/sqlite.ts'
import type { OutboxSettings, Store } from './store.ts'

export interface StoreSettings {
  dataDir: string
  /** `DATABASE_URL`; null for the embedded store. */
  databaseUrl: string | null
  /** `NATS_URL`; null where nodes ring through PostgreSQL. Has no meaning on SQLite. */
  natsUrl?: string | null
  outbox: OutboxSettings
  /** True for `serve`: a second one on the same data directory is refused. Has no meaning on PostgreSQL. */
  lock?: boolean
  /** True for `serve` and `migrate`: a store of an older version is brought up to date, which others refuse. */
  migrates?: boolean
  clock?: Clock
}

/** The store, at this version. Throws `StartupError` with words for the operator. */
export async function openStore({ dataDir, databaseUrl, ...options }: StoreSettings): Promise<Store> {
  if (databaseUrl === null) return openSqlite(dataDir, options)
  // The driver is not loaded where nobody needs it.
  const { openPostgres } = await import('./postgres/postgres.ts')
  return openPostgres(databaseUrl, options)
}
