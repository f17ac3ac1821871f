import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveRoom, rehearsalToken } from '../../../test/support/live.ts'
import { cleanUp } from './forget.ts'

const day = 86_400_000

test('lobbies that nobody started go after a day, logs of rehearsals after a week, live logs never', async () => {
  const room = await liveRoom()
  const lobby = await room.join()
  const held = await room.join()
  await held.stream()
  await held.post('control_run', { action: 'start' })
  const rehearsal = await room.join({ key: rehearsalToken(room.session) })
  await rehearsal.post('control_run', { action: 'start' })
  const runIds = async () => (await room.store.read.selectFrom('runs').select('id').execute()).map((row) => row.id).sort()
  const now = room.clock.now()
  await cleanUp(room.store, now + day - 1)
  assert.equal((await runIds()).length, 3)
  await cleanUp(room.store, now + day + 1)
  assert.ok(!(await runIds()).includes(lobby.runId))
  await cleanUp(room.store, now + 7 * day + 1)
  assert.deepEqual(await runIds(), [held.runId])
  await room.close()
})

test('what the talks of a deleted session recorded goes: the words of its people, who they were, what they clicked', async () => {
  const room = await liveRoom()
  const tables = ['runs', 'run_events', 'run_commands', 'attendees', 'visits', 'cta_clicks'] as const
  const rows = async () => {
    const counts = await Promise.all(
      tables.map((table) =>
        room.store.read
          .selectFrom(table)
          .select((row) => row.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow(),
      ),
    )
    return counts.map(({ count }) => Number(count) > 0)
  }
  for (let n = 0; n < 12; n++) {
    const ada = await room.join({ name: 'Ada' })
    await ada.stream()
    await ada.post('control_run', { action: 'start' })
    await ada.post('ask_question', { text: 'What does it cost?' })
    await ada.post('act_on_cta', { action: 'click' })
  }
  await room.live.stopRuns(room.session.sessionId, 'deleted')
  await cleanUp(room.store, room.clock.now() + 61_000)
  assert.deepEqual(await rows(), [true, true, true, true, true, true])
  await room.store.write((tx) => tx.deleteFrom('sessions').execute())
  await cleanUp(room.store, room.clock.now() + 59_000)
  assert.deepEqual(await rows(), [true, true, true, true, true, true])
  await cleanUp(room.store, room.clock.now() + 61_000)
  assert.deepEqual(await rows(), [false, false, false, false, false, false])
  await room.close()
})
