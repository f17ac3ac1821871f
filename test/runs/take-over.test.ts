// Who goes on with a run whose owner is no more, and when: at the instant its lease runs out, at once where its process is seen to be
// gone, and never by waiting for a row that somebody else holds (Spec 6.1: each fact once).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventFeed } from '../../src/platform/operation.ts'
import { tailHub } from '../../src/runs/stream/tail.ts'
import type { Store } from '../../src/platform/db/store.ts'
import { eventually, manualClock, passUntil, settle } from '../support/clock.ts'
import type { LiveRoom } from '../support/live.ts'
import { liveRoom } from '../support/live.ts'
import { runRow } from '../support/rows.ts'
import { sampleSession } from '../support/sample-talk.ts'
import { eachStore } from '../support/stores.ts'
import { openStream } from '../support/test-stream.ts'

const leaseMs = 600

const { sessionId, accountId } = sampleSession()
const theirs = { lease_owner: 'another process', epoch: 1, session_id: sessionId, account_id: accountId }

const addRun = (store: Store, change: Parameters<typeof runRow>[0]) =>
  store.write((tx) =>
    tx
      .insertInto('runs')
      .values(runRow({ ...theirs, ...change }))
      .execute(),
  )

const ownerOf = async (store: Store): Promise<string | null> =>
  (await store.read.selectFrom('runs').select('lease_owner').where('id', '=', 'run-1').executeTakeFirstOrThrow()).lease_owner

async function withRoom(room: LiveRoom, story: (room: LiveRoom) => Promise<void>): Promise<void> {
  try {
    await story(room)
  } finally {
    await room.close()
  }
}

eachStore((dialect, open) => {
  test('a run is taken when its lease runs out, not at some later look', async () => {
    const { store } = await open()
    const clock = manualClock()
    const lapse = clock.now() + 437
    await addRun(store, { lease_until: lapse })
    await withRoom(await liveRoom({ store, clock, leaseMs }), async () => {
      await clock.advance(lapse - clock.now() - 1)
      assert.equal(await ownerOf(store), theirs.lease_owner)
      await clock.advance(1)
      await eventually(async () => (await ownerOf(store)) !== theirs.lease_owner)
    })
  })

  test('a host is answered while another transaction holds the run', { skip: dialect === 'sqlite' }, async () => {
    const { store, another } = await open()
    const clock = manualClock()
    await addRun(store, { lease_until: 0 })
    const [held, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holder = (await another()).write(async (tx) => {
      await tx.updateTable('runs').set({ last_seq: 0 }).where('id', '=', 'run-1').execute()
      held.resolve()
      await end.promise
    })
    await held.promise
    await withRoom(await liveRoom({ store, clock, leaseMs }), async (room) => {
      const ended = room.call('host_run', room.host, { runId: 'run-1', id: crypto.randomUUID(), action: 'end' })
      await settle()
      assert.equal((await store.read.selectFrom('run_commands').select('id').execute()).length, 1)
      assert.equal(await ownerOf(store), theirs.lease_owner)
      end.resolve()
      await holder
      assert.deepEqual(await passUntil(clock, ended), { status: 'completed' })
      assert.deepEqual(room.faults, [])
    })
  })

  test('who comes back within thirty seconds is caught up without a read of the log or a word to the run', async () => {
    const { store } = await open()
    const clock = manualClock()
    const room = await liveRoom({ store, clock, leaseMs, session: { mode: 'broadcast' } })
    await withRoom(room, async () => {
      const ada = await room.join()
      const stream = await ada.stream()
      await eventually(async () => stream.of('beat').length > 0)
      const cursor = stream.messages.findLast(({ id }) => id !== undefined)?.id ?? ''
      stream.close()
      await clock.advance(10_000)
      const seq = async () => (await store.read.selectFrom('runs').select('last_seq').executeTakeFirstOrThrow()).last_seq
      await eventually(async () => (await seq()) > Number(cursor.split('-')[1]))
      await eventually(async () => room.live.room.hub.followed(ada.runId)?.state.seq === (await seq()))
      const { feed } = await room.call('stream_run', ada.principal, { runId: ada.runId, lastEventId: cursor })
      const again = openStream(feed as EventFeed)
      // At once: nothing that waits for the store can be.
      assert.ok(again.messages.length > 1)
      const visits = await store.read.selectFrom('run_events').select('seq').where('type', '=', 'visit').execute()
      assert.equal(visits.length, 1)
      assert.deepEqual(await store.read.selectFrom('run_commands').select('id').where('kind', '=', 'visit').execute(), [])
    })
  })

  test('a visit that is closed while its stream is open elsewhere is opened again', async () => {
    const { store } = await open()
    const clock = manualClock()
    await withRoom(await liveRoom({ store, clock, leaseMs, session: { mode: 'broadcast' } }), async (room) => {
      const ada = await room.join()
      const stream = await ada.stream()
      await eventually(async () => stream.of('beat').length > 0)
      const closed = { kind: 'gone' as const, attendeeId: ada.attendeeId, reason: 'disconnected' as const }
      await room.live.runner.note(ada.runId, { ...closed, id: crypto.randomUUID(), since: clock.now() })
      const open = () => store.read.selectFrom('visits').select(['visit', 'left_at']).orderBy('visit').execute()
      await eventually(async () => (await open()).length === 2)
      assert.equal((await open())[1]?.left_at, null)
    })
  })

  test('events at hand are those after the cursor, or none where some are missing', async () => {
    const { store } = await open()
    await withRoom(await liveRoom({ store, leaseMs, session: { mode: 'broadcast' } }), async (room) => {
      const ada = await room.join()
      await ada.stream()
      await eventually(async () => (await store.read.selectFrom('run_events').select('seq').execute()).length > 3)
      const hub = tailHub({ store, clock: manualClock(), content: room.live.room.content })
      const opened = (await hub.open(ada.runId)) ?? assert.fail('no such run')
      const { state } = opened
      assert.deepEqual(
        opened.since(1)?.map((row) => row.seq),
        Array.from({ length: state.seq - 1 }, (_, n) => n + 2),
      )
      assert.deepEqual(opened.since(state.seq), [])
      hub.stop()
    })
  })
})
