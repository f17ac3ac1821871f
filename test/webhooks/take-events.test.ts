// Events leave the outbox in their order, and none stays behind because others came in between.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../src/storage/store.ts'
import { append } from '../../src/storage/domain-events.ts'
import { createEventSource } from '../../src/webhooks/take-events.ts'
import { rawSql } from '../../src/webhooks/raw-sql.ts'
import { sessionRow } from '../support/rows.ts'
import { seededIds } from '../support/ids.ts'
import { eachStore } from '../support/stores.ts'

const session = sessionRow()
const leaseMs = 60_000

async function add(store: Store, count: number, from: number): Promise<void> {
  for (let n = from; n < from + count; n++) {
    await store.write((tx) =>
      append(tx, {
        type: 'attendee.joined',
        accountId: session.account_id,
        sessionId: session.id,
        at: n,
        dedupeKey: `event ${n}`,
        data: { runId: null, attendee: { id: 'a', name: null, kind: 'human', joinedAt: '2026-11-20T12:00:00.000Z' }, attendeesOnline: 1 },
      }),
    )
  }
}

eachStore((name, open) => {
  // One process alone sends from an embedded store.
  const onShared = name === 'postgres' ? test : () => undefined
  onShared('where processes share a store, an event that was given back is taken within a second, however many come after it', async () => {
    const { store } = await open()
    await store.write((tx) => tx.insertInto('sessions').values(session).execute())
    await add(store, 40, 0)
    const source = createEventSource({ store, sql: rawSql(store.dialect), ids: seededIds(1), leaseMs })
    const held = new Set<string>()
    const take = async (now: number): Promise<string[]> => {
      const ids = (await source.next(4, () => new Set(held), now)).map(({ id }) => id)
      for (const id of ids) held.add(id)
      return ids
    }
    const first = await take(0)
    const second = await take(10)
    assert.deepEqual([...first, ...second], [...first, ...second].toSorted())
    // A process that died held the first: they are free now.
    await store.write((tx) => tx.updateTable('outbox').set({ lease_until: null }).where('event_id', 'in', first).execute())
    for (const id of first) held.delete(id)
    assert.deepEqual(
      (await take(20)).filter((id) => first.includes(id)),
      [],
      'behind what was taken',
    )
    assert.deepEqual((await take(1_000)).toSorted(), first)
    for (let now = 1_010; held.size < 40; now += 10) assert.ok((await take(now)).length > 0)
    assert.deepEqual(await take(3_000), [])
  })
})
