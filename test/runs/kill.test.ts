// Owners of runs die at random instants (Spec 6.1: each fact once). `ROSTRUM_TEST_KILLS=1000` is the long form; a failure names its seed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldLog } from '../../src/presenter/leasing.ts'
import { readRunEvents } from '../../src/storage/run-log.ts'
import type { SimReport } from '../support/room-sim.ts'
import { simulate } from '../support/room-sim.ts'

const killsWanted = Number(process.env['ROSTRUM_TEST_KILLS'] ?? 60)
const firstSeed = Number(process.env['ROSTRUM_TEST_SEED'] ?? 1)

async function check(report: SimReport, seed: number, attendees: number): Promise<void> {
  for (const runId of report.runIds) {
    const rows = await readRunEvents(report.store.read, runId, 0, 100_000)
    rows.forEach((row, index) => assert.equal(row.seq, index + 1, `seed ${seed}: seq`))
    rows.forEach((row, index) =>
      assert.ok(row.epoch >= (rows[index - 1]?.epoch ?? 0), `seed ${seed}: an older epoch wrote after a newer one`),
    )
    checkBeats(
      rows.map((row) => ({ type: row.type, data: JSON.parse(row.data) as Record<string, unknown> })),
      seed,
    )
    const state = await foldLog(report.store.read, runId, 0)
    assert.equal(state.status, 'completed', `seed ${seed}: ${state.status} after ${report.virtualMs} ms`)
    const minutes = await report.store.read.selectFrom('ledger').select('minute').where('run_id', '=', runId).orderBy('minute').execute()
    const expected = Array.from({ length: activeMinutes(rows) }, (_, minute) => minute)
    assert.deepEqual(
      minutes.map((row) => row.minute),
      expected,
      `seed ${seed}: the ledger`,
    )
    const room = rows.filter((row) => row.audience === 'room').map((row) => row.seq)
    for (const client of report.clients) {
      if (client.attendee.runId !== runId) continue
      assert.deepEqual(client.gaps, [], `seed ${seed}`)
      assert.deepEqual(
        client.applied,
        room.filter((seq) => seq > client.snapshotSeq),
        `seed ${seed}: what the client applied`,
      )
    }
  }
  const facts = await report.store.read.selectFrom('domain_events').select(['type', 'dedupe_key']).execute()
  const count = (type: string) => facts.filter((fact) => fact.type === type).length
  assert.equal(count('session.started'), report.runIds.length, `seed ${seed}`)
  assert.equal(count('session.completed'), report.runIds.length, `seed ${seed}`)
  assert.ok(count('attendee.joined') >= attendees, `seed ${seed}`)
}

/** Each beat is said to its end exactly once; one that was cut, and only such a one, begins again. */
function checkBeats(events: readonly { type: string; data: Record<string, unknown> }[], seed: number): void {
  const ended = new Set<unknown>()
  let open: unknown = null
  for (const { type, data } of events) {
    if (type !== 'beat') continue
    if (data['phase'] === 'start') {
      assert.equal(open, null, `seed ${seed}: two beats at once`)
      assert.ok(!ended.has(data['beatId']), `seed ${seed}: ${String(data['beatId'])} was said twice`)
      open = data['beatId']
    } else {
      if (open !== null) assert.equal(data['beatId'], open, `seed ${seed}`)
      if (data['phase'] !== 'cut') ended.add(data['beatId'])
      open = null
    }
  }
  assert.equal(ended.size, 9, `seed ${seed}: every beat of the talk was said`)
}

/** Started minutes in presenting, answering and closing, counted from the state events alone. */
function activeMinutes(rows: readonly { type: string; at: number; data: string }[]): number {
  let ms = 0
  let since: number | null = null
  for (const { type, at, data } of rows) {
    if (type !== 'state') continue
    if (since !== null) ms += at - since
    const { status } = JSON.parse(data) as { status: string }
    since = ['presenting', 'answering', 'closing'].includes(status) ? at : null
  }
  return Math.ceil(ms / 60_000)
}

test('killing owners at random instants loses and repeats nothing', { timeout: 900_000 }, async (t) => {
  let kills = 0
  let runs = 0
  for (let seed = firstSeed; kills < killsWanted; seed++, runs++) {
    const mode = seed % 2 === 0 ? 'isolated' : 'broadcast'
    const attendees = mode === 'isolated' ? 2 : 3
    const report = await simulate({ seed, mode, attendees, kills: 12 })
    await check(report, seed, attendees)
    kills += report.kills
    await report.close()
  }
  t.diagnostic(`${kills} kills in ${runs} runs, seeds ${firstSeed} to ${firstSeed + runs - 1}`)
})
