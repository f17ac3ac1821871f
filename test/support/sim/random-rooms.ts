// A process that holds rooms at random, one for each seed, and checks every guarantee of each. It is no test file: the runner of tests
// follows every promise of its process, which costs a room as much again. Arguments: the first seed, how many, and `postgres` where they
// are held on that. Each hundred rooms tell on standard output what has been seen so far; a room that fails tells its seed on standard
// error.
import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { sql } from 'kysely'
import { isServiceError } from '@rostrum/base/errors'
import type { Store } from '../../../server/platform/db/store.ts'
import { manualClock } from '../clock.ts'
import type { SimOptions, SimReport } from '../room-sim.ts'
import { simulate } from '../room-sim.ts'
import { openTestPostgres, openTestStore } from '../stores.ts'
import { StoreFault } from './mortal-process.ts'
import { oneOf, randomOf, under } from './random.ts'
import { checkClients, checkEnd, checkHeard, checkOrder, checkRepeats, checkResumption, checkVoice, readLogs } from './sim-checks.ts'
import { checkAnalytics, checkConsent, checkFacts, checkLedger, checkPolls } from './sim-oracles.ts'

const withStops = 20_000_000
const withPolls = 21_000_000

/** A room of its own for each seed: who comes, and what goes wrong. Below these a seed holds the room that it held when it was noted. */
function optionsOf(seed: number): SimOptions {
  const random = randomOf(seed + 0x5eed)
  const isHard = random() < 0.4
  const isNewest = seed >= withStops
  return {
    seed,
    mode: oneOf(random, ['isolated', 'broadcast']),
    kind: random() < 0.15 ? 'rehearsal' : 'live',
    acts: 'all',
    moderation: random() < 0.25 ? 'manual' : 'auto',
    hasMoves: random() < 0.5,
    attendees: 1 + under(random, 4),
    kills: under(random, 4),
    stalls: isHard ? under(random, 3) : 0,
    slowMs: isHard && random() < 0.5 ? 120 : 0,
    lostRings: isHard && random() < 0.5 ? 0.2 : 0,
    failingWrites: isNewest && isHard && random() < 0.5 ? 0.03 : 0,
    stops: isNewest ? under(random, 3) : 0,
    slides: 2,
    hasPolls: seed >= withPolls,
  }
}

const isPlanned = (fault: unknown): boolean =>
  fault instanceof StoreFault || (fault instanceof Error && fault.message === 'The model failed.')

async function check(report: SimReport): Promise<Record<'kills' | 'events' | 'resumed' | 'reloads' | 'answers', number>> {
  const logs = await readLogs(report)
  let [resumed, answers] = [0, 0]
  for (const log of logs) {
    checkOrder(log)
    checkVoice(log)
    resumed += checkResumption(log)
    checkHeard(log)
    await checkEnd(log)
    checkClients(log)
    checkConsent(log)
    answers += checkPolls(log)
    await checkLedger(log)
  }
  checkRepeats(report)
  await checkFacts(logs, report)
  await checkAnalytics(logs, report)
  const bugs = report.faults.filter((fault) => !(isServiceError(fault) && fault.code === 'temporarily_unavailable') && !isPlanned(fault))
  assert.deepEqual(bugs, [], 'nothing threw')
  return {
    kills: report.kills,
    resumed,
    answers,
    events: logs.reduce((sum, log) => sum + log.rows.length, 0),
    reloads: report.clients.reduce((sum, client) => sum + client.reloads.length, 0),
  }
}

/** Empties every table: to make a store takes as long as a twentieth of a room. */
async function clear({ read, write, dialect }: Store): Promise<void> {
  const all =
    dialect === 'postgres'
      ? sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`
      : sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`
  const tables = (await all.execute(read)).rows.map(({ name }) => name).filter((name) => name !== 'migrations')
  await write(async (tx) => {
    if (dialect === 'postgres') return void (await sql`TRUNCATE ${sql.join(tables.map((name) => sql.table(name)))}`.execute(tx))
    await sql`PRAGMA defer_foreign_keys = ON`.execute(tx)
    for (const name of tables) await sql`DELETE FROM ${sql.table(name)}`.execute(tx)
  })
}

const postgres = process.argv[4] === 'postgres' ? await openTestPostgres() : undefined
/** Its time stands still: nothing in a store may depend on how fast this machine is. */
const openStore = () => (postgres?.open ?? openTestStore)({ clock: manualClock() })

const [firstSeed = NaN, wanted = NaN] = process.argv.slice(2, 4).map(Number)
const failuresMax = 10
const seen = { rooms: 0, failed: 0, kills: 0, events: 0, resumed: 0, reloads: 0, answers: 0 }
let seed = firstSeed

function tell(): void {
  const { user, system } = process.cpuUsage()
  process.stdout.write(`${JSON.stringify({ ...seen, firstSeed, cpuMs: Math.round((user + system) / 1_000) })}\n`)
}

function tellFailure(error: unknown): void {
  seen.failed++
  process.exitCode = 1
  process.stderr.write(`The room of seed ${seed}: ${inspect(optionsOf(seed), { breakLength: Infinity })}\n${inspect(error)}\n`)
}

// What nobody caught ends the process.
process.on('uncaughtExceptionMonitor', tellFailure)

let store = await openStore()
for (; seed < firstSeed + wanted && seen.failed < failuresMax; seed++) {
  try {
    await clear(store)
    const report = await simulate(optionsOf(seed), store)
    const counted = await check(report)
    await report.close()
    for (const [name, count] of Object.entries(counted)) seen[name as keyof typeof counted] += count
  } catch (error) {
    tellFailure(error)
    // What is still under way in that room goes on in its own store.
    store = await openStore()
  }
  seen.rooms++
  if (seen.rooms % 100 === 0 && seen.rooms < wanted) tell()
}
tell()
await store.close()
await postgres?.stop()
