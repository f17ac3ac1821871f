// What once went wrong for those who read a room by other ways than a stream (test/runs/room-sim.test.ts), each told alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settle } from '../support/clock.ts'
import { liveRoom } from '../support/live.ts'
import { openService } from '../support/service.ts'

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

test('who asks only for the head of a stream leaves nothing of the run in memory', async () => {
  const app = await openService()
  const { body: session } = await app.api('POST', '/api/v1/agent/sessions', {
    title: 'Grid',
    isLive: true,
    slides: [{ textContent: 'Grid' }],
  })
  const { attendeeToken, runId } = (await app.api('POST', `/api/v1/rooms/${session.slug}/attendees`, {}, null)).body
  const { hub } = app.service.live.room
  assert.equal((await app.api('HEAD', `/api/v1/runs/${runId}/stream`, undefined, attendeeToken)).status, 200)
  assert.notEqual(hub.followed(runId), null)
  await app.clock.advance(32_000)
  assert.equal(hub.followed(runId), null)
  await app.close()
})
