// Every row of every table, for tests that look for what must not be kept anywhere.
import { sql } from 'kysely'
import type { Store } from '../../server/platform/db/store.ts'

/** By the name of the table. */
export async function everyRow(store: Store): Promise<Map<string, Record<string, unknown>[]>> {
  const catalog = {
    sqlite: sql`SELECT name FROM sqlite_master WHERE type = 'table'`,
    postgres: sql`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  }
  const { rows } = await catalog[store.dialect].execute(store.read)
  const names = (rows as { name: string }[]).map(({ name }) => name).filter((name) => !name.startsWith('sqlite_'))
  const dump = async (name: string) =>
    [name, (await sql<Record<string, unknown>>`SELECT * FROM ${sql.table(name)}`.execute(store.read)).rows] as const
  return new Map(await Promise.all(names.map(dump)))
}
