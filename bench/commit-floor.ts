// What the store's own commit costs: the rows that one creation leaves behind, written again by plain `node:sqlite` statements, one
// synced commit each, under identifiers that fall into the indexes as those of the service do.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { randomBase32, systemIds, uuidV7 } from '@rostrum/base/clock'
import { median } from './report.ts'

interface Written {
  sql: string
  values: readonly (string | number | bigint | Uint8Array | null)[]
  /** Positions that a unique index may watch: each repeat writes another value there. */
  fresh: readonly boolean[]
}

const freshColumn = /(^|_)id$|slug|key|token|hash/
const keptColumn = /^(account_id|created_by_id)$/
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Another identifier of the same kind, the same one for every mention of the old one within a repeat. */
function renamer(): (value: string) => string {
  const renamed = new Map<string, string>()
  const once = (old: string, fresh: () => string) => {
    const known = renamed.get(old) ?? fresh()
    renamed.set(old, known)
    return known
  }
  return (value) => {
    if (value.startsWith('msg_')) return once(value, () => `msg_${uuidV7(systemIds, Date.now()).replaceAll('-', '')}`)
    if (value.search(uuid) !== -1) return value.replace(uuid, (old) => once(old, systemIds.uuid))
    return once(value, () => randomBase32(systemIds, value.length))
  }
}

/** Microseconds of CPU for one commit, the median of `rounds`. `dataDir` is of a server that has made the session. */
export function commitMicros(dataDir: string, sessionId: string, { rounds, count }: { rounds: number; count: number }): number {
  const copy = join(dataDir, 'commit-floor.db')
  const source = new DatabaseSync(join(dataDir, 'rostrum.db'), { readOnly: true })
  source.prepare('VACUUM INTO ?').run(copy)
  source.close()
  const db = new DatabaseSync(copy)
  try {
    db.exec('PRAGMA foreign_keys=OFF; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL')
    const rows = rowsOf(db, sessionId).map((row) => ({ ...row, statement: db.prepare(row.sql) }))
    const one = () => {
      const rename = renamer()
      db.exec('BEGIN IMMEDIATE')
      for (const { statement, values, fresh } of rows) {
        statement.run(...values.map((value, at) => (fresh[at] && typeof value === 'string' ? rename(value) : value)))
      }
      db.exec('COMMIT')
    }
    for (let i = 0; i < count; i++) one()
    const taken = Array.from({ length: rounds }, () => {
      const from = process.cpuUsage()
      for (let i = 0; i < count; i++) one()
      const { user, system } = process.cpuUsage(from)
      return (user + system) / count
    })
    return median(taken)
  } finally {
    db.close()
    for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true })
  }
}

function rowsOf(db: DatabaseSync, sessionId: string): Written[] {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all()
  const columnsOf = (table: string) =>
    db
      .prepare(`PRAGMA table_info("${table}")`)
      .all()
      .map(({ name }) => String(name))
  return tables.flatMap(({ name }) => {
    const table = String(name)
    const columns = columnsOf(table)
    const event = 'event_id IN (SELECT id FROM domain_events WHERE session_id = ?)'
    const where = table === 'sessions' ? 'id = ?' : columns.includes('session_id') ? 'session_id = ?' : table === 'outbox' ? event : null
    if (where === null) return []
    const sql = `INSERT INTO "${table}" (${columns.map((column) => `"${column}"`).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
    const fresh = columns.map((column) => freshColumn.test(column) && !keptColumn.test(column))
    const found = db.prepare(`SELECT * FROM "${table}" WHERE ${where}`).all(sessionId)
    return found.map((row) => ({ sql, values: columns.map((column) => row[column] ?? null), fresh }))
  })
}
