// What becomes of attendees whose process dies: those who come back elsewhere were never away, the others have left when the process
// has been missed, and nobody is written down again and again while they listen (Spec 6.1).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../server/platform/db/store.ts'
import { manualClock } from '../support/clock.ts'
import { liveRoom } from '../support/live.ts'
import { sampleTalk } from '../support/sample-talk.ts'
import { mortalProcess } from '../support/sim/mortal-process.ts'
import { eachStore } from '../support/stores.ts'

const session = { mode: 'broadcast' as const }
const hardship = { random: () => 0.5, slowMs: 0, lostRings: 0 }
/** Until a process is missed, and until the others look. */
const goneMs = { postgres: 10_000 + 1_500, sqlite: 45_000 + 15_000 }

const presentIn = async (store: Store): Promise<string[]> =>
  (await store.read.selectFrom('visits').select('attendee_id').where('left_at', 'is', null).orderBy('attendee_id').execute()).map(
    (row) => row.attendee_id,
  )

eachStore((dialect, open) => {
  test('attendees of a process that died are gone soon, but for those who came back elsewhere', async () => {
    const clock = manualClock()
    const { store, another } = await open({ clock })
    const talk = sampleTalk(100)
    const alive = await liveRoom({ store, clock, seed: 1, session, talk })
    const dying = await mortalProcess({ store: await another(), clock, seed: 2, session, talk }, hardship)
    const until = async (holds: () => Promise<boolean>, withinMs: number) => {
      for (const end = clock.now() + withinMs; clock.now() < end && !(await holds());) await clock.advance(500)
      assert.ok(await holds())
    }
    const { node } = alive.live.room.presence
    try {
      const [ada, bob, cleo] = [await alive.join(), await alive.join(), await alive.join()]
      const stays = await cleo.stream()
      await dying.room.stream(ada.principal, ada.runId)
      await dying.room.stream(bob.principal, bob.runId)
      const everybody = [ada, bob, cleo].map(({ attendeeId }) => attendeeId).toSorted()
      await until(async () => (await presentIn(store)).length === 3, 5_000)
      await until(async () => {
        const rows = await store.read.selectFrom('attendees').select('node').execute()
        return rows.filter((row) => row.node !== node).length === 2
      }, 5_000)
      await clock.advance(goneMs[dialect])
      assert.deepEqual(await presentIn(store), everybody)

      dying.kill()
      await clock.advance(2_000)
      await bob.stream()
      const left = [bob, cleo].map(({ attendeeId }) => attendeeId).toSorted()
      await until(async () => (await presentIn(store)).length < 3, goneMs[dialect] - 2_000)
      assert.deepEqual(await presentIn(store), left)
      const gone = await store.read
        .selectFrom('visits')
        .select('left_at')
        .where('attendee_id', '=', ada.attendeeId)
        .executeTakeFirstOrThrow()
      const seen = await store.read
        .selectFrom('processes')
        .select('seen_at')
        .where('id', '=', dying.room.live.room.presence.node)
        .executeTakeFirstOrThrow()
      assert.equal(gone.left_at, seen.seen_at)
      await clock.advance(goneMs[dialect])
      assert.deepEqual(await presentIn(store), left)
      const visits = await store.read.selectFrom('run_events').select('seq').where('type', '=', 'visit').execute()
      assert.equal(visits.length, 4)
      assert.equal(stays.isOpen(), true)
      assert.deepEqual(alive.faults, [])
    } finally {
      await alive.close()
    }
  })

  test('an attendee who went to another process and straight back was never seen to leave', async () => {
    const clock = manualClock()
    const { store, another } = await open({ clock })
    const talk = sampleTalk(100)
    const here = await liveRoom({ store, clock, seed: 1, session, talk })
    const there = await liveRoom({ store: await another(), clock, seed: 2, session, talk })
    const { presence } = here.live.room
    try {
      const bob = await here.join()
      await bob.stream()
      const { attendeeId, runId, principal, ...ada } = await here.join()
      const both = [attendeeId, bob.attendeeId].toSorted()
      const first = await ada.stream()
      await clock.advance(1_000)
      first.close()
      const second = await there.stream(principal, runId)
      await clock.advance(1_000)
      second.close()
      // What the store said of them was read before the other process had written it down.
      const stay = { openedAt: clock.now(), supersede: () => {} }
      presence.open({ attendeeId, runId, name: null, kind: 'human', node: presence.node }, stay, true)
      await clock.advance(40_000)
      assert.deepEqual(await presentIn(store), both)
      presence.close(attendeeId, stay)
      await clock.advance(40_000)
      assert.deepEqual(await presentIn(store), [bob.attendeeId])
    } finally {
      await there.close()
      await here.close()
    }
  })
})
