// What once went wrong for those who read a room by long polls (test/runs/room-sim.test.ts), each told alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settle } from '../support/clock.ts'
import { liveRoom } from '../support/live.ts'

test('a long poll after the end is told that the room is closed, and is no visit', async () => {
  const room = await liveRoom({ session: { mode: 'broadcast' } })
  const ada = await room.join()
  const stream = await ada.stream()
  await settle()
  stream.close()
  for (const action of ['end', 'end']) {
    await room.call('host_run', room.host, { runId: ada.runId, id: crypto.randomUUID(), action })
    await settle()
  }
  await room.clock.advance(60_000)
  const polls = room.polls(ada.principal, ada.runId)
  await room.clock.advance(100)
  assert.deepEqual(
    polls.messages.map(({ event, data }) => [event, data['reason']]),
    [
      ['snapshot', undefined],
      ['closed', 'ended'],
    ],
  )
  assert.equal(polls.isOpen(), false)
  const visits = await room.store.read.selectFrom('visits').select('visit').execute()
  assert.equal(visits.length, 1)
  await room.close()
})
