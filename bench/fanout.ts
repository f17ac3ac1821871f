// Fan-out to the attendees of one broadcast: what an event to all of them costs our process, beside the least any server can do
// (a C loop of write()) and nginx with the nchan module, each with its own attendees, in short rounds that alternate.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNchan } from './fanout/nchan.ts'
import { compile, noCompiler } from './fanout/programs.ts'
import { startRaw } from './fanout/raw.ts'
import type { Round } from './fanout/talk.ts'
import { openTalk, roundMs } from './fanout/talk.ts'
import type { Report, Row } from './report.ts'
import { median, percentile, row } from './report.ts'

const rounds = 3

export async function benchFanout(count = 10_000): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-fanout-'))
  const compiled = compile(folder)
  if (compiled === null) return { suite: 'Fan-out', rows: [], figures: {}, skipped: [`fan-out: ${noCompiler}`] }
  const open: { close(): Promise<void> }[] = []
  try {
    const talk = await openTalk(folder, compiled.sink, count)
    open.push(talk)
    const raw = await startRaw(compiled, folder, count)
    open.push(raw)
    const nchan = await startNchan(compiled.sink, folder, count)
    if (nchan !== null) open.push(nchan)

    const idleMs = percentile(await talk.askApi(2_000), 0.99)
    const [ours, least, peer]: [Round[], Round[], Round[]] = [[], [], []]
    for (let round = 0; round < rounds; round++) {
      const { events, bytes, cost } = await talk.round()
      ours.push(cost)
      const interval = Math.max(1, Math.round(roundMs / events))
      least.push(await raw.round(events, bytes, interval))
      if (nchan !== null) peer.push(await nchan.round(events, bytes, interval))
    }
    // Callers beside the broadcast, in a round of their own: what they cost is not the fan-out's.
    const busyMs = percentile((await talk.round(true)).apiMs, 0.99)
    const cpu = (all: readonly Round[]) => median(all.map((round) => round.cpuUs))
    const p99 = (all: readonly Round[]) => median(all.map((round) => round.p99Ms))
    const economy = cpu(least) / cpu(ours)
    const rows: Row[] = [
      row(`economy of a raw C write loop, ${count} attendees`, economy.toFixed(2), '>= 0.80', economy >= 0.8),
      row('p99 beside the raw C loop', (p99(ours) / Math.max(1, p99(least))).toFixed(2), '<= 1.1', p99(ours) <= 1.1 * p99(least)),
      row('memory kept per attendee', `${talk.perAttendeeKb.toFixed(1)} kB`, '<= 5 kB', talk.perAttendeeKb <= 5),
      row('p99 of the API beside it, of its idle p99', (busyMs / idleMs).toFixed(2), '<= 3', busyMs <= 3 * idleMs),
      row('attendees that were dropped', String(talk.dropped()), '0', talk.dropped() === 0),
    ]
    const skipped: string[] = []
    if (nchan === null) skipped.push('nginx with nchan: not on this machine (Debian: nginx libnginx-mod-nchan)')
    else rows.splice(1, 0, row('economy of nginx with nchan', (cpu(peer) / cpu(ours)).toFixed(2), '>= 1.3', cpu(peer) / cpu(ours) >= 1.3))
    const figures = {
      economy,
      ourUs: cpu(ours),
      rawUs: cpu(least),
      nchanUs: cpu(peer),
      ourP99Ms: p99(ours),
      rawP99Ms: p99(least),
      nchanP99Ms: p99(peer),
      idleMs,
      busyMs,
    }
    const { kept, withGarbage } = talk.residentMb
    const notes = [`resident with all attendees: ${kept.toFixed(0)} MB when nothing can be collected, ${withGarbage.toFixed(0)} MB before`]
    return { suite: 'Fan-out', rows, figures: { ...figures, perAttendeeKb: talk.perAttendeeKb }, notes, skipped }
  } finally {
    for (const each of open.toReversed()) await each.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
