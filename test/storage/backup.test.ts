// Backup and restore of the embedded store: everything comes back, from a server at work, or nothing does.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { backUp, restore } from '../../server/platform/db/backup.ts'
import { openSqlite } from '../../server/platform/db/sqlite.ts'
import { StartupError } from '../../server/platform/db/store.ts'
import { testOutbox } from '../support/stores.ts'

const root = join(import.meta.dirname, '../..')

interface Hooks {
  after: (fn: () => void) => void
}

function placeFor(t: Hooks): { home: string; dataDir: string; target: string } {
  const home = mkdtempSync(join(tmpdir(), 'rostrum-test-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  return { home, dataDir: join(home, 'data'), target: join(home, 'backup.tar') }
}

const blobPath = `blobs/${'a'.repeat(64)}/${'b'.repeat(64)}.png`
const lease = (n: number) => ({ name: `row-${n}`, owner: 'x'.repeat(500), epoch: 1, lease_until: n })
const refusal = (words: RegExp) => (error: unknown) => error instanceof StartupError && words.test(error.message)

/** A store with rows, a blob whose path is long, an empty file and a key. */
async function fill(dataDir: string) {
  const store = await openSqlite(dataDir, { outbox: testOutbox, lock: true })
  await store.write((tx) =>
    tx
      .insertInto('leases')
      .values(Array.from({ length: 500 }, (_, n) => lease(n)))
      .execute(),
  )
  mkdirSync(join(dataDir, blobPath, '..'), { recursive: true })
  writeFileSync(join(dataDir, blobPath), Buffer.alloc(3_000_001, 7))
  writeFileSync(join(dataDir, 'empty'), '')
  // An upload on its way, which is no part of it.
  mkdirSync(join(dataDir, 'rostrum-spool-1-abcdef'))
  writeFileSync(join(dataDir, 'rostrum-spool-1-abcdef/half'), 'half')
  writeFileSync(join(dataDir, 'secret'), 'key', { mode: 0o600 })
  return store
}

test('a backup of a store at work restores its rows and every file', async (t) => {
  const { home, dataDir, target } = placeFor(t)
  const store = await fill(dataDir)
  const stop = new AbortController()
  const writing = (async () => {
    for (let n = 1_000; !stop.signal.aborted; n++) await store.write((tx) => tx.insertInto('leases').values(lease(n)).execute())
  })()
  const made = await backUp({ dataDir, databaseUrl: null, target })
  stop.abort()
  await writing
  await store.close()
  assert.deepEqual(made, { files: 4, sizeBytes: statSync(target).size })
  assert.equal(statSync(target).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(home).sort(), ['backup.tar', 'data'])

  const restored = join(home, 'restored')
  assert.equal((await restore({ source: target, dataDir: restored, databaseUrl: null })).files, 4)
  assert.deepEqual(readFileSync(join(restored, blobPath)), Buffer.alloc(3_000_001, 7))
  assert.equal(readFileSync(join(restored, 'secret'), 'utf8'), 'key')
  assert.equal(statSync(join(restored, 'secret')).mode & 0o777, 0o600)
  const again = await openSqlite(restored, { outbox: testOutbox, lock: true })
  const rows = await again.read.selectFrom('leases').selectAll().where('lease_until', '<', 500).orderBy('lease_until').execute()
  await again.close()
  assert.deepEqual(
    rows,
    Array.from({ length: 500 }, (_, n) => lease(n)),
  )
})

test('the archive is one that `tar` can list', async (t) => {
  const { dataDir, target } = placeFor(t)
  await (await fill(dataDir)).close()
  await backUp({ dataDir, databaseUrl: null, target })
  const listed = execFileSync('tar', ['-tf', target], { encoding: 'utf8' }).trim().split('\n')
  assert.deepEqual(listed, ['rostrum.db', blobPath, 'empty', 'secret', 'manifest.json'])
})

test('a damaged or cut archive restores nothing', async (t) => {
  const { home, dataDir, target } = placeFor(t)
  await (await fill(dataDir)).close()
  await backUp({ dataDir, databaseUrl: null, target })
  const whole = readFileSync(target)
  const restored = join(home, 'restored')
  const damaged = join(home, 'damaged.tar')
  const flipped = Buffer.from(whole)
  const inBlob = whole.length - 1_000_000
  flipped[inBlob] = (flipped[inBlob] ?? 0) ^ 1
  for (const bytes of [
    flipped,
    whole.subarray(0, whole.length - 20_000),
    whole.subarray(0, 100),
    Buffer.alloc(1_024),
    Buffer.from('not an archive'),
  ]) {
    writeFileSync(damaged, bytes)
    await assert.rejects(restore({ source: damaged, dataDir: restored, databaseUrl: null }), refusal(/cannot be restored/))
    assert.deepEqual(readdirSync(restored), [])
  }
})

test('an archive cannot write outside of the directory', async (t) => {
  const { home, target } = placeFor(t)
  mkdirSync(join(home, 'inner'))
  writeFileSync(join(home, 'escaped'), 'x')
  execFileSync('tar', ['--format=ustar', '-cPf', target, '-C', join(home, 'inner'), '../escaped'])
  rmSync(join(home, 'escaped'))
  await assert.rejects(restore({ source: target, dataDir: join(home, 'inner'), databaseUrl: null }), refusal(/no backup contains/))
  assert.deepEqual(readdirSync(home).sort(), ['backup.tar', 'inner'])
})

test('a backup into a directory that does not exist says so instead of failing inside', async (t) => {
  const { dataDir, home } = placeFor(t)
  await (await fill(dataDir)).close()
  const target = join(home, 'no', 'such', 'backup.tar')
  await assert.rejects(backUp({ dataDir, databaseUrl: null, target }), refusal(/There is no directory .*no\/such\. Make it first/))
})

test('nothing is overwritten: neither a filled directory nor an older backup', async (t) => {
  const { dataDir, target } = placeFor(t)
  await (await fill(dataDir)).close()
  await backUp({ dataDir, databaseUrl: null, target })
  await assert.rejects(backUp({ dataDir, databaseUrl: null, target }), refusal(/exists already/))
  await assert.rejects(restore({ source: target, dataDir, databaseUrl: null }), refusal(/is not empty/))
  await assert.rejects(backUp({ dataDir, databaseUrl: null, target: join(dataDir, 'b.tar') }), refusal(/outside/))
})

test('of two backups of one target at once the second is refused, and the first is whole: it lost its files to the second', async (t) => {
  const { home, dataDir, target } = placeFor(t)
  await (await fill(dataDir)).close()
  const backups = await Promise.allSettled([1, 2].map(() => backUp({ dataDir, databaseUrl: null, target })))
  const [first, second] = backups
  assert.equal(first?.status, 'fulfilled')
  assert.ok(second?.status === 'rejected' && refusal(/^Another backup is writing/)(second.reason))
  assert.deepEqual(readdirSync(home).sort(), ['backup.tar', 'data'])
  assert.equal((await restore({ source: target, dataDir: join(home, 'again'), databaseUrl: null })).files, 4)
})

test('with PostgreSQL both name its own command', async (t) => {
  const { dataDir, target } = placeFor(t)
  const databaseUrl = 'postgres://user:secret@db/rostrum'
  await assert.rejects(backUp({ dataDir, databaseUrl, target }), refusal(/pg_dump/))
  await assert.rejects(
    restore({ source: target, dataDir, databaseUrl }),
    (error) => refusal(/pg_restore/)(error) && !String(error).includes('secret@'),
  )
})

test('a backup of nothing says so', async (t) => {
  const { dataDir, target } = placeFor(t)
  await assert.rejects(backUp({ dataDir, databaseUrl: null, target }), refusal(/no store/))
})

/** A backup by the command line, ended by a signal once the name of what it works on has appeared beside the target. */
async function cutOff({ home, dataDir, target }: ReturnType<typeof placeFor>, signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
  truncateSync(join(dataDir, 'empty'), 2_000_000_000)
  const begun = Promise.withResolvers<void>()
  const watcher = watch(home, (_change, name) => void (name?.includes('.partial') && begun.resolve()))
  const words = ['umask 022; exec "$@"', 'sh', join(root, 'bin/rostrum'), 'backup', target]
  const child = spawn('sh', ['-c', ...words], { cwd: home, env: { PATH: process.env['PATH'], ROSTRUM_DATA_DIR: dataDir } })
  const ended = once(child, 'close')
  await Promise.race([begun.promise, ended])
  child.kill(signal)
  await ended
  watcher.close()
  truncateSync(join(dataDir, 'empty'), 0)
}

test('what a backup that was killed leaves can be read by its owner alone, and the next one takes it away', async (t) => {
  const place = placeFor(t)
  await (await fill(place.dataDir)).close()
  await cutOff(place, 'SIGKILL')
  const left = readdirSync(place.home).filter((name) => name !== 'data')
  assert.notDeepEqual(left, [])
  for (const name of left) assert.equal(statSync(join(place.home, name)).mode & 0o077, 0, name)
  await backUp({ ...place, databaseUrl: null })
  assert.deepEqual(readdirSync(place.home).sort(), ['backup.tar', 'data'])
})

test('a backup that is interrupted leaves nothing', async (t) => {
  const place = placeFor(t)
  await (await fill(place.dataDir)).close()
  await cutOff(place, 'SIGINT')
  assert.deepEqual(readdirSync(place.home), ['data'])
})
