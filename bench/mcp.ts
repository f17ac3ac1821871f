// The tool protocol: CPU of `tools/call get_session` in both eras against a bare JSON-RPC server in the same run, how long a caller
// waits at a steady rate, and whether memory grows.
import { readFileSync } from 'node:fs'
import { startServer } from '../test/support/server.ts'
import { costs, load, paced, ratioOf, startBare } from './load.ts'
import type { Report } from './report.ts'
import { median, percentile } from './report.ts'
import { benchEnv, sessionTargets } from './session-target.ts'

const calls = { rounds: 5, count: 2_000 }
const rate = { perSecond: 200, seconds: 5 }
const soak = 100_000
const owed = { modern: 0.15, legacy: 0.15, p99Ms: 15, growthMb: 10 }

export async function benchMcp(): Promise<Report> {
  const server = await startServer({ env: { ...benchEnv, ROSTRUM_ROLE: 'web' } })
  const { modern, legacy } = await sessionTargets(server)
  const bare = await startBare(modern)
  try {
    const cost = await costs({ floor: bare.floorOf(modern), modern, legacy }, calls)
    const [modernShare, legacyShare] = [ratioOf(cost.floor, cost.modern), ratioOf(cost.floor, cost.legacy)]
    const p99Ms = percentile(await paced(modern, rate.perSecond, rate.seconds), 0.99)
    // The first half grows what grows to a size and stays; the second shows what never stops.
    await load(modern, soak / 2)
    const half = residentMb(server.pid)
    await load(modern, soak / 2)
    const growthMb = residentMb(server.pid) - half
    const share = (claim: string, measured: number, wanted: number) => ({
      claim,
      measured: `${measured.toFixed(2)} of raw`,
      owed: `>= ${wanted.toFixed(2)}`,
      holds: measured >= wanted,
    })
    return {
      suite: 'Tool protocol (server CPU, against a bare node:http JSON-RPC server in the same run)',
      rows: [
        share('tools/call get_session, modern era', modernShare, owed.modern),
        share('the same, older era', legacyShare, owed.legacy),
        {
          claim: `wait at ${rate.perSecond}/s, p99`,
          measured: `${p99Ms.toFixed(1)} ms`,
          owed: `< ${owed.p99Ms} ms`,
          holds: p99Ms < owed.p99Ms,
        },
        {
          claim: `memory that the second half of ${soak.toLocaleString('en')} calls adds`,
          measured: `${growthMb.toFixed(1)} MB`,
          owed: `<= ${owed.growthMb} MB`,
          holds: growthMb <= owed.growthMb,
        },
      ],
      figures: {
        modernShare,
        legacyShare,
        p99Ms,
        growthMb,
        modernMicros: median(cost.modern),
        legacyMicros: median(cost.legacy),
        bareMicros: median(cost.floor),
      },
    }
  } finally {
    bare.stop()
    await server.stop()
  }
}

function residentMb(pid: number): number {
  const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
  return (Number(pages) * 4_096) / 1_048_576
}
