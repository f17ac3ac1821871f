// The id of a delivery: one for each pair, found by subscription and time, the same made by the database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { deliveryId, deliveryIdOf, deliveryRange } from '../../server/platform/db/deliveries.ts'
import { idBound, newId } from '../../server/webhooks/delivery.ts'
import { seededIds } from '../support/ids.ts'
import { eachStore } from '../support/stores.ts'

const time = fc.integer({ min: 0, max: 2 ** 48 - 1 })
const seed = fc.integer({ min: 0, max: 1_000_000 })

test('a delivery lies in the range of its subscription and of the time of its event, and in no other', () => {
  fc.assert(
    fc.property(seed, time, time, time, time, (n, made, at, from, to) => {
      const ids = seededIds(n)
      const [subscription, other, event] = [newId('wh', ids, made), newId('wh', ids, made), newId('msg', ids, at)]
      const id = deliveryId(subscription, event)
      const isWithin = ({ first, end }: { first: string; end: string }) => id >= first && id < end
      assert.ok(isWithin(deliveryRange(subscription)))
      assert.ok(!isWithin(deliveryRange(other)))
      assert.equal(isWithin(deliveryRange(subscription, { from })), at >= from)
      assert.equal(isWithin(deliveryRange(subscription, { from, to })), at >= from && at < to)
    }),
  )
})

eachStore((_, open) => {
  test('the database makes the same id of the two', async () => {
    const { store } = await open()
    const ids = seededIds(1)
    const [subscription, event] = [newId('wh', ids, 1_000), newId('msg', ids, 2_000)]
    const text = sql<{
      id: string
    }>`SELECT ${deliveryIdOf('s', 'e')} AS id FROM (SELECT ${sql.lit(subscription)} AS s, ${sql.lit(event)} AS e) AS pair`
    assert.deepEqual((await text.execute(store.read)).rows, [{ id: deliveryId(subscription, event) }])
    assert.ok(deliveryId(subscription, event) > deliveryId(subscription, idBound('msg', 2_000)))
  })
})
