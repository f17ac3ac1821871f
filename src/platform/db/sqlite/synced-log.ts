// Commits of the embedded store on the disk without holding up the loop: SQLite would sync its log inside COMMIT; here it leaves
// that to us (`synchronous=NORMAL` still orders the log before the database file), and nobody is told, and nobody reads, before
// the log is synced by another thread. What survives is what survives with `synchronous=FULL`.
import { closeSync, fdatasync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

export interface SyncedLog {
  /** Resolves when everything committed before is on the disk. */
  sync(): Promise<void>
  close(): void
}

/** Of a connection with `synchronous=NORMAL`. */
export function syncedLog(db: DatabaseSync, databaseFile: string): SyncedLog {
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
