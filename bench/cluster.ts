// Two processes on one PostgreSQL with a room full of attendees, either killed at random again and again: what was lost, what came
// twice, and how long the talk was silent when its owner died.
import { runCluster } from '../test/support/cluster.ts'
import type { Report } from './report.ts'
import { median, percentile } from './report.ts'

const gapOwedMs = 1_000
const leaseMs = 600

export async function benchCluster(): Promise<Report> {
  const attendees = Number(process.env['ROSTRUM_BENCH_ATTENDEES'] ?? 2_000)
  const kills = Number(process.env['ROSTRUM_BENCH_KILLS'] ?? 40)
  const report = await runCluster({ attendees, kills, roles: ['all', 'all'], leaseMs })
  if (report === null) return { suite: 'Cluster', rows: [], figures: {}, skipped: ['cluster: there is no PostgreSQL for this platform'] }
  const { lost, repeated, unordered, resets, gaps, firstGaps, events } = report
  const [gapP50Ms, gapP95Ms] = [median(gaps), percentile(gaps, 0.95)]
  const none = (claim: string, count: number) => ({ claim, measured: String(count), owed: '0', holds: count === 0 })
  return {
    suite: 'Cluster',
    rows: [
      none(`events lost, ${attendees} attendees, ${kills} kills`, lost),
      none('events repeated or out of order', repeated + unordered),
      none('streams that could not be resumed', resets),
      {
        claim: `silence when the owner dies, lease ${leaseMs} ms, p95, for an attendee of either process`,
        measured: `${Math.round(gapP95Ms)} ms`,
        owed: `<= ${gapOwedMs} ms`,
        holds: gapP95Ms <= gapOwedMs,
      },
    ],
    figures: { attendees, kills, events, lost, repeated, unordered, resets, gapP50Ms, gapP95Ms, ownersKilled: gaps.length },
    notes: [
      `silence p50 ${Math.round(gapP50Ms)} ms, at most ${Math.round(Math.max(...gaps))} ms over ${gaps.length} deaths of an owner; of the process that lived on: p50 ${Math.round(median(firstGaps))} ms, p95 ${Math.round(percentile(firstGaps, 0.95))} ms`,
      `${events} events of the room`,
    ],
  }
}
