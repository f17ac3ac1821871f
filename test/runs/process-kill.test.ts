// Real processes on one data directory that end by SIGKILL while they present; the next one goes on.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readRunEvents } from '../../server/runs/log/run-log.ts'
import { openSqlite } from '../../server/platform/db/sqlite.ts'
import { eventually } from '../support/clock.ts'
import { randomOf, under } from '../support/sim/random.ts'
import { testOutbox } from '../support/stores.ts'

const script = fileURLToPath(new URL('../support/live-process.ts', import.meta.url))

/** `steps` of the talk, and how long after them the process dies; without them it lives. */
const present = (directory: string, ...dies: readonly number[]) =>
  spawn(process.execPath, [script, directory, '300', ...dies.map(String)], { stdio: ['ignore', 'inherit', 'inherit'] })

test('[R-6] a talk survives SIGKILL of the process that presents it, five times', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-kill-'))
  const random = randomOf(7)
  for (let kill = 0; kill < 5; kill++) {
    // A step takes 120 ms: the kill falls at any instant of it.
    const [, signal] = await once(present(directory, 1 + under(random, 4), under(random, 120)), 'exit')
    assert.equal(signal, 'SIGKILL')
  }
  const store = await openSqlite(directory, { outbox: testOutbox })
  const run = await store.read.selectFrom('runs').selectAll().executeTakeFirstOrThrow()
  assert.notEqual(run.status, 'completed')
  const last = present(directory)
  try {
    const status = async () =>
      (await store.read.selectFrom('runs').select('status').where('id', '=', run.id).executeTakeFirstOrThrow()).status
    await eventually(async () => (await status()) === 'completed')
    const rows = await readRunEvents(store.read, run.id, 0, 10_000)
    assert.equal(rows.at(-1)?.type === 'closed' || rows.some((row) => row.type === 'closed'), true)
    rows.forEach((row, at) => assert.equal(row.seq, at + 1))
    assert.ok((rows.at(-1)?.epoch ?? 0) >= 6)
    const ended = rows
      .filter((row) => row.type === 'beat' && row.data.includes('"phase":"end"'))
      .map((row) => (JSON.parse(row.data) as { beatId: string }).beatId)
    assert.equal(new Set(ended).size, ended.length, 'a beat was said twice')
    assert.equal(ended.length, 39)
    const facts = await store.read.selectFrom('domain_events').select('type').orderBy('sequence').execute()
    assert.deepEqual(
      facts.map((fact) => fact.type).filter((type) => type.startsWith('session.')),
      ['session.started', 'session.completed'],
    )
  } finally {
    last.kill('SIGKILL')
    if (last.exitCode === null && last.signalCode === null) await once(last, 'exit')
    await store.close()
    rmSync(directory, { recursive: true, force: true })
  }
})
