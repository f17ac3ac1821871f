// A store that is away for longer than a run repeats its write (7 s), while people come to a room and leave it, and a process stops.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { absenceMs } from '../../server/runs/stream/presence.ts'
import type { Store } from '../../server/platform/db/store.ts'
import type { ManualClock } from '../support/clock.ts'
import { manualClock } from '../support/clock.ts'
import type { LiveRoom } from '../support/live.ts'
import { liveRoom } from '../support/live.ts'
import { sampleTalk } from '../support/sample-talk.ts'
import type { OpenStore } from '../support/stores.ts'
import { eachStore } from '../support/stores.ts'

/** A store that takes no write while it is away. */
function leaving(store: Store) {
  let isAway = false
  const writing = (write: Store['write']): Store['write'] => {
    return async (fn, manner) => {
      if (isAway) throw new Error('The store is away.')
      return write(fn, manner)
    }
  }
  const urgent = store.urgent && { ...store.urgent, write: writing(store.urgent.write) }
  const away = async (clock: ManualClock, ms: number) => {
    isAway = true
    await clock.advance(ms)
    isAway = false
  }
  return { store: { ...store, write: writing(store.write), ...(urgent && { urgent }) }, away }
}

type Story = (room: LiveRoom, other: LiveRoom, away: (ms: number) => Promise<void>) => Promise<void>

/** The talk is that of `other`; the store is away for `room` alone, or for both where they are one. */
async function withStore(open: OpenStore, processes: 1 | 2, story: Story): Promise<void> {
  const clock = manualClock()
  const { store, another } = await open({ clock })
  const left = leaving(store)
  const options = { clock, session: { mode: 'broadcast' as const }, talk: sampleTalk(60) }
  const room = await liveRoom({ ...options, store: left.store, seed: 1 })
  const other = processes === 1 ? room : await liveRoom({ ...options, store: await another(), seed: 2 })
  try {
    await story(room, other, (ms) => left.away(clock, ms))
  } finally {
    if (other !== room) await other.close()
    await room.close()
  }
}

/** A run repeats its write for seven seconds. */
const repeatedMs = 8_500
/** Until every process has said again that it lives (SQLite: every 15 s), and the room was told. */
const heardOfMs = 20_000

eachStore((_dialect, open) => {
  for (const processes of [1, 2] as const)
    test(`who comes while the store is away counts when it is back, and who leaves then is gone (of ${processes})`, () =>
      withStore(open, processes, async (room, other, away) => {
        const { clock } = room
        const [ada, bob] = [await other.join(), await other.join()]
        const stays = await ada.stream()
        await clock.advance(2_000)
        const counts = () => stays.of('presence').at(-1)?.['count']
        assert.equal(counts(), 1)
        const comes = room.stream(bob.principal, bob.runId)
        await away(repeatedMs)
        await clock.advance(heardOfMs)
        assert.equal(counts(), 2)
        const stream = await comes
        stream.close()
        await clock.advance(absenceMs - 1_000)
        assert.equal(counts(), 2)
        await away(repeatedMs)
        await clock.advance(heardOfMs)
        assert.equal(counts(), 1)
      }))

  test('a process that was stopped while its store was away ended in the middle of its closing', () =>
    withStore(open, 1, async (room, _other, away) => {
      const ada = await room.join()
      await ada.stream()
      await room.clock.advance(2_000)
      const isBack = away(repeatedMs)
      await room.close()
      assert.ok(room.faults.some((fault) => String(fault).includes('The store is away')))
      await isBack
    }))
})
