// A stranger who asks for files cannot fill the memory of the process that serves them: ranges of one byte, downloads that nobody reads,
// all at once and from many networks, while somebody else is served. On files, PostgreSQL and a bucket.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { systemClock as clock, systemIds as ids } from '@rostrum/base/clock'
import { openPostgres } from '../../server/platform/db/postgres.ts'
import { openSqlite } from '../../server/platform/db/sqlite.ts'
import { residentBytes } from '@rostrum/base/engine'
import type { Blobs } from '../../server/platform/blobs/blobs.ts'
import { createClusterBlobs, createFileBlobs } from '../../server/platform/blobs/blob-stores.ts'
import { eventually } from '../support/clock.ts'
import { startPostgres } from '../support/postgres.ts'
import { startBucket } from '../support/s3-server.ts'
import { startServer } from '../support/server.ts'
import { testOutbox } from '../support/stores.ts'

const mib = 1_048_576
const residentMost = 300 * mib
const film = randomBytes(24 * mib)
const picture = randomBytes(100_000)
const directory = mkdtempSync(join(tmpdir(), 'rostrum-resident-'))
after(() => rmSync(directory, { recursive: true, force: true }))

/** The most that a process has held; what it holds now, where nobody can tell. */
async function peakBytes(pid: number): Promise<number> {
  const status = `/proc/${pid}/status`
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(existsSync(status) ? readFileSync(status, 'latin1') : '') ?? []
  return kib === undefined ? residentBytes(pid) : Number(kib) * 1_024
}

async function attack(t: TestContext, [filmKey, pictureKey]: string[], env: Record<string, string>): Promise<void> {
  const server = await startServer({ env: { ROSTRUM_TRUST_PROXY: '127.0.0.0/8,::1/128', ...env }, dataDir: directory })
  const { hostname, port } = new URL(server.baseUrl)
  const sockets: Socket[] = []
  let asked = 0
  /** From another network each time; nothing of the answer is read. */
  async function unread(from: number): Promise<void> {
    const socket = connect({ host: hostname, port: Number(port) })
    sockets.push(socket)
    socket.on('error', () => undefined).pause()
    await once(socket, 'connect')
    const caller = `203.${asked >> 8}.${asked++ & 255}.7`
    socket.write(`GET /media/${filmKey} HTTP/1.1\r\nHost: ${hostname}\r\nX-Forwarded-For: ${caller}\r\nRange: bytes=${from}-\r\n\r\n`)
  }
  const read = (key: string | undefined, headers: Record<string, string> = {}) =>
    fetch(`${server.baseUrl}/media/${key}`, { headers: { 'X-Forwarded-For': '198.51.100.7', ...headers } })
  try {
    // Twenty took 3.7 GB with a film of 200 MB.
    const ranges = Array.from({ length: 60 }, async (_, at) => {
      const start = Math.floor((film.length / 60) * at)
      const answer = await read(filmKey, { Range: `bytes=${start}-${start}` })
      const { status, headers } = answer
      assert.deepEqual([status, headers.get('content-range')], [206, `bytes ${start}-${start}/${film.length}`])
      assert.deepEqual([...new Uint8Array(await answer.arrayBuffer())], [film[start]])
    })
    await Promise.all(ranges)
    await Promise.all(Array.from({ length: 150 }, (_, at) => unread((at * 99_991) % film.length)))
    // Whoever comes now is served, and rather late than never.
    await eventually(async () => {
      const answer = await read(pictureKey)
      const bytes = Buffer.from(await answer.arrayBuffer())
      if (answer.status === 503) assert.ok(Number(answer.headers.get('retry-after')) > 0)
      else assert.ok(bytes.equals(picture))
      return answer.status === 200
    })
    const whole = Buffer.from(await (await read(filmKey)).arrayBuffer())
    assert.ok(whole.equals(film), 'the film came whole beside them')
    const peak = await peakBytes(server.pid)
    t.diagnostic(`${Math.round(peak / mib)} MiB at most`)
    assert.ok(peak < residentMost, `${Math.round(peak / mib)} MiB`)
  } finally {
    for (const socket of sockets) socket.destroy()
    await server.stop()
  }
}

const putBoth = (put: Blobs['put']) => Promise.all([put(film, 'mp4'), put(picture, 'jpg')])

test('readers of files in a directory leave the process below 300 MB: it held the whole film for each', async (t) => {
  const store = await openSqlite(directory, { outbox: testOutbox })
  const keys = await putBoth(createFileBlobs(join(directory, 'blobs'), { store, clock, ids }).put)
  await store.close()
  await attack(t, keys, {})
})

for (const inBucket of [false, true]) {
  const where = inBucket ? 'a bucket' : 'PostgreSQL'
  test(`readers of files in ${where} leave the process below 300 MB`, async (t) => {
    const postgres = await startPostgres()
    if (postgres === null) return t.skip('There is no PostgreSQL for this platform.')
    const bucket = inBucket ? await startBucket() : null
    try {
      const store = await openPostgres(postgres.url, { outbox: testOutbox, migrates: true })
      const keys = await putBoth(createClusterBlobs(bucket?.settings ?? null, { store, clock, onFailure: () => undefined }).put)
      await store.close()
      const secret = { DATABASE_URL: postgres.url, ROSTRUM_SECRET: 'tests-sign-with-this-0123456789-abcdefghijklmnop' }
      const { address, keyId, secret: word } = bucket?.settings ?? {}
      const bucketEnv = address && { ROSTRUM_BLOBS: `s3:${address}`, AWS_ACCESS_KEY_ID: keyId ?? '', AWS_SECRET_ACCESS_KEY: word ?? '' }
      await attack(t, keys, { ...secret, ...bucketEnv })
    } finally {
      bucket?.close()
      await postgres.stop()
    }
  })
}
