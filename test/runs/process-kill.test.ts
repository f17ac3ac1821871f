// Real processes on one data directory, killed with SIGKILL while they present; the next one goes on.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readRunEvents } from '../../src/storage/run-log.ts'
import { openSqlite } from '../../src/storage/sqlite.ts'
import { randomOf } from '../support/sim/random.ts'
import { testOutbox } from '../support/stores.ts'

const script = fileURLToPath(new URL('../support/live-process.ts', import.meta.url))

async function present(directory: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [script, directory, '300'], { stdio: ['ignore', 'pipe', 'inherit'] })
  if (child.stdout !== null) await once(child.stdout, 'data')
  return child
}

test('[R-6] a talk survives SIGKILL of the process that presents it, five times', { timeout: 240_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-kill-'))
  const random = randomOf(7)
  let child = await present(directory)
  const store = await openSqlite(directory, { outbox: testOutbox })
  const run = await store.read.selectFrom('runs').selectAll().executeTakeFirstOrThrow()
  try {
    for (let kill = 0; kill < 5; kill++) {
      await wait(100 + random() * 500)
      child.kill('SIGKILL')
      await once(child, 'exit')
      child = await present(directory)
    }
    for (let look = 0; look < 2_000; look++) {
      const now = await store.read.selectFrom('runs').select('status').where('id', '=', run.id).executeTakeFirstOrThrow()
      if (now.status === 'completed') break
      await wait(50)
    }
    const rows = await readRunEvents(store.read, run.id, 0, 10_000)
    assert.equal(rows.at(-1)?.type === 'closed' || rows.some((row) => row.type === 'closed'), true)
    rows.forEach((row, at) => assert.equal(row.seq, at + 1))
    assert.ok((rows.at(-1)?.epoch ?? 0) >= 4)
    const ended = rows
      .filter((row) => row.type === 'beat' && row.data.includes('"phase":"end"'))
      .map((row) => (JSON.parse(row.data) as { beatId: string }).beatId)
    assert.equal(new Set(ended).size, ended.length, 'a beat was said twice')
    assert.equal(ended.length, 27)
    const facts = await store.read.selectFrom('domain_events').select('type').orderBy('sequence').execute()
    assert.deepEqual(
      facts.map((fact) => fact.type).filter((type) => type.startsWith('session.')),
      ['session.started', 'session.completed'],
    )
  } finally {
    child.kill('SIGKILL')
    await store.close()
    rmSync(directory, { recursive: true, force: true })
  }
})
