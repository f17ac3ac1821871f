// A commit of the embedded store counts only once it is on the disk: until then nobody is told, nobody reads it, and after a disk
// has refused, nothing does.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createHealth } from '../../server/platform/away.ts'
import { systemClock } from '@rostrum/base/clock'
import { createDoorbell } from '../../server/platform/db/store.ts'
import { groupCommit, sqliteReader, turnSnapshot } from '../../server/platform/db/sqlite-connections.ts'
import { testOutbox } from '../support/stores.ts'

interface Disk {
  /** Lets the sync that is under way end. */
  answer(error?: Error): void
  asked(): number
  /** Writes one row more. */
  add(): Promise<unknown>
  count(): Promise<number>
}

async function withDisk(fn: (disk: Disk) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-sync-'))
  const file = join(directory, 'a.db')
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode=WAL; CREATE TABLE facts (id INTEGER PRIMARY KEY) STRICT')
  const reader = new DatabaseSync(file, { readOnly: true })
  const snapshot = turnSnapshot(reader)
  const syncs: PromiseWithResolvers<void>[] = []
  const health = createHealth()
  const commits = groupCommit({
    db,
    doorbell: createDoorbell(),
    clock: systemClock,
    outbox: testOutbox,
    sync: () => {
      const one = Promise.withResolvers<void>()
      syncs.push(one)
      return one.promise
    },
    onCommitted: snapshot.end,
    health,
  })
  const read = sqliteReader(reader, { snapshot, unsynced: commits.unsynced, health })
  try {
    await fn({
      answer: (error) => (error === undefined ? syncs.at(-1)?.resolve() : syncs.at(-1)?.reject(error)),
      asked: () => syncs.length,
      add: () => commits.write((tx) => sql`INSERT INTO facts DEFAULT VALUES`.execute(tx)),
      count: async () => (await sql<{ n: number }>`SELECT COUNT(*) AS n FROM facts`.execute(read)).rows[0]?.n ?? -1,
    })
  } finally {
    snapshot.end()
    reader.close()
    db.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => void setImmediate(resolve))
}

test('nobody learns of a commit, and nobody reads it, before it is on the disk', () =>
  withDisk(async (disk) => {
    const told: string[] = []
    const first = disk.add().then(() => told.push('written'))
    await turns()
    const seen = disk.count().then((n) => told.push(`read ${n}`))
    await turns()
    assert.deepEqual([disk.asked(), told], [1, []])
    disk.answer()
    await Promise.all([first, seen])
    assert.deepEqual(told.toSorted(), ['read 1', 'written'])
  }))

test('after a disk has refused a commit, the store answers nobody any more', () =>
  withDisk(async (disk) => {
    const first = disk.add()
    await turns()
    disk.answer(new Error('EIO'))
    await assert.rejects(first, /EIO/)
    await assert.rejects(disk.add(), /EIO/)
    await assert.rejects(disk.count(), /EIO/)
  }))
