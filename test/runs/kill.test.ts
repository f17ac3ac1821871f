// Owners of runs die at random instants (Spec 6.1: each fact once). `ROSTRUM_TEST_KILLS=1000` is the long form; a failure names its seed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldLog } from '../../server/runs/runner/leases.ts'
import type { RunEvent } from '@rostrum/contract/room'
import { initialState } from '@rostrum/stage/run-state'
import type { SimReport } from '../support/room-sim.ts'
import { simulate } from '../support/room-sim.ts'
import { testSeed } from '../support/seed.ts'
import { checkClients, checkOrder, checkVoice, readLogs } from '../support/sim/sim-checks.ts'
import { checkLedger } from '../support/sim/sim-oracles.ts'

const killsWanted = Number(process.env['ROSTRUM_TEST_KILLS'] ?? 60)

async function check(report: SimReport, seed: number, attendees: number): Promise<void> {
  for (const log of await readLogs(report)) {
    checkOrder(log)
    checkVoice(log)
    checkClients(log)
    await checkLedger(log)
    checkBeats(log.events, seed)
    const { status } = await foldLog(report.store.read, log.runId, initialState(0))
    assert.equal(status, 'completed', `seed ${seed}: ${status} after ${report.virtualMs} ms`)
  }
  const facts = await report.store.read.selectFrom('domain_events').select(['type', 'dedupe_key']).execute()
  const count = (type: string) => facts.filter((fact) => fact.type === type).length
  assert.equal(count('session.started'), report.runIds.length, `seed ${seed}`)
  assert.equal(count('session.completed'), report.runIds.length, `seed ${seed}`)
  assert.ok(count('attendee.joined') >= attendees, `seed ${seed}`)
}

/** Each beat is said to its end exactly once; one that was cut, and only such a one, begins again. */
function checkBeats(events: readonly RunEvent[], seed: number): void {
  const ended = new Set<unknown>()
  let open: unknown = null
  for (const { type, data } of events) {
    if (type !== 'beat') continue
    if (data.phase === 'start') {
      assert.equal(open, null, `seed ${seed}: two beats at once`)
      assert.ok(!ended.has(data.beatId), `seed ${seed}: ${data.beatId} was said twice`)
      open = data.beatId
    } else {
      if (open !== null) assert.equal(data.beatId, open, `seed ${seed}`)
      if (data.phase !== 'cut') ended.add(data.beatId)
      open = null
    }
  }
  assert.equal(ended.size, 9, `seed ${seed}: every beat of the talk was said`)
}

test('killing owners at random instants loses and repeats nothing', async (t) => {
  let kills = 0
  let runs = 0
  for (let seed = testSeed; kills < killsWanted; seed++, runs++) {
    const mode = seed % 2 === 0 ? 'isolated' : 'broadcast'
    const attendees = mode === 'isolated' ? 2 : 3
    const report = await simulate({ seed, mode, attendees, kills: 12 })
    await check(report, seed, attendees)
    kills += report.kills
    await report.close()
  }
  t.diagnostic(`${kills} kills in ${runs} runs, seeds ${testSeed} to ${testSeed + runs - 1}`)
})
