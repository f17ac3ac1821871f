// The embedded store: SQLite in WAL mode with every commit synced, one writing connection and one that only reads what is
// committed. A read on the writer would see a neighbour's open savepoint.
import { chmodSync, closeSync, fdatasync, fsyncSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Clock, systemClock } from '../../clock.ts'
import { createDoorbell } from '../bell/doorbell.ts'
import { migrate, type MigrationTarget, stateOf } from '../migrations.ts'
import { type OutboxSettings, StartupError, type Store } from '../store.ts'
import { databaseFile, lockDirectory, prepareDirectory } from './data-directory.ts'
import { groupCommit } from './group-commit.ts'
import { sqliteReader, turnSnapshot } from './sqlite-connection.ts'

/** How long nothing must have been written before the log is folded into the database file. */
const idleMs = 500
/** How often commits of other processes are looked for. */
const lookEveryMs = 250

export interface SqliteOptions {
  outbox: OutboxSettings
  /** Holds the directory for this process (`serve`). One-shot commands leave it out and may run beside a server. */
  lock?: boolean
  /** Brings a store of an older version up to date, where no server uses it. Without it such a store is refused. */
  migrates?: boolean
  clock?: Clock
}

/**
 * Opens (and creates) the store in `dataDir`. `':memory:'` is a private store in a temporary directory that goes
 * away on close: two connections must see the same data, and a shared cache would lock whole tables against the reader.
 * Throws `StartupError` when the directory is taken, lies on a network, or holds a store of another version.
 */
export async function openSqlite(
  dataDir: string,
  { outbox, lock = false, migrates = false, clock = systemClock }: SqliteOptions,
): Promise<Store> {
  const isTemporary = dataDir === ':memory:'
  const directory = isTemporary ? temporaryDirectory() : dataDir
  prepareDirectory(directory)
  const unlock = lock ? lockDirectory(directory) : () => undefined
  const discard = () => {
    unlock()
    if (isTemporary) removeTemporary(directory)
  }
  try {
    return await openIn({ directory, isLocked: lock, migrates, synchronous: isTemporary ? 'OFF' : 'NORMAL', clock, outbox, discard })
  } catch (error) {
    discard()
    throw inWords(error, directory)
  }
}

interface Opening {
  directory: string
  /** This process holds the directory. */
  isLocked: boolean
  migrates: boolean
  /** `NORMAL`: each migration is whole or not there, and all are on the disk with the first write, which is synced below. */
  synchronous: 'NORMAL' | 'OFF'
  clock: Clock
  outbox: OutboxSettings
  /** Frees the directory, after a close or a failed start. */
  discard: () => void
}

async function openIn({ directory, isLocked, migrates, synchronous, clock, outbox, discard }: Opening): Promise<Store> {
  const file = join(directory, databaseFile)
  const writer = new DatabaseSync(file, { timeout: 5_000, enableForeignKeyConstraints: true })
  let reader: DatabaseSync | undefined
  try {
    chmodSync(file, 0o600)
    writer.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=${synchronous}; PRAGMA journal_size_limit=67108864; PRAGMA temp_store=MEMORY`)
    await bringUpToDate(writer, { directory, isLocked, migrates })
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
  const readOnly = reader
  const snapshot = turnSnapshot(readOnly)
  const log = synchronous === 'NORMAL' ? syncedLog(writer, file) : null
  const commits = groupCommit({
    db: writer,
    doorbell,
    clock,
    outbox,
    sync: log?.sync ?? null,
    onCommitted: snapshot.end,
    onFlushed: checkpoint.start,
  })
  const read = sqliteReader(readOnly, snapshot, commits.unsynced)
  const stopWatching = synchronous === 'OFF' ? () => undefined : watchOthers(writer, () => doorbell.ring(['credentials']))
  let closing: Promise<void> | undefined
  return {
    dialect: 'sqlite',
    read,
    write: commits.write,
    ring: (topic) => doorbell.ring([topic]),
    listen: doorbell.listen,
    close() {
      closing ??= commits.close().then(() => {
        checkpoint.cancel()
        stopWatching()
        snapshot.end()
        readOnly.close()
        log?.close()
        writer.close()
        discard()
      })
      return closing
    },
  }
}

/** A command beside a server never changes the tables under it: only who holds the directory, if for a moment, migrates. To set an empty one up harms nobody. */
async function bringUpToDate(
  db: DatabaseSync,
  { directory, isLocked, migrates }: Pick<Opening, 'directory' | 'isLocked' | 'migrates'>,
): Promise<void> {
  const target = sqliteTarget(db)
  const isMigration = migrates && !isLocked && (await stateOf(target)) === 'older'
  const unlock = isMigration ? lockForMigration(directory) : () => undefined
  try {
    await migrate(target, { migrates })
  } finally {
    unlock()
  }
}

function lockForMigration(directory: string): () => void {
  try {
    return lockDirectory(directory, 1_000)
  } catch (error) {
    const words = `The store in ${directory} is of an older version, and a \`rostrum serve\` of that version is using it. Restart that server with this version first.`
    throw new StartupError(words, { cause: error })
  }
}

/** SQLITE_READONLY, SQLITE_CORRUPT, SQLITE_CANTOPEN and SQLITE_NOTADB: the file, not the program, is at fault. */
const fileFaults: ReadonlySet<unknown> = new Set([8, 11, 14, 26])

function inWords(error: unknown, directory: string): unknown {
  if (!(error instanceof Error && 'errcode' in error && fileFaults.has(Number(error.errcode) & 0xff))) return error
  return new StartupError(`The store in ${directory} cannot be opened: ${error.message}. Check its permissions, or restore a backup.`, {
    cause: error,
  })
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

/** A command beside the server rings no bell here: that it has committed anything is seen by looking, and credentials may be what it ended. */
function watchOthers(db: DatabaseSync, tell: () => void): () => void {
  // Of the connection that writes, which counts the commits of others alone.
  const version = db.prepare('PRAGMA data_version')
  const read = () => Number(version.get()?.['data_version'])
  let known = read()
  const look = () => {
    try {
      const present = read()
      if (present !== known) tell()
      known = present
    } catch {
      // Busy or failing: the next look tells.
    }
  }
  const timer = setInterval(look, lookEveryMs).unref()
  return () => clearInterval(timer)
}

/** One timer for any number of starts: a timer for each would cost a write more than it brings. */
function whenIdle(clock: Clock, fn: () => void): { start: () => void; cancel: () => void } {
  let cancel: (() => void) | undefined
  let startedAt = 0
  const look = () => {
    const waited = clock.elapsed() - startedAt
    cancel = waited < idleMs ? clock.after(idleMs - waited, look) : undefined
    if (cancel === undefined) fn()
  }
  return {
    start() {
      startedAt = clock.elapsed()
      cancel ??= clock.after(idleMs, look)
    },
    cancel: () => cancel?.(),
  }
}

const temporary = new Set<string>()
let isHooked = false

function temporaryDirectory(): string {
  // One exit hook for all: a process that ends without closing leaves nothing behind.
  if (!isHooked) process.once('exit', () => temporary.forEach(removeTemporary))
  isHooked = true
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-'))
  temporary.add(directory)
  return directory
}

function removeTemporary(directory: string): void {
  temporary.delete(directory)
  rmSync(directory, { recursive: true, force: true })
}

// Commits of the embedded store on the disk without holding up the loop: SQLite would sync its log inside COMMIT; here it leaves
// that to us (`synchronous=NORMAL` still orders the log before the database file), and nobody is told, and nobody reads, before
// the log is synced by another thread. What survives is what survives with `synchronous=FULL`.

export interface SyncedLog {
  /** Resolves when everything committed before is on the disk. */
  sync(): Promise<void>
  close(): void
}

/** Of a connection with `synchronous=NORMAL`. */
function syncedLog(db: DatabaseSync, databaseFile: string): SyncedLog {
  // A first read makes the log where there is none.
  db.exec('BEGIN IMMEDIATE; COMMIT')
  const log = openSync(`${databaseFile}-wal`, 'r+')
  syncDirectory(dirname(databaseFile))
  return {
    sync() {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      fdatasync(log, (error) => (error === null ? resolve() : reject(error)))
      return promise
    },
    close: () => closeSync(log),
  }
}

/** The name of a new log is on the disk only with its directory; Windows neither needs nor allows it. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
