// The data directory across processes: one `serve` at a time, and no promised row lost to kill -9.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openSqlite, prepareDirectory } from '../../server/platform/db/sqlite.ts'
import { StartupError } from '../../server/platform/db/store.ts'
import { testOutbox } from '../support/stores.ts'

/** Each costs the start of a process; `ROSTRUM_TEST_KILLS=100` is the full suite. */
const kills = Number(process.env['ROSTRUM_TEST_KILLS'] ?? 20)
const program = fileURLToPath(new URL('../support/serving.ts', import.meta.url))

interface Serving {
  child: ChildProcess
  /** Every line it said. */
  lines: string[]
  /** Resolves when it has said `count` lines. */
  said: (count: number) => Promise<void>
  kill: () => Promise<void>
}

function serve(directory: string, from: number): Serving {
  const child = spawn(process.execPath, [program, directory, String(from)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  let check = () => {}
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => {
    lines.push(line)
    check()
  })
  // What it said ends before it has let go of its files.
  const ended = Promise.all([once(reader, 'close'), once(child, 'exit')])
  return {
    child,
    lines,
    said: (count) =>
      new Promise((resolve, reject) => {
        child.once('exit', (code) => reject(new Error(`ended with ${code}`)))
        check = () => void (lines.length >= count && resolve())
        check()
      }),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function temporaryDirectory(t: { after: (fn: () => void) => void }): string {
  const directory = mkdtempSync(join(tmpdir(), 'rostrum-test-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

test('a second serve is refused in words, and may start once the first was killed', async (t) => {
  const directory = temporaryDirectory(t)
  const first = serve(directory, 0)
  await first.said(1)
  const refused = (error: unknown) =>
    error instanceof StartupError && error.message.includes(directory) && /Stop it first/.test(error.message)
  await assert.rejects(openSqlite(directory, { outbox: testOutbox, lock: true }), refused)
  await first.kill()
  const store = await openSqlite(directory, { outbox: testOutbox, lock: true })
  await assert.rejects(openSqlite(directory, { outbox: testOutbox, lock: true }), refused)
  await store.close()
})

test('a command without the lock runs beside a serve, and both see what the other wrote', async (t) => {
  const directory = temporaryDirectory(t)
  const first = serve(directory, 0)
  await first.said(20)
  const command = await openSqlite(directory, { outbox: testOutbox })
  const seen = await command.read.selectFrom('leases').select('name').where('name', '=', 'row-0').execute()
  assert.equal(seen.length, 1)
  await command.write((tx) => tx.insertInto('usage').values({ account_id: 'command', period: 'p', sessions: 1 }).execute())
  await first.said(first.lines.length + 20)
  await command.close()
  await first.kill()
})

test(`after ${kills} times kill -9 every promised row is whole and none is half`, async (t) => {
  const directory = temporaryDirectory(t)
  const promised = new Set<string>()
  for (let round = 0; round < kills; round++) {
    const serving = serve(directory, round * 1_000_000)
    // The kill falls at another point of a flush each time.
    await serving.said(2 + ((round * 7) % 40))
    await serving.kill()
    for (const line of serving.lines.slice(1)) promised.add(`row-${line}`)
  }
  const store = await openSqlite(directory, { outbox: testOutbox, lock: true })
  const firstHalves = new Set((await store.read.selectFrom('leases').select('name').execute()).map((row) => row.name))
  const secondHalves = new Set((await store.read.selectFrom('usage').select('account_id').execute()).map((row) => row.account_id))
  await store.close()
  assert.ok(promised.size > kills)
  assert.deepEqual([...promised.difference(firstHalves)], [])
  assert.deepEqual([...firstHalves.symmetricDifference(secondHalves)], [])
})

test('the directory is made for its owner alone', (t) => {
  const directory = join(temporaryDirectory(t), 'new')
  prepareDirectory(directory)
  assert.equal(statSync(directory).mode & 0o777, 0o700)
})

test('the database is readable for its owner alone, wherever the directory came from', async (t) => {
  const directory = temporaryDirectory(t)
  chmodSync(directory, 0o755)
  const store = await openSqlite(directory, { outbox: testOutbox })
  for (const file of readdirSync(directory)) assert.equal(statSync(join(directory, file)).mode & 0o777, 0o600, file)
  await store.close()
})

test('a path that is no directory, and a file that is no database, are refused in words', async (t) => {
  const directory = temporaryDirectory(t)
  writeFileSync(join(directory, 'rostrum.db'), 'this is not a database, however long it is made to look like one')
  await assert.rejects(
    openSqlite(directory, { outbox: testOutbox }),
    (error) => error instanceof StartupError && /not a database/.test(error.message),
  )
  const file = join(directory, 'rostrum.db')
  await assert.rejects(
    openSqlite(file, { outbox: testOutbox }),
    (error) => error instanceof StartupError && /cannot be used/.test(error.message),
  )
})

test('a network file system is refused with what to do instead', (t) => {
  const directory = temporaryDirectory(t)
  const types = { NFS: 0x6969, SMB: 0xfe534d42, CIFS: 0xff534d42 - 2 ** 32, '9p': 0x01021997 }
  for (const [name, type] of Object.entries(types)) {
    assert.throws(
      () => prepareDirectory(directory, () => type),
      (error) => error instanceof StartupError && error.message.includes(name) && /DATABASE_URL/.test(error.message),
    )
  }
})
