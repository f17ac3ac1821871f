// As many attendees as one process may have files open: every one of them gets every event of a talk.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compile, noCompiler } from './fanout/programs.ts'
import { openTalk } from './fanout/talk.ts'
import type { Report } from './report.ts'
import { row } from './report.ts'

export async function benchCrowd(count = 19_000): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-crowd-'))
  const programs = compile(folder)
  if (programs === null) return { suite: 'Crowd', rows: [], figures: {}, skipped: [`crowd: ${noCompiler}`] }
  const talk = await openTalk(folder, programs.sink, count)
  try {
    const { events, uneven, cost } = await talk.round()
    return {
      suite: 'Crowd',
      rows: [
        row('attendees of one process', count.toLocaleString('en'), '19,000', count >= 19_000),
        row('of them dropped', String(talk.dropped()), '0', talk.dropped() === 0),
        row(`of ${events} events to each, missed or told twice`, String(uneven), '0', uneven === 0 && events > 1),
      ],
      figures: { count, events, ...cost, perAttendeeKb: talk.perAttendeeKb },
      notes: [
        `${cost.cpuUs.toFixed(1)} us of CPU for an event to an attendee, p99 ${cost.p99Ms} ms, ${talk.perAttendeeKb.toFixed(1)} kB kept for each`,
      ],
    }
  } finally {
    await talk.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
