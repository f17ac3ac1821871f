// Two `rostrum serve` workers on one PostgreSQL (Spec 6): both send, nothing is sent twice, and when one is killed the other sends
// what is left.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { append } from '../../server/platform/db/domain-events.ts'
import { openPostgres } from '../../server/platform/db/postgres.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { eventually } from '../support/clock.ts'
import { listenLocally } from '../support/outbound.ts'
import { startPostgres } from '../support/postgres.ts'
import { sessionRow } from '../support/rows.ts'
import type { TestServer } from '../support/server.ts'
import { startServer } from '../support/server.ts'
import { testOutbox } from '../support/stores.ts'
import { prepare } from './prepare.ts'

const secret = 'q7Zp2vXk9LmT4wRb8NcY6dHs3FgJ5aUe'
const events = 100

/** Answers nobody until two have asked at once: one worker sends one at a time, and would wait for the other. */
async function receiver(): Promise<{ url: string; seen: Map<string, number>; most: () => number; close(): Promise<void> }> {
  const seen = new Map<string, number>()
  let held: ServerResponse[] = []
  let open = 0
  let most = 0
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    seen.set(id, (seen.get(id) ?? 0) + 1)
    most = Math.max(most, ++open)
    request.resume().once('end', () => {
      held.push(response)
      if (most < 2) return
      open -= held.length
      for (const each of held) each.writeHead(204).end()
      held = []
    })
  })
  return { ...(await listenLocally(server)), seen, most: () => most }
}

async function addEvents(store: Store, from: number): Promise<void> {
  const session = sessionRow()
  const one = (n: number) =>
    store.write((tx) =>
      append(tx, {
        type: 'cta.clicked',
        accountId: session.account_id,
        sessionId: session.id,
        at: Date.now(),
        dedupeKey: `workers:${n}`,
        data: {},
      }),
    )
  for (let n = from; n < from + events; n += 10) await Promise.all(Array.from({ length: 10 }, (_, at) => one(n + at)))
}

const done = async (store: Store) =>
  (await store.read.selectFrom('webhook_deliveries').select('id').where('status', '=', 'succeeded').execute()).length

test('two workers on one database share the webhooks, and one goes on alone', async (t) => {
  const postgres = await startPostgres()
  if (postgres === null) return t.skip('no PostgreSQL for this platform')
  const sink = await receiver()
  const store = await openPostgres(postgres.url, { outbox: testOutbox })
  const workers: TestServer[] = []
  try {
    await prepare(store, `${sink.url}/hook`, secret)
    const env = {
      DATABASE_URL: postgres.url,
      ROSTRUM_SECRET: secret,
      ROSTRUM_ROLE: 'worker',
      ROSTRUM_EGRESS_ALLOW: '127.0.0.0/8',
      ROSTRUM_WEBHOOK_ENDPOINT_CONCURRENCY: '1',
      // The first attempt waits for the other worker.
      ROSTRUM_WEBHOOK_TIMEOUT_MS: '120000',
    }
    workers.push(...(await Promise.all([startServer({ env }), startServer({ env })])))
    await addEvents(store, 0)
    await eventually(async () => (await done(store)) === events)
    assert.equal(sink.seen.size, events)
    assert.ok([...sink.seen.values()].every((times) => times === 1))
    const [first, second] = workers
    assert.ok(first !== undefined && second !== undefined)
    // Each sends one at a time.
    assert.equal(sink.most(), 2)
    await first.kill()
    await addEvents(store, events)
    await eventually(async () => (await done(store)) === 2 * events)
    assert.equal(sink.seen.size, 2 * events)
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()))
    await store.close()
    await sink.close()
    await postgres.stop()
  }
})
