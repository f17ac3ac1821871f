// A stream of deltas to a crowd, as a model writes them: fifty a second share writes, beside a write for each of them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noCompiler } from './compile-c.ts'
import { compile } from './fanout/programs.ts'
import type { Spent } from './fanout/streams.ts'
import { openStreams } from './fanout/streams.ts'
import type { Report } from './report.ts'
import { median, row, spread } from './report.ts'

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
    const share = shared.map(({ cpuUs }, n) => cpuUs / (each[n]?.cpuUs ?? Number.NaN))
    const added = shared.map(({ p99Ms }, n) => p99Ms - (each[n]?.p99Ms ?? Number.NaN))
    const of = (all: readonly Spent[], pick: (spent: Spent) => number) => median(all.map(pick))
    return {
      suite: 'Deltas',
      rows: [
        row(`50 deltas/s to ${count}: CPU of a write for each`, spread(share), '<= 0.35', median(share) <= 0.35),
        row('the same: wait added, p99', `${spread(added, 0)} ms`, '<= 50 ms', median(added) <= 50),
      ],
      figures: {
        sharedUs: of(shared, ({ cpuUs }) => cpuUs),
        eachUs: of(each, ({ cpuUs }) => cpuUs),
        sharedP99Ms: of(shared, ({ p99Ms }) => p99Ms),
        eachP99Ms: of(each, ({ p99Ms }) => p99Ms),
      },
      notes: [`medians of ${rounds} rounds, and between what their middle half lies`],
    }
  } finally {
    await streams.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
