// On paper: a million attendees in one room, from what one write to one attendee costs here. The cost is the fan-out suite's where it
// ran before in the same bench, else that of the service's own fan-out and connections without a talk around them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noCompiler } from './compile-c.ts'
import { compile } from './fanout/programs.ts'
import { openStreams } from './fanout/streams.ts'
import type { Report } from './report.ts'
import { median } from './report.ts'

export interface ScaleInput {
  /** CPU of one event to one attendee, in microseconds. */
  writeUs: number
  attendees: number
  ticksPerSecond: number
  eventBytes: number
}

export interface Scale {
  writesPerSecond: number
  /** Cores that do nothing but write. */
  cores: number
  coresWithTls: number
  processes: number
  perProcess: number
  memoryGb: number
  /** What the bus carries: each tick once to each process. */
  busPerSecond: number
  gigabitsPerSecond: number
}

/** Above this share of its core a process keeps its callers waiting. */
const load = 0.35
/** Measured once beside plain sockets. */
const tlsFactor = 60 / 42
const memoryBytes = 3_700

export function scaleOf({ writeUs, attendees, ticksPerSecond, eventBytes }: ScaleInput): Scale {
  const writesPerSecond = attendees * ticksPerSecond
  const cores = (writesPerSecond * writeUs) / 1e6
  const perProcess = Math.max(1, Math.floor((load * 1e6) / (writeUs * ticksPerSecond)))
  const processes = Math.ceil(attendees / perProcess)
  return {
    writesPerSecond,
    cores,
    coresWithTls: cores * tlsFactor,
    processes,
    perProcess,
    memoryGb: (attendees * memoryBytes) / 1e9,
    busPerSecond: processes * ticksPerSecond,
    gigabitsPerSecond: (writesPerSecond * eventBytes * 8) / 1e9,
  }
}

const attendees = 1_000_000
const rates = [5, 1, 0.2]

const streams = 5_000
const pace = { everyMs: 500, ms: 3_000, size: 240 }

/** Microseconds; null where the attendees cannot be compiled. */
async function measureWrite(): Promise<number | null> {
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-scale-'))
  try {
    const programs = compile(folder)
    if (programs === null) return null
    const open = await openStreams(programs.sink, folder, streams)
    try {
      const rounds = []
      for (let round = 0; round < 4; round++) rounds.push((await open.shared(pace)).cpuUs)
      // The first one warms up.
      return median(rounds.slice(1))
    } finally {
      await open.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function benchScale(before: readonly Report[]): Promise<Report> {
  const known = before.find(({ suite }) => suite === 'Fan-out')?.figures['writeUs']
  const writeUs = known ?? (await measureWrite())
  if (writeUs === null) return { suite: 'Scale', rows: [], figures: {}, skipped: [`scale: ${noCompiler}`] }
  const columns = ['ticks/s', 'writes/s', 'cores', 'with TLS', 'processes', 'each', 'memory', 'bus/s', 'Gbit/s']
  const lines = rates.map((ticksPerSecond) => {
    const scale = scaleOf({ writeUs, attendees, ticksPerSecond, eventBytes: 300 })
    return [
      String(ticksPerSecond),
      `${(scale.writesPerSecond / 1e6).toFixed(1)} M`,
      scale.cores.toFixed(1),
      scale.coresWithTls.toFixed(1),
      String(scale.processes),
      String(scale.perProcess),
      `${scale.memoryGb.toFixed(1)} GB`,
      String(Math.round(scale.busPerSecond)),
      scale.gigabitsPerSecond.toFixed(1),
    ]
  })
  const whole = scaleOf({ writeUs, attendees, ticksPerSecond: 5, eventBytes: 300 })
  const source = known === undefined ? `the fan-out alone, ${streams} streams` : 'the fan-out suite'
  return {
    suite: 'Scale',
    rows: [],
    figures: { writeUs, ...whole },
    notes: [
      `on paper: ${attendees.toLocaleString('en')} attendees, events of 300 bytes, ${writeUs.toFixed(1)} us a write (${source})`,
      ...[columns, ...lines].map((cells) => cells.map((cell) => cell.padStart(9)).join(' ')),
      `a process writes ${load * 100} % of its time; slides and audio go by CDN; fewer, larger ticks are the lever`,
    ],
  }
}
