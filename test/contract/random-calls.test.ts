// Calls at random, many at once, to one process on SQLite and to two on PostgreSQL: whatever is sent, the service answers as its own
// description says, and what it keeps stays whole. `ROSTRUM_TEST_CALLS=20000` is the long form, `ROSTRUM_TEST_SEED` where it begins.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { manualClock } from '../support/clock.ts'
import { callAtRandom } from '../support/random-calls/random-calls.ts'
import { straysIn } from '../support/random-calls/strays.ts'
import { everyRate } from '../support/rates.ts'
import { testSeed } from '../support/seed.ts'
import { openService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const calls = Number(process.env['ROSTRUM_TEST_CALLS'] ?? 288)
const unlimited = Object.fromEntries(Object.keys(everyRate('off')).map((bucket) => [`ROSTRUM_RATE_${bucket.toUpperCase()}`, 'off']))
const loopback = { ROSTRUM_EGRESS_ALLOW: '127.0.0.0/8', ROSTRUM_INSECURE_HTTP: '1' }
const env = { ...unlimited, ...loopback, ROSTRUM_PLAN_SESSIONS: '1000000', ROSTRUM_OPEN_RUNS_ADDRESS: 'off' }

eachStore((name, open) => {
  test('of calls at random at once each is answered as the description says, and nothing is left half done', async (t) => {
    const clock = manualClock()
    const { store, another } = await open({ clock })
    const isAlone = name === 'sqlite'
    const first = await openService({ store, clock, isAlone, env })
    const others = isAlone ? [] : [await openService({ store: await another(), clock, isAlone, env })]
    const problems: string[] = []
    const note = (error: unknown) => void problems.push(inspect(error))
    const report = await callAtRandom({ seed: testSeed, calls, services: [first, ...others] }).catch(note)
    // Which says what was logged as a failure.
    for (const service of [first, ...others]) await service.close().catch(note)
    problems.push(...(report?.faults ?? []), ...(await straysIn(store)))
    assert.deepEqual(problems, [], `chance began at ROSTRUM_TEST_SEED=${testSeed}`)
    t.diagnostic(`${report?.succeeded.size} operations succeeded; answers by status: ${JSON.stringify(report?.statuses)}`)
  })
})
