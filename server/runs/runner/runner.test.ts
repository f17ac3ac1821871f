// The leases of a process that holds its store alone: few are written, none stays without a run behind it, and none is missed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock, settle } from '../../../test/support/clock.ts'
import { liveRoom } from '../../../test/support/live.ts'
import { openTestStore } from '../../../test/support/stores.ts'

test('whoever holds the store writes the leases of its runs three times a minute', async () => {
  const room = await liveRoom({ holdsStore: true })
  const { store, clock } = room
  await room.join()
  const leasedUntil = async () => (await store.read.selectFrom('runs').select('lease_until').executeTakeFirstOrThrow()).lease_until
  await clock.advance(2_000)
  const before = await leasedUntil()
  assert.ok(before - clock.now() > 40_000)
  await clock.advance(15_000)
  assert.equal(await leasedUntil(), before)
  await clock.advance(10_000)
  assert.ok((await leasedUntil()) > before)
  await room.close()
})

test('a lease in the name of a process without a run behind it is given back, and the run is taken', async () => {
  const room = await liveRoom()
  const { store, clock, live } = room
  await room.join()
  const row = await store.read.selectFrom('runs').selectAll().executeTakeFirstOrThrow()
  await store.write((tx) =>
    tx
      .insertInto('runs')
      .values({ ...row, id: '00000000-0000-4000-8000-000000000001', last_seq: 0 })
      .execute(),
  )
  assert.equal(live.runner.owned, 1)
  await clock.advance(4_000)
  assert.equal(live.runner.owned, 2)
  await room.close()
})

test('a process that slept longer than its leases goes on with its own runs', async () => {
  const room = await liveRoom({ holdsStore: true })
  const { store, clock, live } = room
  // As many as one look finds.
  for (let n = 0; n < 100; n++) await room.join()
  await clock.advance(3_000)
  await store.write((tx) => tx.updateTable('runs').set({ lease_until: 0 }).execute())
  await clock.advance(2_000)
  assert.equal(live.runner.owned, 100)
  await room.close()
})

test('a run that was given up is taken up again by the next command: it once answered nobody as long as it was asked', async () => {
  const room = await liveRoom()
  const { store, clock, live } = room
  const ann = await room.join()
  await ann.stream()
  await ann.post('control_run', { action: 'start' })
  await clock.advance(1_000)
  // The lease stays in the name of this process, and its presenter has lost it.
  await store.write((tx) =>
    tx
      .updateTable('runs')
      .set((eb) => ({ epoch: eb('epoch', '+', 1) }))
      .execute(),
  )
  const answered: unknown[] = []
  const pause = () => void ann.post('control_run', { action: 'pause' }).then((answer) => answered.push(answer))
  pause()
  await settle()
  assert.equal(live.runner.owned, 0)
  pause()
  await settle()
  assert.deepEqual(answered, [{ status: 'paused' }, { status: 'paused' }])
  await room.close()
})

test('a renewal that began before a run was given up leaves its successor alone: the talk once stood still', async () => {
  const clock = manualClock()
  const store = await openTestStore({ clock })
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isHeld = false
  const renewalHeld: typeof store = {
    ...store,
    urgent: {
      read: store.read,
      async write(fn, manner) {
        if (isHeld) {
          isHeld = false
          begun.resolve()
          await goOn.promise
        }
        return store.write(fn, manner)
      },
    },
  }
  const room = await liveRoom({ clock, store: renewalHeld, session: { mode: 'broadcast' } })
  const ann = await room.join()
  await ann.stream()
  await clock.advance(1_000)
  isHeld = true
  await clock.advance(500)
  await begun.promise
  await store.write((tx) =>
    tx
      .updateTable('runs')
      .set((eb) => ({ epoch: eb('epoch', '+', 1) }))
      .execute(),
  )
  const ask = () => ann.post('ask_question', { text: 'What does it cost?' })
  void ask()
  await settle()
  assert.equal(room.live.runner.owned, 0)
  void ask()
  await settle()
  assert.equal(room.live.runner.owned, 1)
  goOn.resolve()
  await settle()
  await clock.advance(120_000)
  const { status } = await store.read.selectFrom('runs').select('status').executeTakeFirstOrThrow()
  assert.equal(status, 'completed')
  await room.close()
  await store.close()
})
