// Real processes on one PostgreSQL, killed with SIGKILL at random while a room of attendees listens through any of them.
// `ROSTRUM_TEST_ATTENDEES=2000` is the long form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterOptions } from '../support/cluster.ts'
import { eventsAfterAct, runCluster } from '../support/cluster.ts'

const attendees = Number(process.env['ROSTRUM_TEST_ATTENDEES'] ?? 60)
const noPostgres = 'There is no PostgreSQL for this platform.'

async function nothingLost(options: ClusterOptions, skip: (why: string) => void): Promise<void> {
  const report = await runCluster(options)
  if (report === null) return skip(noPostgres)
  const { lost, repeated, unordered, resets, statuses, events } = report
  assert.deepEqual({ lost, repeated, unordered, resets }, { lost: 0, repeated: 0, unordered: 0, resets: 0 })
  assert.deepEqual(new Set(statuses), new Set(['completed']))
  assert.ok(events > eventsAfterAct * options.acts.length)
}

test('[R-6] whichever of two processes is killed, every attendee gets every event once and in order', (t) =>
  nothingLost({ attendees, acts: ['any', 'any'], roles: ['all', 'all'] }, (why) => t.skip(why)))

test('[R-6] the same where processes serve or present and a new version comes, NATS dies and PostgreSQL is started anew', (t) =>
  nothingLost({ attendees, acts: ['upgrade', 'nats', 'postgres'], roles: ['web', 'worker', 'worker'], nats: true, seed: 3 }, (why) =>
    t.skip(why),
  ))
