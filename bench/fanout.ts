// Fan-out to the attendees of one broadcast: what an event to each of them costs our process, beside the least any server can do (a C
// loop of write()) and nginx with the nchan module, each with its own attendees and the same talk: events as long and as far apart.
// Rounds are short and take turns, and a ratio is one of neighbours, so that what else the machine does hits all of them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { joined } from './fanout/heard.ts'
import { startNchan } from './fanout/nchan.ts'
import { noCompiler } from './compile-c.ts'
import { compile } from './fanout/programs.ts'
import { startRaw } from './fanout/raw.ts'
import type { Round, TalkRound } from './fanout/talk.ts'
import { openTalk } from './fanout/talk.ts'
import type { Report, Row } from './report.ts'
import { median, percentile, row, spread } from './report.ts'

const roundMs = 3_000
const rounds = 12
/** No round begins later than this after the first. */
const roundsWithinMs = 240_000
/** What the store syncs for an event of a talk: three pages of the log and their heads. */
const commitBytes = 3 * 4_120

export async function benchFanout(most = 10_000): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-fanout-'))
  const compiled = compile(folder)
  if (compiled === null) return { suite: 'Fan-out', rows: [], figures: {}, skipped: [`fan-out: ${noCompiler}`] }
  const open: { close(): Promise<void> }[] = []
  try {
    const talk = await openTalk(folder, compiled.sink, most)
    open.push(talk)
    const { count } = talk
    const raw = await startRaw(compiled, folder, count)
    open.push(raw)
    const nchan = await startNchan(compiled.sink, folder, count)
    if (nchan !== null) open.push(nchan)

    const ours: TalkRound[] = []
    // Each event told for itself, and as we do: what is said at one moment in one write.
    const apart = { least: [] as Round[], peer: [] as Round[] }
    const joint = { least: [] as Round[], peer: [] as Round[] }
    const committing: Round[] = []
    const idleMs = percentile(await talk.askApi(2_000), 0.99)
    // Soon after an event, as all of a round is: what beats where nobody talks for longer costs a round nothing.
    await talk.round(1_000)
    const restUs = await talk.rest(roundMs)
    const deadline = performance.now() + roundsWithinMs
    for (let n = 0; n < rounds && performance.now() < deadline; n++) {
      const round = await talk.round(roundMs)
      ours.push(round)
      for (const [{ least, peer }, said] of [
        [apart, round.said],
        [joint, joined(round.said)],
      ] as const) {
        least.push(await raw.round(said, 0))
        if (nchan !== null) peer.push(await nchan.round(said))
      }
      committing.push(await raw.round(joined(round.said), commitBytes))
    }
    // Callers beside the broadcast, in a round of their own: what they cost is not the fan-out's.
    const busyMs = percentile((await talk.round(10_000, true)).apiMs, 0.99)
    const dropped = await talk.dropped()

    const economies = (theirs: readonly Round[]) => theirs.map(({ cpuUs }, n) => cpuUs / (ours[n]?.cpuUs ?? Number.NaN))
    const waits = (theirs: readonly Round[]) => theirs.map(({ p99Ms }, n) => (ours[n]?.p99Ms ?? Number.NaN) / Math.max(1, p99Ms))
    const economy = economies(apart.least)
    const wait = waits(apart.least)
    const rows: Row[] = [
      row('attendees', count.toLocaleString('en'), most.toLocaleString('en'), count === most),
      row('economy of a raw C write loop', spread(economy), '>= 0.80', median(economy) >= 0.8),
      row('p99 beside the raw C loop', spread(wait), '<= 1.1', median(wait) <= 1.1),
      row('memory kept per attendee', `${talk.perAttendeeKb.toFixed(1)} kB`, '<= 5 kB', talk.perAttendeeKb <= 5),
      row('p99 of the API beside it, of its idle p99', (busyMs / idleMs).toFixed(2), '<= 3', busyMs <= 3 * idleMs),
      row('attendees that were dropped', String(dropped), '0', dropped === 0),
    ]
    const skipped: string[] = []
    if (nchan === null) skipped.push('nginx with nchan: not on this machine (Debian: nginx libnginx-mod-nchan)')
    else {
      const ofPeer = economies(apart.peer)
      rows.splice(2, 0, row('economy of nginx with nchan', spread(ofPeer), '>= 1.3', median(ofPeer) >= 1.3))
    }
    const sum = (pick: (round: TalkRound) => number) => ours.reduce((total, round) => total + pick(round), 0)
    const [events, writes] = [sum(({ said }) => said.length), sum((round) => round.writes)]
    const moments = sum(({ said }) => joined(said).length)
    // Of a median talk, by what it was told in.
    const per = (all: readonly Round[], pieces: number) => (median(all.map(({ cpuUs }) => cpuUs)) * ours.length) / pieces
    const p99 = (all: readonly Round[]) => median(all.map(({ p99Ms }) => p99Ms))
    const figures = {
      rounds: ours.length,
      economy: median(economy),
      jointEconomy: median(economies(joint.least)),
      nchanEconomy: median(economies(apart.peer)),
      nchanJointEconomy: median(economies(joint.peer)),
      ourUs: per(ours, events),
      writeUs: per(ours, writes),
      rawUs: per(apart.least, events),
      nchanUs: per(apart.peer, events),
      ourP99Ms: p99(ours),
      rawP99Ms: p99(apart.least),
      rawJointP99Ms: p99(joint.least),
      committingP99Ms: p99(committing),
      nchanP99Ms: p99(apart.peer),
      idleMs,
      busyMs,
      restUs,
      perAttendeeKb: talk.perAttendeeKb,
    }
    const { kept, withGarbage } = talk.residentMb
    const notes = [
      `medians of ${ours.length} rounds, and between what their middle half lies; an event costs us ${figures.ourUs.toFixed(1)} us, the C loop ${figures.rawUs.toFixed(1)} us`,
      `${events} events at ${moments} moments, each told for itself by the C loop and nginx, by us in ${writes.toFixed(1)} writes of ${figures.writeUs.toFixed(1)} us to an attendee`,
      `where these two write once what is said at one moment: economy of the C loop ${spread(economies(joint.least))}, p99 beside it ${spread(waits(joint.least))}, beside one that commits first as we do ${spread(waits(committing))}${nchan === null ? '' : `; economy of nginx with nchan ${spread(economies(joint.peer))}`}`,
      `in our figure is what the process spends while nobody talks, ${(restUs / 1_000).toFixed(1)} ms a second`,
      `p99 ${p99(ours)} ms, of the C loop ${p99(apart.least)} ms; ${p99(joint.least)} ms where it writes once a moment, ${p99(committing)} ms where it commits first too`,
      `resident with all attendees: ${kept.toFixed(0)} MB when nothing can be collected, ${withGarbage.toFixed(0)} MB before`,
    ]
    return { suite: 'Fan-out', rows, figures, notes, skipped }
  } finally {
    for (const each of open.toReversed()) await each.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
