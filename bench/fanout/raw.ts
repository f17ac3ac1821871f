// The C write loop with attendees of its own.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { end, gather, linesOf } from './attendees.ts'

export async function startRaw(programs: { raw: string; sink: string }, folder: string, count: number) {
  const child = spawn(programs.raw, [String(count)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = linesOf(child)
  const port = Number((await lines.next()).replace('port ', ''))
  const requests = join(folder, 'raw-request')
  writeFileSync(requests, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const attendees = await gather(programs.sink, port, count, requests)
  await lines.next()
  await attendees.report()
  return {
    async round(events: number, bytes: number, intervalMs: number) {
      child.stdin.write(`${events} ${bytes} ${intervalMs}\n`)
      const cpuUs = Number(await lines.next())
      const seen = await attendees.report()
      return { cpuUs: cpuUs / (events * count), p99Ms: seen.p99 }
    },
    async close() {
      await end(child)
      await attendees.close()
    },
  }
}
