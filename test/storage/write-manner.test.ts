// What a write may do without holds for it alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Tx } from '../../server/platform/db/store.ts'
import { eachStore } from '../support/stores.ts'

eachStore((name, open) => {
  test('a write of any manner commits', async () => {
    const { store } = await open()
    for (const manner of [{}, { isByKey: true }]) {
      const made = JSON.stringify(manner)
      await store.write(async (tx) => {
        await tx.insertInto('leases').values({ name: made, owner: 'x', epoch: 1, lease_until: 0 }).execute()
      }, manner)
      assert.ok(await store.read.selectFrom('leases').select('name').where('name', '=', made).executeTakeFirst())
    }
  })

  if (name !== 'postgres') return
  test('how a write is planned ends with it', async () => {
    const { store } = await open()
    const shown = async (tx: Tx, setting: string) =>
      Object.values((await sql<object>`SHOW ${sql.raw(setting)}`.execute(tx)).rows[0] ?? {})[0]
    const settings = async (tx: Tx) => [await shown(tx, 'plan_cache_mode'), await shown(tx, 'enable_seqscan')]
    const usual = await store.write(settings)
    assert.deepEqual(usual, ['force_custom_plan', 'on'])
    assert.deepEqual(await store.write(settings, { isByKey: true }), ['force_generic_plan', 'off'])
    assert.deepEqual(await store.write(settings), usual)
  })
})
