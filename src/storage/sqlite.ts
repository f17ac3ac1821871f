// The embedded store: SQLite in WAL mode with every commit synced, one writing connection and one that only reads what is
// committed. A read on the writer would see a neighbour's open savepoint.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../kernel/clock.ts'
import { systemClock } from '../kernel/clock.ts'
import { databaseFile, lockDirectory, prepareDirectory } from './data-directory.ts'
import { createDoorbell } from './doorbell.ts'
import { groupCommit } from './group-commit.ts'
import type { MigrationTarget } from './migrations.ts'
import { migrate } from './migrations.ts'
import { sqliteReader } from './sqlite-connection.ts'
import type { OutboxSettings, Store } from './store.ts'

/** How long nothing must have been written before the log is folded into the database file. */
const idleMs = 500

export interface SqliteOptions {
  outbox: OutboxSettings
  /** Holds the directory for this process (`serve`). One-shot commands leave it out and may run beside a server. */
  lock?: boolean
  clock?: Clock
}

/**
 * Opens (and creates, and migrates) the store in `dataDir`. `':memory:'` is a private store in a temporary directory that goes
 * away on close: two connections must see the same data, and a shared cache would lock whole tables against the reader.
 * Throws `StartupError` when the directory is taken, lies on a network, or holds a store of another version.
 */
export async function openSqlite(dataDir: string, { outbox, lock = false, clock = systemClock }: SqliteOptions): Promise<Store> {
  const isTemporary = dataDir === ':memory:'
  const directory = isTemporary ? temporaryDirectory() : dataDir
  prepareDirectory(directory)
  const unlock = lock ? lockDirectory(directory) : () => undefined
  const discard = () => {
    unlock()
    if (isTemporary) removeTemporary(directory)
  }
  try {
    return await openIn({ directory, synchronous: isTemporary ? 'OFF' : 'FULL', clock, outbox, discard })
  } catch (error) {
    discard()
    throw error
  }
}

interface Opening {
  directory: string
  synchronous: 'FULL' | 'OFF'
  clock: Clock
  outbox: OutboxSettings
  /** Frees the directory, after a close or a failed start. */
  discard: () => void
}

async function openIn({ directory, synchronous, clock, outbox, discard }: Opening): Promise<Store> {
  const file = join(directory, databaseFile)
  const writer = new DatabaseSync(file, { timeout: 5_000, enableForeignKeyConstraints: true })
  let reader: DatabaseSync | undefined
  try {
    writer.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=${synchronous}; PRAGMA journal_size_limit=67108864; PRAGMA temp_store=MEMORY`)
    await migrate(sqliteTarget(writer))
    reader = new DatabaseSync(file, { timeout: 5_000, readOnly: true })
    reader.exec('PRAGMA query_only=ON')
  } catch (error) {
    reader?.close()
    writer.close()
    throw error
  }
  const doorbell = createDoorbell()
  const checkpoint = whenIdle(clock, () => {
    // A write that outlives its turn can leave a transaction open here; the flush that follows it asks again.
    if (!writer.isTransaction) writer.exec('PRAGMA wal_checkpoint(PASSIVE)')
  })
  const commits = groupCommit({ db: writer, doorbell, clock, outbox, onFlushed: checkpoint.start })
  const readOnly = reader
  let closing: Promise<void> | undefined
  return {
    dialect: 'sqlite',
    read: sqliteReader(readOnly),
    write: commits.write,
    listen: doorbell.listen,
    close() {
      closing ??= commits.close().then(() => {
        checkpoint.cancel()
        readOnly.close()
        writer.close()
        discard()
      })
      return closing
    },
  }
}

/** One migration in one IMMEDIATE transaction: a second start waits for it and then finds it recorded. */
export function sqliteTarget(db: DatabaseSync): MigrationTarget {
  return {
    dialect: 'sqlite',
    read: async (sql) => db.prepare(sql).all(),
    async transaction(fn) {
      db.exec('BEGIN IMMEDIATE')
      try {
        const result = await fn(async (sql) => {
          if (sql.startsWith('SELECT')) return db.prepare(sql).all()
          db.exec(sql)
          return []
        })
        db.exec('COMMIT')
        return result
      } catch (error) {
        if (db.isTransaction) db.exec('ROLLBACK')
        throw error
      }
    },
  }
}

function whenIdle(clock: Clock, fn: () => void): { start: () => void; cancel: () => void } {
  let cancel = () => {}
  return {
    start() {
      cancel()
      cancel = clock.after(idleMs, fn)
    },
    cancel: () => cancel(),
  }
}

const temporary = new Set<string>()

function temporaryDirectory(): string {
  // One exit hook for all: a process that ends without closing leaves nothing behind.
  if (temporary.size === 0) process.once('exit', () => temporary.forEach(removeTemporary))
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-'))
  temporary.add(directory)
  return directory
}

function removeTemporary(directory: string): void {
  temporary.delete(directory)
  rmSync(directory, { recursive: true, force: true })
}
