// One read transaction for all reads of one turn of the loop: taking and giving back the lock of a snapshot costs twice what
// SQLite takes to find a row in it. It ends with the turn, and with every commit of this process, so that whoever has written
// reads what was written. What another process commits is seen from the next turn on, before any call that could know of it.
import type { DatabaseSync } from 'node:sqlite'

export interface Snapshot {
  /** Opens one, unless this turn has one. */
  begin(): void
  /** The next read sees everything committed by then. */
  end(): void
}

export function turnSnapshot(db: DatabaseSync): Snapshot {
  const [open, close] = [db.prepare('BEGIN'), db.prepare('COMMIT')]
  let isOpen = false
  const end = () => {
    if (!isOpen) return
    isOpen = false
    // A failed read may have ended it.
    if (db.isTransaction) close.run()
  }
  const begin = () => {
    if (isOpen) return
    open.run()
    isOpen = true
    setImmediate(end)
  }
  return { begin, end }
}
