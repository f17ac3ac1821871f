// Two real processes on one PostgreSQL, killed with SIGKILL at random while a room of attendees listens through either of them.
// `ROSTRUM_TEST_ATTENDEES=2000` is the long form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterOptions } from '../support/cluster.ts'
import { eventsAfterKill, runCluster } from '../support/cluster.ts'

const attendees = Number(process.env['ROSTRUM_TEST_ATTENDEES'] ?? 60)
const noPostgres = 'There is no PostgreSQL for this platform.'

async function nothingLost(options: ClusterOptions, skip: (why: string) => void): Promise<void> {
  const report = await runCluster(options)
  if (report === null) return skip(noPostgres)
  const { lost, repeated, unordered, resets, status, events } = report
  assert.deepEqual({ lost, repeated, unordered, resets, status }, { lost: 0, repeated: 0, unordered: 0, resets: 0, status: 'completed' })
  assert.ok(events > eventsAfterKill * options.kills)
}

test('[R-6] whichever of two processes is killed, every attendee gets every event once and in order', (t) =>
  nothingLost({ attendees, kills: 2, roles: ['all', 'all'] }, (why) => t.skip(why)))

test('[R-6] the same where one process serves the room and the other presents', (t) =>
  nothingLost({ attendees, kills: 1, roles: ['web', 'worker'], seed: 3 }, (why) => t.skip(why)))
