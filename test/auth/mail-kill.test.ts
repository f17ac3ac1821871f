// kill -9 among mails: each that was promised arrives, and only what was being handed over at a kill arrives again.
// `ROSTRUM_TEST_KILLS=100` is the long form.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts'
import { openSqlite } from '../../src/platform/db/sqlite/sqlite.ts'
import { openSmtpServer } from '../support/smtp-server.ts'
import { startPostgres } from '../support/postgres.ts'
import { testOutbox as outbox } from '../support/stores.ts'

const kills = Number(process.env['ROSTRUM_TEST_KILLS'] ?? 4)
const program = fileURLToPath(new URL('mailing.ts', import.meta.url))
/** Jobs of a process at once. */
const runningMax = 8

async function live(where: string, port: number, from: string, promisesMax: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, where, String(port), from], { stdio: ['ignore', 'pipe', 'inherit'] })
  const promised: string[] = []
  const gone = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('mail ')) continue
    promised.push(line)
    if (promised.length === promisesMax) child.kill('SIGKILL')
  }
  await gone
  return promised
}

async function survive(where: string, t: { diagnostic(words: string): void }): Promise<void> {
  const server = await openSmtpServer()
  try {
    const promised: string[] = []
    for (let round = 0; round < kills; round++)
      promised.push(...(await live(where, server.port, String(round * 1_000_000), 5 + ((round * 7) % 20))))
    await live(where, server.port, 'drain', Number.POSITIVE_INFINITY)
    const seen = new Map<string, Set<string>>()
    for (const { headers } of server.mails) {
      const subject = headers.get('subject') ?? ''
      seen.set(subject, (seen.get(subject) ?? new Set()).add(headers.get('message-id') ?? ''))
    }
    const repeats = server.mails.length - seen.size
    t.diagnostic(`${kills} kills, ${promised.length} mails promised, ${seen.size} arrived, ${repeats} repeats`)
    assert.deepEqual(
      promised.filter((subject) => !seen.has(subject)),
      [],
    )
    assert.ok(repeats <= kills * runningMax, `${repeats} repeats`)
    for (const ids of seen.values()) assert.equal(ids.size, 1, 'a repeat has the id of the first')
  } finally {
    await server.close()
  }
}

test('kill -9 among mails loses none and repeats only what was being handed over: SQLite', { timeout: 1_200_000 }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-kill-'))
  try {
    await (await openSqlite(directory, { outbox })).close()
    await survive(directory, t)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

test('kill -9 among mails loses none and repeats only what was being handed over: PostgreSQL', { timeout: 1_200_000 }, async (t) => {
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
    await (await openPostgres(where.href, { outbox })).close()
    await survive(where.href, t)
  } finally {
    await admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
    await admin.end()
    await own?.stop()
  }
})
