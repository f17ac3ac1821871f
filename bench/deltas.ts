// A stream of deltas to a crowd, as a model writes them: fifty a second share writes, beside a write for each of them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compile, noCompiler } from './fanout/programs.ts'
import type { Spent } from './fanout/streams.ts'
import { openStreams } from './fanout/streams.ts'
import type { Report } from './report.ts'
import { median, row } from './report.ts'

const rounds = 5
/** Some five words of an answer. */
const size = 30
const fast = { everyMs: 20, ms: 3_000, size }
/** A write for each of fifty deltas a second is more than a core has, so it is measured at a tenth of the rate. */
const slow = { everyMs: 200, ms: 3_000, size }

export async function benchDeltas(count = 5_000): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-deltas-'))
  const programs = compile(folder)
  if (programs === null) return { suite: 'Deltas', rows: [], figures: {}, skipped: [`deltas: ${noCompiler}`] }
  const streams = await openStreams(programs.sink, folder, count)
  try {
    await streams.each(slow)
    const [shared, each]: [Spent[], Spent[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      each.push(await streams.each(slow))
      shared.push(await streams.shared(fast))
    }
    const of = (all: readonly Spent[], pick: (spent: Spent) => number) => median(all.map(pick))
    const [sharedUs, eachUs] = [of(shared, ({ cpuUs }) => cpuUs), of(each, ({ cpuUs }) => cpuUs)]
    const addedMs = of(shared, ({ p99Ms }) => p99Ms) - of(each, ({ p99Ms }) => p99Ms)
    return {
      suite: 'Deltas',
      rows: [
        row(`50 deltas/s to ${count}: CPU of a write for each`, (sharedUs / eachUs).toFixed(2), '<= 0.35', sharedUs <= 0.35 * eachUs),
        row('the same: wait added, p99', `${addedMs} ms`, '<= 50 ms', addedMs <= 50),
      ],
      figures: { sharedUs, eachUs, addedMs },
    }
  } finally {
    await streams.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
