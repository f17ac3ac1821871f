// Statements that are compiled once: every call's own values stand where the text has them, on both databases.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prepared } from '../../server/platform/db/statements.ts'
import type { OutboxRow } from '../../server/platform/db/tables.ts'
import { eachStore } from '../support/stores.ts'

const put = prepared((db, rows: readonly OutboxRow[]) => db.insertInto('outbox').values(rows))

eachStore((_name, open) => {
  test('a statement is built once, and each call has its own values in their places, however often one stands there', async () => {
    const { store } = await open()
    await store.write((tx) =>
      put(
        tx,
        ['a', 'b', 'c'].map((event_id) => ({ consumer: 'x', event_id })),
      ),
    )
    let built = 0
    const find = prepared((db, { last, consumer, first }: { consumer: string; first: string; last: string }) => {
      built++
      return db
        .selectFrom('outbox')
        .select('event_id')
        .where('consumer', '=', consumer)
        .where((row) => row.or([row('event_id', '>', first), row('consumer', '<', consumer)]))
        .where('event_id', 'not in', ['q', 'r'])
        .where('event_id', '<=', last)
        .orderBy('event_id')
        .limit(5)
    })
    const ids = async (first: string, last: string) => (await find(store.read, { consumer: 'x', first, last })).map((row) => row.event_id)
    assert.deepEqual(await ids('a', 'z'), ['b', 'c'])
    assert.deepEqual(await ids('', 'b'), ['a', 'b'])
    assert.deepEqual(await store.write((tx) => find(tx, { last: 'z', consumer: 'other', first: '' })), [])
    assert.equal(built, 1)
  })

  test('lists of any length are written, and a failed row spoils the write', async () => {
    const { store } = await open()
    const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => ({ consumer: 'x', event_id: String(from + n) }))
    await store.write(async (tx) => {
      await put(tx, rows(0, 3))
      await put(tx, rows(3, 4))
      await put(tx, rows(4, 7))
    })
    const failing = store.write(async (tx) => {
      await put(tx, rows(7, 8))
      await put(tx, rows(0, 1)).catch(() => undefined)
    })
    await assert.rejects(failing)
    const kept = await store.read.selectFrom('outbox').select('event_id').orderBy('event_id').execute()
    assert.deepEqual(
      kept.map((row) => row.event_id),
      ['0', '1', '2', '3', '4', '5', '6'],
    )
  })

  test('a call that brings fewer or other values than the first is refused', async () => {
    const { store } = await open()
    const find = prepared((db, of: { consumer: string; id?: string }) => {
      const found = db.selectFrom('outbox').selectAll().where('consumer', '=', of.consumer)
      return of.id === undefined ? found : found.where('event_id', '=', of.id)
    })
    await find(store.read, { consumer: 'x', id: 'a' })
    await assert.rejects(find(store.read, { consumer: 'x' }), /1 values instead of 2/)
    await assert.rejects(find(store.read, Object.assign({ consumer: 'x' }, { other: 'a' })), /Parameter 2 is of type undefined/)
  })

  test('what only reads refuses a statement that writes', async () => {
    const { store } = await open()
    await assert.rejects(put(store.read, [{ consumer: 'x', event_id: 'a' }]))
    assert.deepEqual(await store.read.selectFrom('outbox').selectAll().execute(), [])
  })
})
