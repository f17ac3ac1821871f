// Webhook events at their source (spec 6): order, repeats and the outbox.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewDomainEvent } from '@rostrum/contract/events'
import { append, appendAll } from '../../server/platform/db/domain-events.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { sessionRow } from '../support/rows.ts'
import { eachStore } from '../support/stores.ts'

const session = sessionRow()

function joined(n: number, change: Partial<NewDomainEvent> = {}): NewDomainEvent {
  return {
    type: 'attendee.joined',
    accountId: session.account_id,
    sessionId: session.id,
    at: 2_000 + n,
    dedupeKey: `joined:${n}:1`,
    data: { runId: null, attendeesOnline: n },
    ...change,
  }
}

async function addSession(store: Store): Promise<void> {
  await store.write((tx) => tx.insertInto('sessions').values(session).execute())
}

const waiting = (store: Store) => store.read.selectFrom('outbox').selectAll().where('consumer', '=', 'webhooks').execute()
const listEvents = (store: Store) => store.read.selectFrom('domain_events').selectAll().orderBy('sequence').execute()

eachStore((name, open) => {
  test('the body is the whole envelope with sequence and session', async () => {
    const { store } = await open()
    await addSession(store)
    const row = await store.write((tx) => append(tx, joined(1)))
    assert.ok(row)
    assert.match(row.id, /^msg_[0-9a-f]{12}7[0-9a-f]{19}$/)
    assert.deepEqual(JSON.parse(row.body), {
      type: 'attendee.joined',
      timestamp: '1970-01-01T00:00:02.001Z',
      id: row.id,
      data: {
        sequence: 1,
        session: {
          id: session.id,
          title: 'Quiet pumps',
          slug: 'quiet-pumps-abcdef',
          status: 'published',
          mode: 'isolated',
          roomUrl: 'https://rostrum.test/join/quiet-pumps-abcdef',
        },
        runId: null,
        attendeesOnline: 1,
      },
    })
    assert.deepEqual(await listEvents(store), [row])
  })

  test('fifty appends at once get the numbers 1 to 50, one each', async () => {
    const { store, another } = await open()
    await addSession(store)
    const stores = [store, await another()]
    await Promise.all(Array.from({ length: 50 }, (_, n) => (stores[n % 2] ?? store).write((tx) => append(tx, joined(n)))))
    const sequences = (await listEvents(store)).map((row) => row.sequence)
    assert.deepEqual(
      sequences,
      Array.from({ length: 50 }, (_, i) => i + 1),
    )
  })

  test('a repeated dedupe key appends nothing and uses no number', async () => {
    const { store, another } = await open()
    await addSession(store)
    const second = await another()
    const repeats = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? store : second).write((tx) => append(tx, joined(7))))
    const appended = (await Promise.all(repeats)).filter((row) => row !== null)
    assert.equal(appended.length, 1)
    const next = await store.write((tx) => append(tx, joined(8)))
    assert.equal(next?.sequence, 2)
    assert.equal((await waiting(store)).length, 2)
  })

  test('many events of one session are appended as one by one: in order, each once, without a gap', async () => {
    const { store, another } = await open()
    await addSession(store)
    await store.write((tx) => append(tx, joined(2)))
    const batches = [[1, 2, 3, 3], [4], [5, 6], [2, 5], []]
    const stores = [store, await another()]
    await Promise.all(
      batches.map((batch, n) =>
        (stores[n % 2] ?? store).write((tx) =>
          appendAll(
            tx,
            batch.map((at) => joined(at)),
          ),
        ),
      ),
    )
    const events = await listEvents(store)
    assert.deepEqual(
      events.map((row) => row.sequence),
      [1, 2, 3, 4, 5, 6],
    )
    assert.deepEqual(
      events.map((row) => row.dedupe_key).toSorted(),
      [1, 2, 3, 4, 5, 6].map((n) => `joined:${n}:1`),
    )
    const places = [1, 3].map((n) => events.findIndex((row) => row.dedupe_key === `joined:${n}:1`))
    assert.ok((places[0] ?? 0) < (places[1] ?? 0))
    assert.ok(events.every((row) => JSON.parse(row.body).data.sequence === row.sequence))
    assert.equal((await waiting(store)).length, 6)
    await store.write((tx) =>
      appendAll(
        tx,
        [joined(7), joined(8)].map((event) => ({ ...event, accountId: 'acct-other' })),
      ),
    )
    assert.equal((await listEvents(store)).length, 6)
  })

  test('an append that is rolled back leaves no event, no outbox row and no gap', async () => {
    const { store } = await open()
    await addSession(store)
    const failing = store.write(async (tx) => {
      await append(tx, joined(1))
      throw new Error('the change failed')
    })
    await assert.rejects(failing, /the change failed/)
    assert.deepEqual(await waiting(store), [])
    assert.equal((await store.write((tx) => append(tx, joined(2))))?.sequence, 1)
  })

  test('an append rings the outbox after its commit, on every store of the data', async (t) => {
    const { store, another } = await open()
    await addSession(store)
    const rung = Promise.withResolvers<string>()
    const listening = name === 'postgres' ? await another() : store
    t.after(listening.listen('outbox', rung.resolve))
    await store.write((tx) => append(tx, joined(1)))
    assert.equal(await rung.promise, 'outbox')
  })

  test('an event of a session that is gone, or of another account, is not appended', async () => {
    const { store } = await open()
    await addSession(store)
    assert.equal(await store.write((tx) => append(tx, joined(1, { sessionId: 'gone' }))), null)
    assert.equal(await store.write((tx) => append(tx, joined(1, { accountId: 'other' }))), null)
  })

  test('a body over 64 KiB is refused and leaves nothing', async () => {
    const { store } = await open()
    await addSession(store)
    await assert.rejects(
      store.write((tx) => append(tx, joined(1, { data: { name: 'x'.repeat(70_000) } }))),
      /exceeds/,
    )
    assert.deepEqual(await listEvents(store), [])
  })
})
