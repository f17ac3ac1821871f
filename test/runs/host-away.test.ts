// Where a host is who has taken a talk over: present as long as a page of theirs is open in any process that lives, and gone with the
// last of them, so that it is handed back then and not before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paces } from '../../server/runs/stream/processes.ts'
import type { Store } from '../../server/platform/db/store.ts'
import { manualClock, settle } from '../support/clock.ts'
import type { LiveRoom } from '../support/live.ts'
import { liveRoom } from '../support/live.ts'
import { sampleTalk } from '../support/sample-talk.ts'
import { mortalProcess } from '../support/sim/mortal-process.ts'
import { eachStore } from '../support/stores.ts'

const session = { mode: 'broadcast' as const }
const talk = sampleTalk(100)
const leaseMs = 10_000
const hardship = { random: () => 0.5, slowMs: 0, lostRings: 0 }
/** After the last page of the host has closed: the hand-back is offered, and two minutes later made. */
const awayMs = 60_000

const isOffered = async (store: Store): Promise<boolean> =>
  (await store.read.selectFrom('run_events').select('data').where('type', '=', 'state').execute()).some(({ data }) =>
    data.includes('host_away'),
  )

/** Each time that the run was told of a page of its host: whether one is open in some process. */
const toldOf = async (store: Store): Promise<unknown[]> =>
  (await store.read.selectFrom('run_events').select('data').where('type', '=', 'host').orderBy('seq').execute()).map(
    ({ data }) => (JSON.parse(data) as { present: unknown }).present,
  )

/** A talk that its host has taken over at a page in `room`. */
async function takenOver(room: LiveRoom) {
  const ada = await room.join()
  await ada.stream()
  const page = await room.stream(room.host, ada.runId)
  await settle()
  await room.call('host_run', room.host, { runId: ada.runId, id: crypto.randomUUID(), action: 'take_over' })
  await settle()
  assert.equal(page.of('state').at(-1)?.['status'], 'handed_over')
  return { runId: ada.runId, page }
}

eachStore((dialect, open) => {
  test('a host whose page reconnects to another process keeps the talk: the old stream closes later than the new one opens', async () => {
    const clock = manualClock()
    const { store, another } = await open({ clock })
    const here = await liveRoom({ store, clock, seed: 1, session, talk, leaseMs })
    const there = await liveRoom({ store: await another(), clock, seed: 2, session, talk, leaseMs })
    try {
      const { runId, page } = await takenOver(here)
      const again = await there.stream(there.host, runId)
      await clock.advance(1_000)
      page.close()
      await clock.advance(awayMs + 2_000)
      assert.equal(await isOffered(store), false)
      assert.equal(again.isOpen(), true)
    } finally {
      await there.close()
      await here.close()
    }
  })

  test('a host whose process dies has gone, and one whose process stood still for a while is there again', async () => {
    const clock = manualClock()
    const { store, another } = await open({ clock })
    const here = await liveRoom({ store, clock, seed: 1, session, talk, leaseMs })
    const there = await mortalProcess({ store: await another(), clock, seed: 2, session, talk, leaseMs }, hardship)
    try {
      const { runId, page } = await takenOver(here)
      await there.room.stream(here.host, runId)
      await clock.advance(1_000)
      page.close()
      const { silenceMs, beatMs } = paces[dialect]
      there.stall(silenceMs + 2 * beatMs)
      await clock.advance(silenceMs + 2 * beatMs + awayMs)
      assert.deepEqual(await toldOf(store), [true, true, false, false, true])
      assert.equal(await isOffered(store), false)
      there.kill()
      await clock.advance(silenceMs + 2 * beatMs)
      assert.deepEqual(await toldOf(store), [true, true, false, false, true, false])
      await clock.advance(awayMs)
      assert.equal(await isOffered(store), true)
    } finally {
      await here.close()
    }
  })
})
