// From the start of the process to the first 200 on an empty store, and what the process holds at rest.
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { startServer } from '../test/support/server.ts'
import { cpuMicros } from './load.ts'
import type { Report } from './report.ts'
import { median } from './report.ts'

const startsOwedMs = 500
const restOwedMb = 130
const settleMs = 2_000

export async function benchStart(runs = 5): Promise<Report> {
  const times: number[] = []
  const work: number[] = []
  let restMb = 0
  for (let i = 0; i < runs; i++) {
    const server = await startServer()
    times.push(server.healthyMs)
    work.push(cpuMicros(server.pid) / 1_000)
    // At rest: what the start left behind has been given back.
    await setTimeout(settleMs)
    restMb = residentMb(server.pid)
    await server.stop()
  }
  const [startMs, cpuMs] = [median(times), median(work)]
  return {
    suite: 'Start',
    rows: [
      {
        claim: 'cold start to the first 200, empty store (median)',
        // What it waited for on a busy machine is the difference.
        measured: `${Math.round(startMs)} ms (${Math.round(cpuMs)} ms of CPU)`,
        owed: `<= ${startsOwedMs} ms`,
        holds: startMs <= startsOwedMs,
      },
      { claim: 'resident memory at rest', measured: `${Math.round(restMb)} MB`, owed: `<= ${restOwedMb} MB`, holds: restMb <= restOwedMb },
    ],
    figures: { startMs, cpuMs, restMb },
  }
}

/** Of the process itself; 0 where the system does not tell. */
function residentMb(pid: number): number {
  try {
    const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
    return (Number(pages) * 4_096) / 1_048_576
  } catch {
    return 0
  }
}
