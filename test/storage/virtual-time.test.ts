// The clock of the tests waits for stores: whatever a database takes, no timer fires before it has answered what was asked of it, and
// before every process has heard what follows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../support/clock.ts'
import { delayedStore, eachStore } from '../support/stores.ts'

const row = { name: 'a', owner: 'o', epoch: 1, lease_until: 0 }

eachStore((dialect, open) => {
  test('time that is moved on waits for a slow store before the next timer fires', async () => {
    const clock = manualClock()
    const store = delayedStore((await open({ clock })).store, 20)
    const seen: string[] = []
    clock.after(10, () => {
      void store
        .write((tx) => tx.insertInto('leases').values(row).execute())
        .then(() => store.read.selectFrom('leases').select('name').executeTakeFirstOrThrow())
        .then(({ name }) => seen.push(name))
    })
    clock.after(11, () => void seen.push('later'))
    await clock.advance(11)
    assert.deepEqual(seen, ['a', 'later'])
  })

  test('a ring has reached the other processes when the time of its sending is over', { skip: dialect === 'sqlite' }, async (t) => {
    const clock = manualClock()
    const { store, another } = await open({ clock })
    const seen: string[] = []
    t.after((await another()).listen('run:', (topic) => void seen.push(topic)))
    for (let n = 0; n < 20; n++) {
      await store.write(async (_tx, ring) => ring(`run:${n}`))
      await clock.advance(10)
      assert.equal(seen.length, n + 1)
    }
  })
})
