// The C write loop with attendees of its own.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { end, gather, linesOf } from './attendees.ts'
import type { Said } from './heard.ts'
import type { Round } from './talk.ts'

export async function startRaw(programs: { raw: string; sink: string }, folder: string, count: number) {
  const child = spawn(programs.raw, [String(count), join(folder, 'raw-log')], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = linesOf(child)
  const port = Number((await lines.next()).replace('port ', ''))
  const requests = join(folder, 'raw-request')
  writeFileSync(requests, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const attendees = gather(programs.sink, port, requests)
  await attendees.enter(count)
  await lines.next()
  return {
    /** `commitBytes` are synced before each write; 0: nothing is. */
    async round(said: readonly Said[], commitBytes: number): Promise<Round> {
      await attendees.silence()
      child.stdin.write(`${said.length} ${commitBytes}\n${said.map(({ afterMs, bytes }) => `${afterMs} ${bytes}\n`).join('')}`)
      const cpuUs = Number(await lines.next())
      const seen = await attendees.silence()
      return { cpuUs: cpuUs / count, p99Ms: seen.p99 }
    },
    async close() {
      await end(child)
      await attendees.close()
    },
  }
}
