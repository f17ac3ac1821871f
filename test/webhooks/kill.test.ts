// kill -9 in the middle of a burst (Spec 6): every event that was promised arrives, and only what was in flight at a kill arrives
// again, once for each. `ROSTRUM_TEST_KILLS=100` is the long form.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts'
import { openSqlite } from '../../src/platform/db/sqlite/sqlite.ts'
import type { Store } from '../../src/platform/db/store.ts'
import { eventually } from '../support/clock.ts'
import { listenLocally } from '../support/outbound.ts'
import { startPostgres } from '../support/postgres.ts'
import { testOutbox } from '../support/stores.ts'
import { prepare } from './prepare.ts'

const kills = Number(process.env['ROSTRUM_TEST_KILLS'] ?? 4)
const program = fileURLToPath(new URL('dispatching.ts', import.meta.url))
/** Twice the slots of the process: attempts on the wire, and ends that it has not written yet. */
const inFlightMax = 2 * 32

/** Starts the process; gives the ids it was promised. Killed after so many of them, unless it ends by itself. */
async function live(where: string, from: string, promisesMax: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, where, from], { stdio: ['ignore', 'pipe', 'inherit'] })
  const promised: string[] = []
  const gone = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('msg_')) continue
    promised.push(line)
    if (promised.length === promisesMax) child.kill('SIGKILL')
  }
  await gone
  return promised
}

/** Of these events, those whose delivery the store does not hold as done. */
async function notDone(store: Store, ids: ReadonlySet<string>): Promise<number> {
  const rows = await store.read.selectFrom('webhook_deliveries').select('event_id').where('status', '=', 'succeeded').execute()
  const done = new Set(rows.map((row) => row.event_id))
  return [...ids].filter((id) => !done.has(id)).length
}

async function failures(store: Store): Promise<number> {
  const rows = await store.read.selectFrom('webhook_attempts').select('n').where('outcome', '=', 'failed').execute()
  return rows.length
}

async function survive(where: string, store: Store, t: { diagnostic(words: string): void }): Promise<void> {
  const seen = new Map<string, number>()
  const seenInThisLife = new Set<string>()
  const open = new Set<Socket>()
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    seen.set(id, (seen.get(id) ?? 0) + 1)
    seenInThisLife.add(id)
    request.resume().once('end', () => void response.writeHead(204).end())
  })
  server.on('connection', (socket) => void open.add(socket.once('close', () => open.delete(socket))))
  const sink = await listenLocally(server)
  try {
    await prepare(store, `${sink.url}/hook`)
    const promised: string[] = []
    let inFlight = 0
    let most = 0
    for (let round = 0; round < kills; round++) {
      seenInThisLife.clear()
      promised.push(...(await live(where, String(round * 1_000_000), 20 + ((round * 37) % 180))))
      // What the dead process had sent may still be on its way to be read.
      await eventually(async () => open.size === 0)
      const cutOff = await notDone(store, seenInThisLife)
      assert.ok(cutOff <= inFlightMax, `${cutOff} in flight at one kill`)
      inFlight += cutOff
      most = Math.max(most, cutOff)
    }
    await live(where, 'drain', Number.POSITIVE_INFINITY)
    const missing = promised.filter((id) => !seen.has(id))
    const repeats = [...seen.values()].reduce((sum, count) => sum + count - 1, 0)
    const words = `${promised.length} events promised, ${seen.size} arrived, ${repeats} repeats`
    const failed = await failures(store)
    t.diagnostic(`${kills} kills, ${words}, ${inFlight} in flight at the kills, at most ${most} at one, ${failed} failed attempts`)
    assert.ok(promised.length >= kills)
    assert.deepEqual(missing, [])
    // What a slow machine did not answer in time is made again by the schedule, kill or no kill.
    assert.ok(repeats <= inFlight + failed, `${repeats} repeats of ${inFlight} attempts cut off and ${failed} failed`)
  } finally {
    await store.close()
    await sink.close()
  }
}

test('kill -9 in a burst loses nothing and repeats only what was in flight: SQLite', { timeout: 1_200_000 }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-kill-'))
  try {
    await survive(directory, await openSqlite(directory, { outbox: testOutbox }), t)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

test('kill -9 in a burst loses nothing and repeats only what was in flight: PostgreSQL', { timeout: 1_200_000 }, async (t) => {
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
