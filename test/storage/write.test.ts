// What `write` promises on both stores: all or nothing per caller, durable before it answers, and one way to use it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import type { Store } from '../../server/platform/db/store.ts'
import { manualClock } from '../support/clock.ts'
import { delayedStore, eachStore, openTestStore } from '../support/stores.ts'

const put = (name: string) => ({ name, owner: 'o', epoch: 1, lease_until: 0 })
const names = async (store: Store) =>
  (await store.read.selectFrom('leases').select('name').orderBy('name').execute()).map((row) => row.name)

eachStore((name, open) => {
  test('one caller that throws is alone in failing, and leaves nothing', async () => {
    const { store } = await open()
    const calls = Array.from({ length: 20 }, (_, n) =>
      store.write(async (tx) => {
        await tx
          .insertInto('leases')
          .values(put(`row-${n}`))
          .execute()
        if (n % 5 === 0) throw new Error(`no ${n}`)
        return n
      }),
    )
    const settled = await Promise.allSettled(calls)
    for (const [n, outcome] of settled.entries()) {
      if (n % 5 === 0) assert.equal(outcome.status === 'rejected' && String(outcome.reason), `Error: no ${n}`)
      else assert.equal(outcome.status === 'fulfilled' && outcome.value, n)
    }
    assert.equal((await names(store)).length, 16)
  })

  test('whatever callers do at once, what is told is what is stored', async () => {
    const { store } = await open()
    const acts = ['keep', 'throw', 'break'] as const
    let round = 0
    const property = fc.asyncProperty(fc.array(fc.constantFrom(...acts), { maxLength: 40 }), async (calls) => {
      const prefix = `round-${String(++round).padStart(3, '0')}-`
      const told = await Promise.allSettled(
        calls.map((act, n) =>
          store.write(async (tx) => {
            const row = put(`${prefix}${String(n).padStart(2, '0')}`)
            await tx.insertInto('leases').values(row).execute()
            if (act === 'throw') throw new Error('thrown')
            if (act === 'break') await tx.insertInto('leases').values(row).execute()
            return row.name
          }),
        ),
      )
      const kept = told.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
      assert.equal(kept.length, calls.filter((act) => act === 'keep').length)
      assert.deepEqual(
        (await names(store)).filter((row) => row.startsWith(prefix)),
        kept,
      )
    })
    await fc.assert(property, { numRuns: 25 })
  })

  test('a write answers only when other stores can read its rows', async () => {
    const { store, another } = await open()
    const second = await another()
    await store.write((tx) => tx.insertInto('leases').values(put('seen')).execute())
    assert.deepEqual(await names(second), ['seen'])
  })

  test('a read never sees a row before its commit', async () => {
    const { store } = await open()
    await store.write(async (tx) => {
      await tx.insertInto('leases').values(put('hidden')).execute()
      // SQLite answers at once; on PostgreSQL this takes a second connection.
      assert.deepEqual(await names(store), [])
    })
    assert.deepEqual(await names(store), ['hidden'])
  })

  test('a failed query fails its write even if the error is caught', async () => {
    const { store } = await open()
    await store.write((tx) => tx.insertInto('leases').values(put('taken')).execute())
    const swallowing = store.write(async (tx) => {
      await tx.insertInto('leases').values(put('other')).execute()
      await tx
        .insertInto('leases')
        .values(put('taken'))
        .execute()
        .catch(() => undefined)
      return 'fine'
    })
    await assert.rejects(swallowing, /let it throw/)
    assert.deepEqual(await names(store), ['taken'])
  })

  test('queries of one write may be awaited together', async () => {
    const { store } = await open()
    await store.write((tx) =>
      Promise.all(
        [1, 2, 3].map((n) =>
          tx
            .insertInto('leases')
            .values(put(`row-${n}`))
            .execute(),
        ),
      ),
    )
    assert.deepEqual(await names(store), ['row-1', 'row-2', 'row-3'])
  })

  test('`read` does not write', async () => {
    const { store } = await open()
    await assert.rejects(store.read.insertInto('leases').values(put('x')).execute())
    assert.deepEqual(await names(store), [])
  })

  test('a topic rings once the write is readable, once for many, and not for a write that failed', async (t) => {
    const { store } = await open()
    const rung: string[] = []
    t.after(store.listen('run:', (topic) => void rung.push(topic)))
    await store
      .write(async (_tx, ring) => {
        ring('run:failed')
        throw new Error('no')
      })
      .catch(() => undefined)
    await store.write(async (_tx, ring) => {
      ring('run:1')
      ring('run:1')
      ring('other')
    })
    await store.write(async (_tx, ring) => ring('run:2'))
    assert.deepEqual(rung, ['run:1', 'run:2'])
  })

  test('a listener that throws silences nobody else', async (t) => {
    const { store } = await open()
    const rung: string[] = []
    const warned = new Promise((resolve) => void process.once('warning', resolve))
    t.after(
      store.listen('a', () => {
        throw new Error('bad listener')
      }),
    )
    t.after(store.listen('a', (topic) => void rung.push(topic)))
    await store.write(async (_tx, ring) => ring('a'))
    assert.deepEqual(rung, ['a'])
    assert.match(String(await warned), /bad listener/)
  })

  test('values come back as they went in, numbers as numbers', async () => {
    const { store } = await open()
    const until = Number.MAX_SAFE_INTEGER
    await store.write((tx) => tx.insertInto('leases').values({ name: 'Zürich 🚀', owner: '', epoch: -1, lease_until: until }).execute())
    const row = await store.read.selectFrom('leases').selectAll().executeTakeFirstOrThrow()
    assert.deepEqual(row, { name: 'Zürich 🚀', owner: '', epoch: -1, lease_until: until })
    const figures = await store.read
      .selectFrom('leases')
      .select((eb) => [
        eb.fn.countAll<number>().as('count'),
        eb.fn.sum<number>('epoch').as('sum'),
        eb(eb.fn.max('epoch'), '<', 0).as('isNegative'),
      ])
      .executeTakeFirstOrThrow()
    assert.deepEqual(figures, { count: 1, sum: -1, isNegative: 1 })
  })

  test('text that PostgreSQL cannot store, undefined, booleans and fractions are refused', async () => {
    const { store } = await open()
    const refused: readonly unknown[] = ['a\u0000b', undefined, true, 0.5, Number.NaN, 2 ** 53, 1n, {}, new Date(0)]
    for (const value of refused) {
      await assert.rejects(store.read.executeQuery(sql`SELECT ${value} AS value`.compile(store.read)), TypeError, String(value))
    }
  })

  test('identifiers are ordered by their bytes', async () => {
    const { store } = await open()
    await store.write((tx) => tx.insertInto('leases').values(['b', 'B', 'a', 'ä', '_', '1'].map(put)).execute())
    assert.deepEqual(await names(store), ['1', 'B', '_', 'a', 'b', 'ä'])
  })

  test('an insert, update and delete tell how many rows they changed', async () => {
    const { store } = await open()
    const counts = await store.write(async (tx) => {
      const inserted = await tx
        .insertInto('leases')
        .values([put('a'), put('b')])
        .executeTakeFirstOrThrow()
      const updated = await tx.updateTable('leases').set({ epoch: 2 }).executeTakeFirstOrThrow()
      const deleted = await tx.deleteFrom('leases').where('name', '=', 'a').executeTakeFirstOrThrow()
      return [inserted.numInsertedOrUpdatedRows, updated.numUpdatedRows, deleted.numDeletedRows]
    })
    assert.deepEqual(counts, [2n, 2n, 1n])
  })

  test('closing finishes what is queued and refuses what comes later', async () => {
    const { store, another } = await open()
    const second = await another()
    const writes = Array.from({ length: 100 }, (_, n) =>
      second.write((tx) =>
        tx
          .insertInto('leases')
          .values(put(`row-${n}`))
          .execute(),
      ),
    )
    // A connection of the pool is taken within the turn; then the store closes under the writes.
    await second.close()
    await Promise.all(writes)
    assert.equal((await names(store)).length, 100)
    await assert.rejects(
      second.write(async () => 1),
      /closed/,
    )
    await second.close()
  })

  test('a slow store answers the same, later', async () => {
    const { store } = await open()
    const slow = delayedStore(store, 1)
    await slow.write((tx) => tx.insertInto('leases').values(put('a')).execute())
    assert.deepEqual(await names(slow), ['a'])
  })

  if (name === 'postgres') {
    test('two writes that wait for each other both end', async () => {
      const { store } = await open()
      await store.write((tx) =>
        tx
          .insertInto('leases')
          .values([put('a'), put('b')])
          .execute(),
      )
      const bothHoldOne = Promise.withResolvers<void>()
      let holding = 0
      const touch = (first: string, then: string) =>
        store.write(async (tx) => {
          const rise = (row: string) =>
            tx
              .updateTable('leases')
              .set((eb) => ({ epoch: eb('epoch', '+', 1) }))
              .where('name', '=', row)
              .execute()
          await rise(first)
          if (++holding === 2) bothHoldOne.resolve()
          await bothHoldOne.promise
          await rise(then)
        })
      await Promise.all([touch('a', 'b'), touch('b', 'a')])
      const rows = await store.read.selectFrom('leases').select('epoch').execute()
      assert.deepEqual(rows, [{ epoch: 3 }, { epoch: 3 }])
    })
  } else {
    test('a write that awaits anything but its transaction is rolled back, and its neighbours are not', async () => {
      const { store } = await open()
      const stray = store.write(async (tx) => {
        await tx.insertInto('leases').values(put('stray')).execute()
        await new Promise((resolve) => setImmediate(resolve))
        await tx.insertInto('leases').values(put('late')).execute()
      })
      const nested = store.write(() => store.write(async (tx) => tx.insertInto('leases').values(put('inner')).execute()))
      const neighbour = store.write((tx) => tx.insertInto('leases').values(put('neighbour')).execute())
      await assert.rejects(stray, /await nothing but its transaction/)
      await assert.rejects(nested, /await nothing but its transaction/)
      await neighbour
      assert.deepEqual(await names(store), ['inner', 'neighbour'])
    })

    test('a commit that fails fails everybody in it, and the next one works', async (t) => {
      // Its time stands still: a commit is bounded by time, and both writes must be in one.
      const store = await openTestStore({ clock: manualClock() })
      t.after(() => store.close())
      await store.write((tx) =>
        sql`CREATE TABLE child (id TEXT PRIMARY KEY, parent TEXT REFERENCES leases (name) DEFERRABLE INITIALLY DEFERRED) STRICT`.execute(
          tx,
        ),
      )
      const outcomes = await Promise.allSettled([
        store.write((tx) => tx.insertInto('leases').values(put('innocent')).execute()),
        store.write((tx) => sql`INSERT INTO child VALUES ('c', 'nobody')`.execute(tx)),
      ])
      assert.deepEqual(
        outcomes.map((outcome) => outcome.status),
        ['rejected', 'rejected'],
      )
      assert.deepEqual(await names(store), [])
      await store.write((tx) => tx.insertInto('leases').values(put('next')).execute())
      assert.deepEqual(await names(store), ['next'])
    })
  }
})
