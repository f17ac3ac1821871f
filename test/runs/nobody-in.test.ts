// What a restart costs for talks that nobody is in: nothing, until somebody comes back to one or it is to end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, manualClock } from '../support/clock.ts'
import { type LiveRoom, liveRoom, type TestAttendee } from '../support/live.ts'
import { eachStore } from '../support/stores.ts'

const many = 12

/** Talks of one attendee each that wait in their lobby, and others that were begun and left. */
async function leftBehind(room: LiveRoom): Promise<{ lobbies: TestAttendee[]; paused: TestAttendee[] }> {
  const seats: TestAttendee[] = []
  for (let at = 0; at < 2 * many; at++) seats.push(await room.join())
  const [lobbies, paused] = [seats.slice(0, many), seats.slice(many)]
  const streams = await Promise.all(paused.map((each) => each.stream()))
  for (const each of paused) await each.post('control_run', { action: 'start' })
  for (const stream of streams) stream.close()
  await room.clock.advance(90_000)
  return { lobbies, paused }
}

eachStore((dialect, open) => {
  const holdsStore = dialect === 'sqlite'

  test('a restart wrote `recovered` to every talk that was open, and held them all in memory, though nobody was in them', async () => {
    const { store } = await open()
    const clock = manualClock()
    const before = await liveRoom({ store, clock, holdsStore })
    const { paused } = await leftBehind(before)
    await before.close()
    const log = () =>
      store.read.selectFrom('run_events').select(['run_id', 'seq', 'type', 'data']).orderBy('run_id').orderBy('seq').execute()
    const rows = await log()
    const room = await liveRoom({ store, clock, holdsStore, seed: 2 })
    await clock.advance(5_000)
    assert.deepEqual(await log(), rows)
    assert.equal(room.live.runner.owned, 0)
    // Whoever comes back finds their talk, and goes on with it.
    const [ada] = paused
    assert.ok(ada !== undefined)
    const stream = await room.stream(ada.principal, ada.runId)
    await eventually(async () => room.live.runner.owned === 1)
    assert.deepEqual(await room.call('control_run', ada.principal, { runId: ada.runId, id: crypto.randomUUID(), action: 'resume' }), {
      status: 'presenting',
    })
    await eventually(async () => stream.of('beat').length > 0)
    assert.equal(room.live.runner.owned, 1)
    stream.close()
    // The others end when they would have ended, and not later.
    await clock.advance(10 * 60_000)
    const statuses = async () => (await store.read.selectFrom('runs').select('status').execute()).map(({ status }) => status)
    await eventually(async () => (await statuses()).filter((status) => status === 'completed').length === many)
    if (dialect === 'sqlite') {
      await clock.advance(31 * 60_000)
      await eventually(async () => (await statuses()).every((status) => status === 'completed'))
    }
    const told = (await log()).filter(({ type, data }) => type === 'state' && data.includes('recovered'))
    assert.ok(told.every(({ run_id }) => run_id === ada.runId))
    assert.deepEqual(room.faults, [])
    await room.close()
  })

  test('who was listening when the process died goes on at once, and who does not come back is missed', async () => {
    const { store } = await open()
    const clock = manualClock()
    const before = await liveRoom({ store, clock, holdsStore })
    const [ada, ben] = [await before.join(), await before.join()]
    for (const each of [ada, ben]) {
      await each.stream()
      await each.post('control_run', { action: 'start' })
    }
    await clock.advance(40_000)
    await before.close()
    const room = await liveRoom({ store, clock, holdsStore, seed: 2 })
    const stream = await room.stream(ada.principal, ada.runId)
    await eventually(async () => stream.of('state').some(({ reason }) => reason === 'recovered'))
    await eventually(async () => stream.of('beat').at(-1)?.['phase'] === 'start')
    if (holdsStore) assert.equal(room.live.runner.owned, 1)
    await clock.advance(120_000)
    const rowOf = () => store.read.selectFrom('runs').select(['status']).where('id', '=', ben.runId).executeTakeFirstOrThrow()
    await eventually(async () => (await rowOf()).status === 'paused')
    const visit = await store.read.selectFrom('visits').select('left_at').where('run_id', '=', ben.runId).executeTakeFirstOrThrow()
    assert.notEqual(visit.left_at, null)
    const told = await store.read
      .selectFrom('run_events')
      .select('data')
      .where('run_id', '=', ben.runId)
      .where('type', '=', 'state')
      .execute()
    if (holdsStore) assert.ok(told.every(({ data }) => !data.includes('recovered')))
    assert.deepEqual(room.faults, [])
    await room.close()
  })
})
