// The embedded store: SQLite in WAL mode with every commit synced, one writing connection and one that only reads what is
// committed. A read on the writer would see a neighbour's open savepoint.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fsyncSync,
  mkdirSync,
  openSync,
  statSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createHealth, type OnAway } from '../away.ts'
import { type Clock, systemClock } from '@rostrum/base/clock'
import { migrate, type MigrationTarget, stateOf } from './migrations.ts'
import { groupCommit, sqliteReader, turnSnapshot } from './sqlite-connections.ts'
import { createDoorbell, type OutboxSettings, StartupError, type Store } from './store.ts'

// The data directory of an embedded store: made private, refused on network file systems, and held by one `serve` at a time.

export const databaseFile = 'rostrum.db'
export const lockFile = 'lock.db'
/** Where the process that holds the directory listens, for commands beside it. */
export const addressFile = 'address'

/** File system magic numbers (statfs(2)) on which SQLite's locks cannot be trusted. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p'],
])

/** Creates the directory with mode 0700; refuses one that cannot be written or lies on a network. */
export function prepareDirectory(dataDir: string, fileSystemType: (path: string) => number = (path) => statfsSync(path).type): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.W_OK)
  } catch (error) {
    throw new StartupError(`${unusable(dataDir, error)} ROSTRUM_DATA_DIR names the directory for its data.`, { cause: error })
  }
  const network = networkFileSystems.get(fileSystemType(dataDir) >>> 0)
  if (network === undefined) return
  throw new StartupError(
    `${dataDir} lies on a network file system (${network}), where SQLite loses data. Choose a local directory with ROSTRUM_DATA_DIR, or set DATABASE_URL to use PostgreSQL.`,
  )
}

function unusable(dataDir: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EEXIST' || code === 'ENOTDIR')
    return `${dataDir} cannot be used: it is a file, or lies below one, and has to be a directory.`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return `${dataDir} cannot be used: the user of this process (${process.getuid?.() ?? 'unknown'}) may not write there.`
  return `${dataDir} cannot be used: ${error instanceof Error ? error.message : String(error)}.`
}

/** Words where others on this machine may look into the directory. It is not closed: it may be one that they share. */
export function openToOthers(dataDir: string): string | undefined {
  const mode = statSync(dataDir).mode & 0o777
  if (process.platform === 'win32' || (mode & 0o077) === 0) return undefined
  return `Other users of this machine may look into ${dataDir} (mode ${mode.toString(8)}). Close it: chmod 700 ${dataDir}`
}

/** Holds the directory for this process until the returned function is called. Waits at most `waitMs` for a holder to leave. */
function lockDirectory(dataDir: string, waitMs = 0): () => void {
  const words = `Another \`rostrum serve\` is using ${dataDir}. Stop it first, or give this one a directory of its own with ROSTRUM_DATA_DIR.`
  return holdFile(join(dataDir, lockFile), words, waitMs)
}

/**
 * Until the returned function is called or the process dies, also by kill -9: the lock is the operating system's, on an open EXCLUSIVE
 * transaction. Throws a `StartupError` of these words where another has it.
 */
export function holdFile(path: string, words: string, waitMs = 0): () => void {
  if (!existsSync(path)) makeFile(path)
  const lock = new DatabaseSync(path, { timeout: waitMs })
  try {
    lock.exec('PRAGMA journal_mode=DELETE; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    throw new StartupError(words, { cause: error })
  }
  return () => {
    if (lock.isOpen) lock.close()
  }
}

/** For its owner alone from the first: SQLite gives what it makes the mode that it likes. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    // Another made it just now.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

/** Says on this machine where the holder of the directory answers. */
export function writeAddress({ dataDir, host }: { dataDir: string; host: string }, port: number): void {
  const isAny = host === '0.0.0.0' || host === '::'
  const name = isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  writeFileSync(join(dataDir, addressFile), `http://${name}:${port}\n`, { mode: 0o600 })
}

export interface SqliteOptions {
  outbox: OutboxSettings
  /** Holds the directory for this process (`serve`). One-shot commands leave it out and may run beside a server. */
  lock?: boolean
  /** Brings a store of an older version up to date, where no server uses it. Without it such a store is refused. */
  migrates?: boolean
  clock?: Clock
  /** Nothing is synced: a store that goes away with its process. */
  isPassing?: boolean
  onAway?: OnAway | undefined
}

/**
 * Opens (and creates) the store in `dataDir`.
 * Throws `StartupError` when the directory is taken, lies on a network, or holds a store of another version.
 */
export async function openSqlite(
  dataDir: string,
  { outbox, lock = false, migrates = false, clock = systemClock, isPassing = false, onAway }: SqliteOptions,
): Promise<Store> {
  prepareDirectory(dataDir)
  const unlock = lock ? lockDirectory(dataDir) : () => undefined
  try {
    const synchronous = isPassing ? 'OFF' : 'NORMAL'
    return await openIn({ directory: dataDir, isLocked: lock, migrates, synchronous, clock, outbox, unlock, onAway })
  } catch (error) {
    unlock()
    throw inWords(error, dataDir)
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
  /** Lets another process have the directory. */
  unlock: () => void
  onAway: OnAway | undefined
}

async function openIn({ directory, isLocked, migrates, synchronous, clock, outbox, unlock, onAway }: Opening): Promise<Store> {
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
  const readOnly = reader
  const snapshot = turnSnapshot(readOnly)
  const log = synchronous === 'NORMAL' ? syncedLog(writer, file) : null
  const health = createHealth(onAway)
  const commits = groupCommit({
    db: writer,
    doorbell,
    clock,
    outbox,
    sync: log?.sync ?? null,
    onCommitted: snapshot.end,
    health,
  })
  const read = sqliteReader(readOnly, { snapshot, unsynced: commits.unsynced, health })
  let closing: Promise<void> | undefined
  return {
    dialect: 'sqlite',
    read,
    write: commits.write,
    ring: (topic) => doorbell.ring([topic]),
    listen: doorbell.listen,
    health,
    close() {
      closing ??= commits.close().then(() => {
        snapshot.end()
        readOnly.close()
        log?.close()
        writer.close()
        unlock()
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

// Commits of the embedded store on the disk without holding up the loop: SQLite would sync its log inside COMMIT; here it leaves
// that to us (`synchronous=NORMAL` still orders the log before the database file), and nobody is told, and nobody reads, before
// the log is synced by another thread. What survives is what survives with `synchronous=FULL`.

/** Of a connection with `synchronous=NORMAL`. */
function syncedLog(db: DatabaseSync, databaseFile: string) {
  // A first read makes the log where there is none.
  db.exec('BEGIN IMMEDIATE; COMMIT')
  const log = openSync(`${databaseFile}-wal`, 'r+')
  syncDirectory(dirname(databaseFile))
  return {
    /** Resolves when everything committed before is on the disk. */
    sync(): Promise<void> {
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

// Opens the store that the configuration names: PostgreSQL when there is an address, else SQLite in the data directory.

export interface StoreSettings extends Omit<SqliteOptions, 'isPassing'> {
  dataDir: string
  /** `DATABASE_URL`, where `lock` has no meaning; null for the embedded store. */
  databaseUrl: string | null
  /** `NATS_URL`; null where nodes ring through PostgreSQL. Has no meaning on SQLite. */
  natsUrl?: string | null
}

/** The store, at this version. Throws `StartupError` with words for the operator. */
export async function openStore({ dataDir, databaseUrl, ...options }: StoreSettings): Promise<Store> {
  if (databaseUrl === null) return openSqlite(dataDir, options)
  // The driver is not loaded where nobody needs it.
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres(databaseUrl, options)
}
