// What stops a start is told in one sentence, by the name of what has to be changed, and never by a stack. Real processes, as a user who
// is not root.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../support/postgres.ts'
import { freePort, startServer } from '../support/server.ts'

const rostrum = fileURLToPath(new URL('../../bin/rostrum', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'rostrum-words-'))
chmodSync(home, 0o777)
after(() => rmSync(home, { recursive: true, force: true }))

/** Root may write everywhere. */
const asNobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

async function refused(env: Readonly<Record<string, string>>, command = 'serve', user: object = asNobody): Promise<string> {
  const port = String(await freePort())
  const child = spawn(rostrum, [command], {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ROSTRUM_PORT: port, ROSTRUM_DATA_DIR: join(home, 'data'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const code = await new Promise<number | null>((resolve, reject) => void child.once('error', reject).once('close', resolve))
  assert.equal(code, 1, printed)
  assert.doesNotMatch(printed, /\n\s+at |listen on port/)
  return printed.trim()
}

test('a data directory that may not be written was told as a port that may not be listened on', async () => {
  const directory = join(home, 'closed')
  mkdirSync(directory, { mode: 0o555 })
  assert.match(
    await refused({ ROSTRUM_DATA_DIR: directory }),
    /closed cannot be used: the user of this process \(\d+\) may not write there/,
  )
})

test('a data directory that is a file was told by a stack', async () => {
  const file = join(home, 'file')
  writeFileSync(file, 'no directory')
  const words = /cannot be used: it is a file, or lies below one/
  assert.match(await refused({ ROSTRUM_DATA_DIR: file }), words)
  assert.match(await refused({ ROSTRUM_DATA_DIR: join(file, 'below') }), words)
})

test('a host name that does not resolve was told by a stack', async () => {
  assert.match(await refused({ ROSTRUM_HOST: 'nowhere.invalid' }), /^ROSTRUM_HOST: the name nowhere\.invalid does not resolve/)
  assert.match(await refused({ ROSTRUM_HOST: '192.0.2.7' }), /^ROSTRUM_HOST: 192\.0\.2\.7 is no address of this machine/)
  const secret = 'one-secret-for-all-0123456789-abcdefghij'
  assert.match(
    await refused({ ROSTRUM_SECRET: secret, DATABASE_URL: 'postgres://rostrum@nowhere.invalid/talks' }),
    /^PostgreSQL cannot be used: the host name nowhere\.invalid does not resolve\. Check DATABASE_URL/,
  )
})

test('a short password of the owner was told by a stack', async () => {
  const owner = { ROSTRUM_OWNER_EMAIL: 'maya@example.com', ROSTRUM_OWNER_PASSWORD: 'short' }
  assert.equal(await refused(owner), 'ROSTRUM_OWNER_PASSWORD: Use at least 12 characters.')
})

test('a directory that others may look into is told at the start', async () => {
  const dataDir = join(home, 'open')
  mkdirSync(dataDir)
  chmodSync(dataDir, 0o755)
  const server = await startServer({ dataDir })
  await server.stop()
  assert.match(server.printed(), /may look into .*open \(mode 755\)\. Close it: chmod 700/)
})

test('a service with another secret than the one of its store called itself ready', async () => {
  const dataDir = join(home, 'sealed')
  const [own, other] = ['the-secret-of-this-store-0123456789-abcdef', 'the-secret-of-another-0123456789-abcdefghi']
  const server = await startServer({ dataDir, env: { ROSTRUM_SECRET: own } })
  await server.stop()
  const wrong = { ROSTRUM_DATA_DIR: dataDir, ROSTRUM_SECRET: other }
  assert.match(await refused(wrong, 'serve', {}), /^ROSTRUM_SECRET is not the secret that this store was made with/)
  assert.match(await refused(wrong, 'doctor', {}), /BROKEN {2}secret +ROSTRUM_SECRET is not the secret/)
  // Made on the first start, and meanwhile another.
  assert.match(await refused({ ROSTRUM_DATA_DIR: dataDir }, 'serve', {}), /^The secret in .*sealed\/secret is not the secret/)
  await (await startServer({ dataDir, env: { ROSTRUM_SECRET: `${other},${own}` } })).stop()
  await (await startServer({ dataDir, env: { ROSTRUM_SECRET: other } })).stop()
})

test('of two that began with the demo at once on one PostgreSQL, one ended with a stack', async () => {
  const postgres = await startPostgres()
  assert.ok(postgres !== null)
  try {
    const env = { DATABASE_URL: postgres.url, ROSTRUM_SECRET: 'one-secret-for-all-0123456789-abcdefghij' }
    const servers = await Promise.all([0, 1, 2].map(() => startServer({ args: ['--demo'], env })))
    for (const { baseUrl } of servers) assert.equal((await fetch(`${baseUrl}/join/welcome`)).status, 200)
    const listed = (await servers[0]?.command('session', 'list')) ?? ''
    assert.equal(listed.split('\n').length, 1, listed)
    await Promise.all(servers.map((server) => server.stop()))
  } finally {
    await postgres.stop()
  }
})
