// Processes that are killed in the middle of their work, on both stores: what they promised before they died is looked for afterwards.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { Client } from 'pg'
import { openPostgres } from '../../server/platform/db/postgres.ts'
import { openSqlite } from '../../server/platform/db/sqlite.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { startPostgres } from './postgres.ts'
import { testOutbox as outbox } from './stores.ts'

/** `ROSTRUM_TEST_KILLS=100` is the long form. */
export const kills = Number(process.env['ROSTRUM_TEST_KILLS'] ?? 4)

/** Starts the program; gives its lines that begin so: what it promised. Killed after `most` of them, unless it ends by itself. */
export async function promisesOf(program: string, args: readonly string[], begin: string, most: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const promised: string[] = []
  const gone = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith(begin)) continue
    promised.push(line)
    if (promised.length === most) child.kill('SIGKILL')
  }
  await gone
  return promised
}

/** `survive` gets where the store is, for the processes, and the store itself, which it closes. */
export function onBothStores(
  title: string,
  survive: (where: string, store: Store, t: { diagnostic(words: string): void }) => Promise<void>,
) {
  test(`${title}: SQLite`, { timeout: 1_200_000 }, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'rostrum-kill-'))
    try {
      await survive(directory, await openSqlite(directory, { outbox }), t)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })

  test(`${title}: PostgreSQL`, { timeout: 1_200_000 }, async (t) => {
    const given = process.env['ROSTRUM_TEST_POSTGRES']
    const own = given === undefined ? await startPostgres() : null
    const server = given ?? own?.url
    if (server === undefined) throw new Error('There is no PostgreSQL for this platform; name a server in ROSTRUM_TEST_POSTGRES.')
    const database = `kill_${randomUUID().replaceAll('-', '')}`
    const where = new URL(server)
    where.pathname = `/${database}`
    const admin = new Client({ connectionString: server })
    await admin.connect()
    try {
      await admin.query(`CREATE DATABASE ${database}`)
      await survive(where.href, await openPostgres(where.href, { outbox }), t)
    } finally {
      await admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
      await admin.end()
      await own?.stop()
    }
  })
}
