// What a read sees when others write: reads of one turn may share a snapshot, and nobody may notice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Store } from '../../server/platform/db/store.ts'
import { eachStore } from '../support/stores.ts'

const put = (store: Store, name: string) =>
  store.write((tx) => tx.insertInto('leases').values({ name, owner: 'o', epoch: 1, lease_until: 0 }).execute())
const names = async (store: Store) =>
  (await store.read.selectFrom('leases').select('name').orderBy('name').execute()).map((row) => row.name)

eachStore((_name, open) => {
  test('who has written reads what was written, also where the same turn had read before', async () => {
    const { store } = await open()
    assert.deepEqual(await names(store), [])
    for (const each of ['a', 'b', 'c']) {
      const before = names(store)
      await put(store, each)
      assert.equal((await names(store)).at(-1), each)
      await before
    }
  })

  test('what another process has committed is read in the next turn', async () => {
    const { store, another } = await open()
    const other = await another()
    assert.deepEqual(await names(store), [])
    await put(other, 'theirs')
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(await names(store), ['theirs'])
  })

  test('a failed read spoils no later one', async () => {
    const { store } = await open()
    await assert.rejects(sql`SELECT nothing FROM leases`.execute(store.read))
    assert.deepEqual(await names(store), [])
    await put(store, 'after')
    assert.deepEqual(await names(store), ['after'])
  })
})
