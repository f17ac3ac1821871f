// A cluster on one machine: three processes that serve, two that present, PostgreSQL and NATS, four rooms full of attendees. Any of it is
// killed or started anew, and a new version comes, while the talks run: what was lost, what came twice, how long it was silent, what an
// attendee costs. `ROSTRUM_BENCH_ATTENDEES=20000` is the long form.
import { type Act, runCluster } from '../test/support/cluster.ts'
import type { Report } from './report.ts'
import { median, percentile, row } from './report.ts'

const gapOwedMs = 1_000
const leaseMs = 600
const rooms = 4
/** In the order in which they come: kills among all else. */
const round: readonly Act[] = ['worker', 'web', 'nats', 'worker', 'postgres', 'worker', 'upgrade']

export async function benchCluster(): Promise<Report> {
  const began = performance.now()
  const attendees = Number(process.env['ROSTRUM_BENCH_ATTENDEES'] ?? 2_000)
  const acts = Array.from({ length: Number(process.env['ROSTRUM_BENCH_ROUNDS'] ?? 2) }, () => round).flat()
  const report = await runCluster({
    attendees,
    acts,
    rooms,
    roles: ['web', 'web', 'web', 'worker', 'worker'],
    nats: true,
    leaseMs,
    wordsPerMinute: 250,
    quietMs: 30_000,
    onStep: (words) => console.error(`  ${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${words}`),
  })
  if (report === null) return { suite: 'Cluster', rows: [], figures: {}, skipped: ['cluster: there is no PostgreSQL for this platform'] }
  const { lost, repeated, unordered, resets, gaps, firstGaps, silences, statuses, events, writeUs, attendeeKb, workerShare } = report
  const [gapP50Ms, gapP95Ms] = [median(gaps), percentile(gaps, 0.95)]
  const none = (claim: string, count: number) => row(claim, String(count), '0', count === 0)
  const worst = (act: Act) => Math.max(...silences.filter((silence) => silence.act === act).map(({ ms }) => ms))
  const isWhole = statuses.every((status) => status === 'completed')
  return {
    suite: 'Cluster',
    rows: [
      none(`events lost, ${report.attendees} attendees in ${rooms} rooms, ${acts.length} acts`, lost),
      none('events repeated or out of order', repeated + unordered),
      none('streams that could not be resumed', resets),
      row('talks that came to their end', String(statuses.length), String(rooms), isWhole),
      row(
        `silence when the owner dies, lease ${leaseMs} ms, p95, for an attendee of either process`,
        `${Math.round(gapP95Ms)} ms`,
        `<= ${gapOwedMs} ms`,
        gapP95Ms <= gapOwedMs,
      ),
    ],
    figures: {
      attendees,
      events,
      lost,
      repeated,
      unordered,
      resets,
      gapP50Ms,
      gapP95Ms,
      owned: gaps.length,
      writeUs,
      attendeeKb,
      workerShare,
    },
    notes: [
      `silence p50 ${Math.round(gapP50Ms)} ms, at most ${Math.round(Math.max(...gaps))} ms over ${gaps.length} talks whose owner died; of the process that heard it first: p50 ${Math.round(median(firstGaps))} ms`,
      `until every room heard something, sentences of some seconds among it, at most: ${[...new Set(acts)].map((act) => `${act} ${Math.round(worst(act))} ms`).join(', ')}`,
      `${writeUs.toFixed(1)} us of CPU for an event to an attendee, ${attendeeKb.toFixed(1)} kB of memory more for each, garbage among it, in the processes that serve; ${(workerShare * 100).toFixed(1)} % of a core in those that present`,
      `${events} events of the rooms, ${((performance.now() - began) / 1000).toFixed(0)} s in all`,
    ],
  }
}
