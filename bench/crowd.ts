// As many attendees as one process may have files open: every one of them gets every event of a talk.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noCompiler } from './compile-c.ts'
import { compile } from './fanout/programs.ts'
import { openTalk } from './fanout/talk.ts'
import type { Report } from './report.ts'
import { row } from './report.ts'

const roundMs = 10_000

export async function benchCrowd(most = 19_000): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-crowd-'))
  const programs = compile(folder)
  if (programs === null) return { suite: 'Crowd', rows: [], figures: {}, skipped: [`crowd: ${noCompiler}`] }
  const talk = await openTalk(folder, programs.sink, most)
  try {
    const { count } = talk
    const { events, uneven, cpuUs, p99Ms } = await talk.round(roundMs)
    const dropped = await talk.dropped()
    return {
      suite: 'Crowd',
      rows: [
        row('attendees of one process', count.toLocaleString('en'), most.toLocaleString('en'), count === most),
        row('of them dropped', String(dropped), '0', dropped === 0),
        row(`of ${events} events to each, missed or told twice`, String(uneven), '0', uneven === 0 && events > 1),
      ],
      figures: { count, events, cpuUs: cpuUs / events, p99Ms, perAttendeeKb: talk.perAttendeeKb },
      notes: [
        `${(cpuUs / events).toFixed(1)} us of CPU for an event to an attendee, p99 ${p99Ms} ms, ${talk.perAttendeeKb.toFixed(1)} kB kept for each`,
      ],
    }
  } finally {
    await talk.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
