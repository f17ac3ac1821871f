// What only PostgreSQL brings: a server that is not there, connections that break, and rings between nodes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openPostgres } from '../../server/platform/db/postgres.ts'
import { StartupError, type Store } from '../../server/platform/db/store.ts'
import { eachStore, testOutbox } from '../support/stores.ts'

test('a server that cannot be reached stops the start in words, without the password', async () => {
  const opening = openPostgres('postgres://rostrum:hunter2@127.0.0.1:1/rostrum', { outbox: testOutbox })
  await assert.rejects(opening, (error) => {
    assert.ok(error instanceof StartupError)
    assert.match(error.message, /ECONNREFUSED.*Check DATABASE_URL/)
    assert.doesNotMatch(error.message, /hunter2/)
    return true
  })
})

/** Ends every connection to this database but the one that asks. */
async function breakConnections(store: Store): Promise<void> {
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`.execute(
    store.read,
  )
}

eachStore((name, open) => {
  if (name !== 'postgres') return

  test('many topics of many writes all reach another node', async (t) => {
    const { store, another } = await open()
    const listening = await another()
    const topics = Array.from({ length: 2_000 }, (_, n) => `run:${n}-${'x'.repeat(40)}`)
    const missing = new Set(topics)
    const all = Promise.withResolvers<void>()
    t.after(
      listening.listen('run:', (topic) => {
        missing.delete(topic)
        if (missing.size === 0) all.resolve()
      }),
    )
    await Promise.all(
      Array.from({ length: 20 }, (_, lane) =>
        store.write(async (_tx, ring) => {
          for (let n = lane; n < topics.length; n += 20) ring(topics[n] ?? '')
        }),
      ),
    )
    await all.promise
  })

  test('a node hears its own ring once', async (t) => {
    const { store, another } = await open()
    const listening = await another()
    const own: string[] = []
    t.after(store.listen('', (topic) => void own.push(topic)))
    const heard = Promise.withResolvers<string>()
    t.after(listening.listen('run:2', heard.resolve))
    await store.write(async (_tx, ring) => ring('run:1'))
    await store.write(async (_tx, ring) => ring('run:2'))
    await heard.promise
    assert.deepEqual(own, ['run:1', 'run:2'])
  })

  test('after its connections broke a store reads, writes and rings again', async (t) => {
    const { store, another } = await open()
    const listening = await another()
    await breakConnections(store)
    const heard = Promise.withResolvers<void>()
    t.after(listening.listen('run:', () => heard.resolve()))
    let isHeard = false
    const written = heard.promise.then(() => void (isHeard = true))
    for (let n = 0; ; n++) {
      // The first tries may meet a connection that is just breaking, and rings are lost until the reconnect.
      await store.write(async (_tx, ring) => ring(`run:${n}`)).catch(() => undefined)
      await sql`SELECT pg_sleep(0.05)`.execute(listening.read).catch(() => undefined)
      if (isHeard) break
    }
    await written
  })

  test('a connection that breaks inside a write fails that write alone', async () => {
    const { store, another } = await open()
    const other = await another()
    const broken = store.write(async (tx) => {
      await tx.insertInto('leases').values({ name: 'half', owner: 'o', epoch: 1, lease_until: 0 }).execute()
      await breakConnections(other)
      await sql`SELECT 1`.execute(tx)
    })
    await assert.rejects(broken)
    await store.write((tx) => tx.insertInto('leases').values({ name: 'whole', owner: 'o', epoch: 1, lease_until: 0 }).execute())
    assert.deepEqual(await store.read.selectFrom('leases').select('name').execute(), [{ name: 'whole' }])
  })
})
