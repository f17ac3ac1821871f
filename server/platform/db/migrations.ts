// Numbered SQL files, run once each and recorded with a hash: an empty store gets all in one transaction, an older one each in its
// own. A file that changed after it ran, or a store written by a newer version, stops the start. Words in braces make one file serve
// both databases.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { StartupError } from './store.ts'

export type Dialect = 'sqlite' | 'postgres'

export interface Migration {
  number: number
  /** `001-initial` */
  name: string
  sql: string
  /** SHA-256 of the file, in hex. */
  hash: string
}

/** What the runner needs of a database. `transaction` holds a lock, so that two starts never run the same file. */
export interface MigrationTarget {
  dialect: Dialect
  read(sql: string): Promise<Row[]>
  transaction<T>(fn: (run: (sql: string) => Promise<Row[]>) => Promise<T>): Promise<T>
}
export type Row = Record<string, unknown>

const folder = new URL('./migrations/', import.meta.url)
const keyed = 'STRICT, WITHOUT ROWID'
const typeWords: Readonly<Record<Dialect, Readonly<Record<string, string>>>> = {
  // `keyed` ends a table of many rows that are found by their key: one tree holds both.
  sqlite: { id: 'TEXT', text: 'TEXT', int: 'INTEGER', blob: 'BLOB', keyed },
  postgres: { id: 'TEXT COLLATE "C"', text: 'TEXT', int: 'BIGINT', blob: 'BYTEA', keyed: '' },
}

/** The files of this version, in order. */
export function readMigrations(from: URL = folder): Migration[] {
  const names = readdirSync(from)
    .filter((file) => file.endsWith('.sql'))
    .sort()
  return names.map((file) => {
    const sql = readFileSync(new URL(file, from), 'utf8')
    return { number: Number.parseInt(file, 10), name: file.slice(0, -4), sql, hash: createHash('sha256').update(sql).digest('hex') }
  })
}

/** Puts in the type words and, on SQLite, makes every table STRICT (a table ends with `);` on a line of its own). */
export function translate(sql: string, dialect: Dialect): string {
  const typed = sql.replaceAll(/\{(\w+)\}/g, (whole, word: string) => {
    const type = typeWords[dialect][word]
    if (type === undefined) throw new Error(`Unknown type word ${whole} in a migration.`)
    return type
  })
  return dialect === 'sqlite' ? typed.replaceAll(/^\);/gm, ') STRICT;') : typed
}

/**
 * Sets an empty store up, and brings one of an older version up to this one where the caller `migrates`; others are refused, for
 * processes of that version may be at work on it and could not be started again. Returns the names of the files it ran.
 */
export async function migrate(
  target: MigrationTarget,
  { migrates }: { migrates: boolean },
  migrations: readonly Migration[] = readMigrations(),
): Promise<string[]> {
  const state = await stateOf(target, migrations)
  if (state === 'older' && !migrates) throw new StartupError(olderWords)
  if (state === 'ready') return []
  // As a whole: nobody who looks meanwhile takes it for one of an older version.
  if (state === 'empty') {
    const isSetUp = await target.transaction(async (run) => {
      await run(translate(recordTable, target.dialect))
      if ((await run(listRecorded)).length > 0) return false
      for (const migration of migrations) await apply(migration, target.dialect, run)
      return true
    })
    // Where it was not, somebody else has been quicker, or the look has failed.
    return isSetUp ? migrations.map(({ name }) => name) : migrate(target, { migrates }, migrations)
  }
  const ran: string[] = []
  for (const migration of migrations) {
    const isNew = await target.transaction(async (run) => {
      const recorded = await run(listRecorded)
      checkHistory(recorded, migrations)
      if (recorded.some((row) => Number(row['number']) === migration.number)) return false
      await apply(migration, target.dialect, run)
      return true
    })
    if (isNew) ran.push(migration.name)
  }
  return ran
}

async function apply({ number, name, sql, hash }: Migration, dialect: Dialect, run: (sql: string) => Promise<Row[]>): Promise<void> {
  await run(translate(sql, dialect))
  await run(`INSERT INTO migrations (number, name, hash) VALUES (${number}, '${name}', '${hash}')`)
}

const olderWords =
  'The store is of an older version of Rostrum. Stop the processes of that version, then run `rostrum migrate` or start `rostrum serve` of this one: either brings the store up to date.'

/** Asked first without a lock, so that a command beside a busy server waits for nobody. Throws as `checkHistory` does. */
export async function stateOf(
  target: MigrationTarget,
  migrations: readonly Migration[] = readMigrations(),
): Promise<'empty' | 'older' | 'ready'> {
  // An empty store has no such table; whatever else is wrong shows in the transaction that follows.
  const recorded = await target.read(listRecorded).catch(() => [])
  checkHistory(recorded, migrations)
  return recorded.length === 0 ? 'empty' : recorded.length < migrations.length ? 'older' : 'ready'
}

export const listRecorded = 'SELECT number, name, hash FROM migrations ORDER BY number'
const recordTable = `CREATE TABLE IF NOT EXISTS migrations (
  number {int} PRIMARY KEY,
  name {text} NOT NULL,
  hash {text} NOT NULL
);`

/** Throws `StartupError` when the store was made by a newer version or with a file that has changed since. */
export function checkHistory(recorded: readonly Row[], migrations: readonly Migration[]): void {
  for (const row of recorded) {
    const known = migrations.find((migration) => migration.number === Number(row['number']))
    const name = String(row['name'])
    if (known === undefined) {
      throw new StartupError(
        `The store was written by a newer version of Rostrum (it has migration ${name}). Start that version, or restore a backup made by this one.`,
      )
    }
    if (known.hash !== row['hash']) {
      throw new StartupError(
        `Migration ${name} is not the one this store was made with. Start the version that made the store, or begin with an empty one.`,
      )
    }
  }
}
