import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveRoom, rehearsalToken } from '../../test/support/live.ts'
import { cleanUp } from './clean-up.ts'

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
