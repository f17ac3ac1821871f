// kill -9 in the middle of a burst (Spec 6): every event that was promised arrives, and what arrives twice is bounded by what was
// on the wire. `ROSTRUM_TEST_KILLS=100` is the long form.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { createVault } from '../../src/webhooks/vault.ts'
import { systemIds } from '../../src/kernel/ids.ts'
import { openPostgres } from '../../src/storage/postgres.ts'
import { openSqlite } from '../../src/storage/sqlite.ts'
import type { Store } from '../../src/storage/store.ts'
import { listenLocally } from '../support/outbound.ts'
import { startPostgres } from '../support/postgres.ts'
import { sessionRow } from '../support/rows.ts'
import { testOutbox } from '../support/stores.ts'

const kills = Number(process.env['ROSTRUM_TEST_KILLS'] ?? 4)
const program = fileURLToPath(new URL('dispatching.ts', import.meta.url))
/** Slots of the process, and ends of attempts that it may still hold back. */
const onTheWireMax = 32 + 64

async function prepare(store: Store, url: string): Promise<void> {
  const id = 'wh_0198c1d27a537c1e9a405f6d2b8e4c11'
  await store.write(async (tx) => {
    await tx.insertInto('sessions').values(sessionRow()).execute()
    await tx
      .insertInto('webhook_subscriptions')
      .values({
        id,
        account_id: 'acct-1',
        session_id: null,
        url,
        event_types: '["cta.clicked"]',
        description: null,
        disabled_reason: null,
        owner_credential_id: null,
        secret: createVault(['secret'], systemIds).seal(Buffer.alloc(32, 1), id),
        secret_hint: 'xxxx',
        previous_secret: null,
        previous_secret_until: null,
        ed25519_seed: null,
        public_key: null,
        dead_letters: 0,
        failing_since: null,
        created_at: 0,
        updated_at: 0,
        deleted_at: null,
      })
      .execute()
  })
}

/** Starts the process; gives the ids it was promised. Killed `afterMs` after the first one, unless it ends by itself. */
async function live(where: string, from: string, afterMs: number | null): Promise<string[]> {
  const child = spawn(process.execPath, [program, where, from], { stdio: ['ignore', 'pipe', 'inherit'] })
  const promised: string[] = []
  const gone = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('msg_')) continue
    if (promised.length === 0 && afterMs !== null) setTimeout(() => void child.kill('SIGKILL'), afterMs)
    promised.push(line)
  }
  await gone
  return promised
}

async function survive(where: string, store: Store, t: { diagnostic(words: string): void }): Promise<void> {
  const seen = new Map<string, number>()
  const sink = await listenLocally(
    createServer((request, response) => {
      const id = String(request.headers['webhook-id'])
      seen.set(id, (seen.get(id) ?? 0) + 1)
      request.resume().once('end', () => void response.writeHead(204).end())
    }),
  )
  try {
    await prepare(store, `${sink.url}/hook`)
    await store.close()
    const promised: string[] = []
    for (let round = 0; round < kills; round++) promised.push(...(await live(where, String(round * 1_000_000), 60 + ((round * 37) % 140))))
    await live(where, 'drain', null)
    const missing = promised.filter((id) => !seen.has(id))
    const repeats = [...seen.values()].reduce((sum, count) => sum + count - 1, 0)
    t.diagnostic(`${kills} kills, ${promised.length} events promised, ${seen.size} arrived, ${repeats} repeats`)
    assert.ok(promised.length >= kills)
    assert.deepEqual(missing, [])
    assert.ok(repeats <= kills * onTheWireMax, `${repeats} repeats`)
  } finally {
    await sink.close()
  }
}

test('kill -9 in a burst loses nothing and repeats at most what was on the wire: SQLite', { timeout: 600_000 }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-kill-'))
  try {
    await survive(directory, await openSqlite(directory, { outbox: testOutbox }), t)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

test('kill -9 in a burst loses nothing and repeats at most what was on the wire: PostgreSQL', { timeout: 900_000 }, async (t) => {
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
    await survive(where.href, await openPostgres(where.href, { outbox: testOutbox }), t)
  } finally {
    await admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
    await admin.end()
    await own?.stop()
  }
})
