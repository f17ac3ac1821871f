// The data directory of an embedded store: made private, refused on network file systems, and held by one `serve` at a time.
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartupError } from '../store.ts'

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
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartupError(`${dataDir} cannot be used: ${reason}. Make it writable, or choose another directory with ROSTRUM_DATA_DIR.`, {
      cause: error,
    })
  }
  const network = networkFileSystems.get(fileSystemType(dataDir) >>> 0)
  if (network === undefined) return
  throw new StartupError(
    `${dataDir} lies on a network file system (${network}), where SQLite loses data. Choose a local directory with ROSTRUM_DATA_DIR, or set DATABASE_URL to use PostgreSQL.`,
  )
}

/** Holds the directory for this process until the returned function is called. Waits at most `waitMs` for a holder to leave. */
export function lockDirectory(dataDir: string, waitMs = 0): () => void {
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
