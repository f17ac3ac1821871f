// A dependency that is away is not a fault of ours: every call that needs it is answered with 503 `temporarily_unavailable` and
// `Retry-After`, within five seconds, and works again when it is back. A real PostgreSQL behind a relay that can be cut and held, and a
// real SQLite that may not grow.
import assert from 'node:assert/strict'
import { createServer, connect, type Server, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { Away, whyAway } from '../../server/platform/away.ts'
import { createAnswering } from '../../server/platform/db/answering.ts'
import { createBucketBlobs, createTableBlobs } from '../../server/platform/blobs/blob-stores.ts'
import { isServiceError } from '@rostrum/base/errors'
import { openPostgres } from '../../server/platform/db/postgres.ts'
import { StartupError, type Store } from '../../server/platform/db/store.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { eventually, manualClock, passUntil } from '../support/clock.ts'
import { openService, type TestService } from '../support/service.ts'
import { openTestStore, testOutbox } from '../support/stores.ts'

/** Between the service and its database: lets through, refuses, or takes every byte and gives none. */
interface Relay {
  port: number
  /** Later connections are refused, those that there are break. */
  cut(): Promise<void>
  /** What comes is kept and not passed on; connections are taken. */
  hold(): void
  /** As it was at first. */
  mend(): Promise<void>
  close(): Promise<void>
}

async function openRelay(to: URL): Promise<Relay> {
  const sockets = new Set<Socket>()
  let isHeld = false
  let server: Server
  let port = 0
  const listen = () =>
    new Promise<void>((resolve) => {
      server = createServer((near) => {
        const far = connect(Number(to.port), to.hostname)
        for (const [one, other] of [
          [near, far],
          [far, near],
        ] as const) {
          sockets.add(one)
          one.on('data', (bytes) => void (isHeld || other.write(bytes)))
          one.on('error', () => other.destroy())
          one.on('close', () => {
            sockets.delete(one)
            other.destroy()
          })
        }
      })
      server.listen(port, '127.0.0.1', () => {
        const address = server.address()
        port = typeof address === 'object' && address !== null ? address.port : 0
        resolve()
      })
    })
  const shut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  await listen()
  return {
    get port() {
      return port
    },
    cut: shut,
    hold: () => void (isHeld = true),
    async mend() {
      if (isHeld) {
        isHeld = false
        // What was swallowed never comes.
        for (const socket of sockets) socket.destroy()
      } else await listen()
    },
    close: shut,
  }
}

const title = { title: 'A talk about the quay' }

interface World {
  app: TestService
  relay: Relay
  store: Store
}

const isAway = (answer: { status: number; headers: Headers; body: { code?: string } }) => {
  assert.equal(answer.status, 503)
  assert.equal(answer.body.code, 'temporarily_unavailable')
  assert.match(answer.headers.get('Retry-After') ?? '', /^\d+$/)
}

describe('postgres', () => {
  let server: TestPostgres | null = null
  before(async () => void (server = await startPostgres()))
  after(() => server?.stop())

  async function withRelay(fn: (world: World) => Promise<void>): Promise<void> {
    assert.ok(server !== null)
    const to = new URL(server.url)
    const relay = await openRelay(to)
    const url = new URL(server.url)
    url.port = String(relay.port)
    const clock = manualClock()
    const store = await openPostgres(url.href, { outbox: testOutbox, clock })
    const app = await openService({ store, clock })
    try {
      await fn({ app, relay, store })
    } finally {
      await app.close()
      await store.close()
      await relay.close()
    }
  }

  test('a start with a database that hangs is told in words', async () => {
    assert.ok(server !== null)
    const relay = await openRelay(new URL(server.url))
    relay.hold()
    const clock = manualClock()
    const opening = openPostgres(`postgres://rostrum@127.0.0.1:${relay.port}/postgres`, { outbox: testOutbox, clock })
    const isTold = (error: unknown) =>
      error instanceof StartupError && error.message.startsWith('PostgreSQL cannot be used: the server does not answer. Check DATABASE_URL')
    await assert.rejects(passUntil(clock, opening), isTold)
    await relay.close()
  })

  for (const way of ['cut', 'hold'] as const)
    test(`a database that ${way === 'cut' ? 'refuses connections' : 'takes everything and answers nothing'} was a fault of ours, or waited for ever`, () =>
      withRelay(async ({ app, relay }) => {
        assert.equal((await app.api('POST', '/api/v1/agent/sessions', title)).status, 200)
        const stranger = await app.newKey()
        const ask = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'list_sessions', arguments: {} } }
        await relay[way]()
        const since = app.clock.elapsed()
        const [write, read, page, ready, tool, refused, token] = await passUntil(
          app.clock,
          Promise.all([
            app.api('POST', '/api/v1/agent/sessions', title),
            app.api('GET', '/api/v1/agent/sessions'),
            app.request('/join/welcome', { headers: { Accept: 'text/html' } }),
            app.request('/readyz').then((answer) => {
              assert.ok(app.clock.elapsed() - since <= 1_000)
              return answer
            }),
            app.api('POST', '/mcp', ask),
            app.api('POST', '/mcp', ask, stranger),
            app.request('/oauth2/register', {
              method: 'POST',
              headers: { 'Content-Type': 'application/json' },
              body: JSON.stringify({ client_name: 'A client', redirect_uris: ['http://127.0.0.1/back'] }),
            }),
          ]),
        )
        assert.ok(app.clock.elapsed() - since <= 5_000)
        isAway(write)
        isAway(read)
        isAway(token)
        assert.equal(token.body.error, 'temporarily_unavailable')
        assert.equal(page.status, 503)
        assert.match(page.headers.get('Refresh') ?? '', /^\d+$/)
        assert.match(page.text, /tries again by itself/)
        assert.equal(ready.status, 503)
        assert.equal(tool.status, 200)
        assert.deepEqual(tool.body.result._meta['x-rostrum/error'], { code: 'temporarily_unavailable', retryable: true })
        assert.equal(refused.status, 503)
        assert.deepEqual([refused.body.id, refused.body.error.code, refused.body.error.data.code], [7, 503, 'temporarily_unavailable'])
        assert.match(refused.headers.get('Retry-After') ?? '', /^\d+$/)
        await relay.mend()
        await eventually(async () => {
          await app.clock.advance(1_000)
          return (await passUntil(app.clock, app.request('/readyz'))).status === 200
        })
        assert.equal((await app.api('POST', '/api/v1/agent/sessions', title)).status, 200)
      }))
})

describe('sqlite', () => {
  const limits = {
    full: [sql`PRAGMA max_page_count = 1`, sql`PRAGMA max_page_count = 1000000`, /disk of this service is full/],
    unwritable: [sql`PRAGMA query_only = ON`, null, /disk of this service cannot be used/],
  } as const

  for (const [why, [limit, lift, words]] of Object.entries(limits))
    test(`a disk that is ${why} was a fault of ours, and the service called itself ready`, async () => {
      const store = await openTestStore()
      const app = await openService({ store, env: { ROSTRUM_METRICS_TOKEN: 'metrics-token' } })
      try {
        assert.equal((await app.api('POST', '/api/v1/agent/sessions', title)).status, 200)
        await store.write((tx) => limit.execute(tx))
        const long = { ...title, description: 'x'.repeat(1_900), slides: [{ textContent: 'y'.repeat(9_000) }] }
        let answer = await app.api('POST', '/api/v1/agent/sessions', long)
        // There may be room left in pages that are already there.
        for (let more = 0; answer.status === 200 && more < 50; more++) answer = await app.api('POST', '/api/v1/agent/sessions', long)
        isAway(answer)
        // What is read goes on.
        assert.equal((await app.api('GET', '/api/v1/agent/sessions')).status, 200)
        const ready = await app.request('/readyz')
        assert.equal(ready.status, 503)
        assert.match(ready.body.reason, words)
        const metrics = await app.request('/metrics', { headers: { Authorization: 'Bearer metrics-token' } })
        assert.match(metrics.text, new RegExp(`rostrum_store_failures_total\\{reason="${why}"\\} [1-9]`))
        assert.match(metrics.text, /rostrum_store_writable 0/)
        // Not even that can be written.
        if (lift === null) return
        await store.write((tx) => lift.execute(tx))
        assert.equal((await app.api('POST', '/api/v1/agent/sessions', long)).status, 200)
        assert.equal((await app.request('/readyz')).status, 200)
      } finally {
        await app.close()
        await store.close()
      }
    })
})

test('a server that is slow is let work on, one that is silent is asked, and whoever comes is refused until it answers', async () => {
  const clock = manualClock()
  let asked = 0
  let isThere = true
  const ask = (signal: AbortSignal) => {
    asked++
    if (isThere) return Promise.resolve()
    return new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(new Error('no answer'))))
  }
  const answering = createAnswering({ ask, clock, silenceMs: 2_000 })
  let letGo = 0
  const slow = answering.begin(() => letGo++)
  await clock.advance(10_000)
  assert.ok(asked > 0 && letGo === 0)
  isThere = false
  const since = clock.elapsed()
  while (letGo === 0) await clock.advance(100)
  assert.ok(clock.elapsed() - since <= 5_000)
  slow.end(false)
  assert.throws(() => answering.begin(() => undefined), Away)
  await clock.advance(3_000)
  isThere = true
  assert.throws(() => answering.begin(() => undefined), Away)
  await clock.advance(0)
  answering.begin(() => undefined).end(true)
  answering.close()
})

test('a bucket that takes everything and answers nothing held its callers for a minute', async () => {
  const held = createServer(() => undefined)
  await new Promise<void>((resolve) => held.listen(0, '127.0.0.1', resolve))
  const sockets = new Set<Socket>()
  held.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  const address = held.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const [store, time] = [await openTestStore(), manualClock()]
  const settings = { address: `http://127.0.0.1:${port}/talks`, region: 'auto', keyId: 'a', secret: 'b' }
  const failures: unknown[] = []
  const bucket = createBucketBlobs(settings, createTableBlobs({ store, clock: time }), {
    store,
    clock: time,
    time,
    onFailure: (error) => failures.push(error),
  })
  const isRefused = (error: unknown) => isServiceError(error) && error.status === 503
  const since = time.elapsed()
  await assert.rejects(passUntil(time, bucket.find(`${'a'.repeat(64)}.png`)), isRefused)
  assert.ok(time.elapsed() - since <= 5_000)
  await assert.rejects(bucket.find(`${'b'.repeat(64)}.png`), isRefused)
  assert.equal(failures.length, 2)
  for (const socket of sockets) socket.destroy()
  await new Promise<void>((resolve) => held.close(() => resolve()))
  await store.close()
})

test('what is away is told from what is wrong', () => {
  const database = (code: string) => Object.assign(new Error('from the server'), { code })
  const sqlite = (errcode: number) => Object.assign(new Error('from the file'), { code: 'ERR_SQLITE_ERROR', errcode })
  const away: readonly [Error, string][] = [
    [database('57P01'), 'unreachable'],
    [database('57P03'), 'unreachable'],
    [database('08006'), 'unreachable'],
    [database('53300'), 'busy'],
    [database('53100'), 'full'],
    [database('25006'), 'unwritable'],
    [sqlite(5), 'busy'],
    [sqlite(261), 'busy'],
    [sqlite(13), 'full'],
    [sqlite(778), 'unwritable'],
    [database('ENOSPC'), 'full'],
    [new AggregateError([database('ECONNREFUSED')]), 'unreachable'],
    [new Error('timeout exceeded when trying to connect'), 'unreachable'],
    [new Error('Connection terminated unexpectedly'), 'unreachable'],
  ]
  for (const [error, why] of away) assert.equal(whyAway(error), why, String(error))
  const wrong = [database('23505'), database('42P01'), sqlite(19), sqlite(1), new Error('a bug'), new TypeError('another')]
  for (const error of wrong) assert.equal(whyAway(error), undefined, String(error))
})
