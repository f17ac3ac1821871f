// What becomes of attendees whose process dies: those who come back elsewhere were never away, the others have left when the process
// has been missed, and nobody is written down again and again while he listens (Spec 6.1).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../src/storage/store.ts'
import { manualClock, settle } from '../support/clock.ts'
import { liveRoom } from '../support/live.ts'
import { sampleTalk } from '../support/sample-talk.ts'
import { mortalProcess } from '../support/sim/mortal-process.ts'
import { eachStore } from '../support/stores.ts'

const session = { mode: 'broadcast' as const }
const hardship = { random: () => 0.5, slowMs: 0, lostRings: 0 }
const paces = { postgres: { beatMs: 1_500, goneMs: 29_000 }, sqlite: { beatMs: 15_000, goneMs: 61_000 } }

const presentIn = async (store: Store): Promise<string[]> =>
  (await store.read.selectFrom('visits').select('attendee_id').where('left_at', 'is', null).orderBy('attendee_id').execute()).map(
    (row) => row.attendee_id,
  )

eachStore((dialect, open) => {
  test('attendees of a process that died are gone soon, but for those who came back elsewhere', { timeout: 120_000 }, async () => {
    const { store, another } = await open()
    const clock = manualClock()
    const { beatMs, goneMs } = paces[dialect]
    const talk = sampleTalk(100)
    const alive = await liveRoom({ store, clock, seed: 1, session, talk })
    const dying = await mortalProcess({ store: await another(), clock, seed: 2, session, talk }, hardship)
    const { node } = alive.live.room.presence
    const seenAt = async (process: string) =>
      (await store.read.selectFrom('processes').select('seen_at').where('id', '=', process).executeTakeFirst())?.seen_at ?? 0
    /** A database answers in its own time: the clock waits for the round of the living process, while there is one under way. */
    const pass = async (ms: number) => {
      for (const end = clock.now() + ms; clock.now() < end;) {
        await clock.advance(Math.min(end - clock.now(), 500))
        for (let look = 0; look < 300 && clock.now() - (await seenAt(node)) > beatMs; look++) await settle()
      }
    }
    const until = async (holds: () => Promise<boolean>) => {
      for (let look = 0; look < 100 && !(await holds()); look++) await pass(500)
      assert.ok(await holds())
    }
    try {
      const [ada, bob, cleo] = [await alive.join(), await alive.join(), await alive.join()]
      const stays = await cleo.stream()
      await dying.room.stream(ada.principal, ada.runId)
      await dying.room.stream(bob.principal, bob.runId)
      const everybody = [ada, bob, cleo].map(({ attendeeId }) => attendeeId).toSorted()
      await until(async () => (await presentIn(store)).length === 3)
      await until(async () => {
        const rows = await store.read.selectFrom('attendees').select('node').execute()
        return rows.filter((row) => row.node !== node).length === 2
      })
      await pass(60_000)
      assert.deepEqual(await presentIn(store), everybody)

      dying.kill()
      const diedAt = clock.now()
      await pass(2_000)
      await bob.stream()
      const left = [bob, cleo].map(({ attendeeId }) => attendeeId).toSorted()
      while ((await presentIn(store)).length === 3 && clock.now() < diedAt + 120_000) await pass(beatMs)
      assert.ok(clock.now() - diedAt <= goneMs, `gone after ${clock.now() - diedAt} ms`)
      assert.deepEqual(await presentIn(store), left)
      const gone = await store.read
        .selectFrom('visits')
        .select('left_at')
        .where('attendee_id', '=', ada.attendeeId)
        .executeTakeFirstOrThrow()
      assert.equal(gone.left_at, await seenAt(dying.room.live.room.presence.node))
      await pass(60_000)
      assert.deepEqual(await presentIn(store), left)
      const visits = await store.read.selectFrom('run_events').select('seq').where('type', '=', 'visit').execute()
      assert.equal(visits.length, 4)
      assert.equal(stays.isOpen(), true)
      assert.deepEqual(alive.faults, [])
    } finally {
      await alive.close()
    }
  })
})
