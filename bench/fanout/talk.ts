// A real server with a broadcast, and attendees who came in by the public API: what a round of the talk costs it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { startServer } from '../../test/support/server.ts'
import type { Attendees } from './attendees.ts'
import { cpuMs, gather, joined, residentKb } from './attendees.ts'
import { collectGarbage, inspected } from './inspector.ts'

export const roundMs = 10_000
const joinsAtOnce = 20

const deck = {
  title: 'Grid storage',
  isLive: true,
  mode: 'broadcast',
  slides: Array.from({ length: 60 }, (_, i) => ({
    textContent: `Part ${i + 1}\n${Array.from({ length: 6 }, (_each, n) => `- A battery of kind ${n} shifts the evening peak of town ${i} by ${n + 2} hours and pays back in ${i + 3} years`).join('\n')}`,
  })),
}

/** One event to one attendee. */
export interface Round {
  cpuUs: number
  p99Ms: number
}

/** A real server with a broadcast of `count` attendees that came in by the public API. */
export async function openTalk(folder: string, sink: string, count: number) {
  const off = Object.fromEntries(['JOIN', 'ROOM', 'API', 'DISCOVERY', 'PAGES'].map((name) => [`ROSTRUM_RATE_${name}`, 'off']))
  // About one event a second, as a talk has.
  const server = await startServer({ env: { ...off, ...inspected, ROSTRUM_SPEECH_WPM: '600' } })
  let attendees: Attendees | undefined
  const close = async () => {
    await attendees?.close()
    await server.stop()
  }
  try {
    const key = await server.command('key', 'create', '--name', 'bench')
    const post = async (path: string, body: object, token = key) => {
      const headers = { 'Content-Type': 'application/json', ...(token === '' ? {} : { Authorization: `Bearer ${token}` }) }
      const response = await fetch(`${server.baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      return (await response.json()) as Record<string, string>
    }
    const { slug = '' } = await post('/api/v1/agent/sessions', deck)
    const requests: string[] = []
    let runId = ''
    let left = count
    const port = new URL(server.baseUrl).port
    const join1 = async (most: number) => {
      for (let n = 0; n < most && left > 0; n++) {
        left--
        const told = await post(`/api/v1/rooms/${slug}/attendees`, {}, '')
        runId = told['runId'] ?? ''
        const path = `/api/v1/runs/${runId}/stream`
        requests.push(`GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${told['attendeeToken']}\r\n\r\n`)
      }
    }
    const act = (action: string) => post(`/api/v1/runs/${runId}/host`, { id: crypto.randomUUID(), action })
    // Held until all are there: a broadcast begins, and ends, without them.
    await join1(1)
    await act('start')
    await act('pause')
    await Promise.all(Array.from({ length: joinsAtOnce }, () => join1(count)))
    const enter = async (some: readonly string[]) => {
      const file = join(folder, 'requests')
      writeFileSync(file, some.join('\0'))
      const crowd = await gather(sink, Number(port), some.length, file)
      // What their coming left behind has been given back.
      await setTimeout(5_000)
      return crowd
    }
    const few = Math.ceil(count / 5)
    const first = await enter(requests.slice(0, few))
    attendees = first
    // Kept is what is resident when nothing can be collected any more, on both sides of their coming.
    const resident = async () => {
      const withGarbage = residentKb(server.pid)
      await collectGarbage(server.printed())
      return { withGarbage, kept: residentKb(server.pid) }
    }
    const before = await resident()
    attendees = joined(first, await enter(requests.slice(few)))
    const after = await resident()
    const perAttendeeKb = (after.kept - before.kept) / (count - few)
    await attendees.report()
    const askApi = async (ms: number) => {
      const took: number[] = []
      for (const end = performance.now() + ms; performance.now() < end;) {
        const began = performance.now()
        await (await fetch(`${server.baseUrl}/api/v1/rooms/${slug}`)).arrayBuffer()
        took.push(performance.now() - began)
        await setTimeout(10)
      }
      return took
    }
    let dropped = 0
    const present = attendees
    return {
      close,
      perAttendeeKb,
      residentMb: { kept: after.kept / 1_024, withGarbage: after.withGarbage / 1_024 },
      askApi,
      dropped: () => dropped,
      async round(withCallers = false) {
        await present.report()
        const began = cpuMs(server.pid)
        await act('resume')
        const apiMs = withCallers ? askApi(roundMs) : []
        await setTimeout(roundMs)
        const spent = cpuMs(server.pid) - began
        const seen = await present.report()
        const asked = await apiMs
        await act('pause')
        await setTimeout(2_000)
        const rest = await present.report()
        dropped = rest.closed
        // In silence all have the same: what is over a whole number of events for each came once more or less to somebody.
        const over = (seen.events + rest.events) % count
        const uneven = Math.min(over, count - over)
        const events = Math.max(1, Math.round(seen.events / count))
        const cost: Round = { cpuUs: (spent * 1_000) / Math.max(1, seen.events), p99Ms: seen.p99 }
        return { events, uneven, bytes: Math.round(seen.bytes / Math.max(1, seen.events)), cost, apiMs: asked }
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
