// A real server with a broadcast, and attendees who came in by the public API: what a round of the talk costs it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { startServer } from '../../test/support/server.ts'
import { cpuMicros } from '../load.ts'
import type { Attendees } from './attendees.ts'
import { gather, residentKb } from './attendees.ts'
import type { Heard, Said } from './heard.ts'
import { hear } from './heard.ts'
import { collectGarbage, inspected } from './inspector.ts'

const joinsAtOnce = 20
/** A busy machine lets in fewer. */
const joinsWithinMs = 90_000
const entersWithinMs = 60_000
const enterAtOnce = 1_000
/** What their coming left behind has been given back after it. */
const settleMs = 2_000

const deck = {
  title: 'Grid storage',
  isLive: true,
  mode: 'broadcast',
  slides: Array.from({ length: 24 }, (_, i) => ({
    textContent: `Part ${i + 1}\n${Array.from({ length: 6 }, (_each, n) => `- A battery of kind ${n} shifts the evening peak of town ${i} by ${n + 2} hours and pays back in ${i + 3} years`).join('\n')}`,
  })),
}

/** A talk of some seconds. */
export interface Round {
  /** CPU for each attendee. */
  cpuUs: number
  p99Ms: number
}

/** What came of it besides. */
export interface TalkRound extends Round {
  said: readonly Said[]
  /** To each attendee: fewer than there were events, where these shared some. */
  writes: number
  /** To each attendee. */
  events: number
  /** What came once more or less than to the others, to any attendee. */
  uneven: number
  /** What callers beside it waited, in milliseconds. */
  apiMs: readonly number[]
}

/**
 * A real server with a broadcast of `most` attendees that came in by the public API: of fewer where the machine lets no more in
 * within the time.
 */
export async function openTalk(folder: string, sink: string, most: number) {
  const off = Object.fromEntries(['JOIN', 'ROOM', 'API', 'DISCOVERY', 'PAGES'].map((name) => [`ROSTRUM_RATE_${name}`, 'off']))
  // About one event a second, as a talk has.
  const server = await startServer({ env: { ...off, ...inspected, ROSTRUM_SPEECH_WPM: '600' } })
  let attendees: Attendees | undefined
  let heard: Heard | undefined
  const close = async () => {
    heard?.close()
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
    let left = most
    const port = new URL(server.baseUrl).port
    const deadline = performance.now() + joinsWithinMs
    const join1 = async (upTo: number) => {
      for (let n = 0; n < upTo && left > 0 && performance.now() < deadline; n++) {
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
    await Promise.all(Array.from({ length: joinsAtOnce }, () => join1(most)))
    const file = join(folder, 'requests')
    writeFileSync(file, requests.join('\0'))
    const present = gather(sink, Number(port), file)
    attendees = present
    // Kept is what is resident when nothing can be collected any more, on both sides of their coming.
    const resident = async () => {
      await setTimeout(settleMs)
      const withGarbage = residentKb(server.pid)
      await collectGarbage(server.printed())
      return { withGarbage, kept: residentKb(server.pid) }
    }
    const few = Math.ceil(requests.length / 5)
    await present.enter(few)
    const before = await resident()
    let count = few
    for (const end = performance.now() + entersWithinMs; count < requests.length && performance.now() < end;) {
      const more = Math.min(enterAtOnce, requests.length - count)
      await present.enter(more)
      count += more
    }
    const after = await resident()
    const { attendeeToken: ear = '' } = await post(`/api/v1/rooms/${slug}/attendees`, {}, '')
    const room = await hear(`${server.baseUrl}/api/v1/runs/${runId}/stream`, ear)
    heard = room
    const perAttendeeKb = (after.kept - before.kept) / (count - few)
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
    return {
      count,
      close,
      perAttendeeKb,
      residentMb: { kept: after.kept / 1_024, withGarbage: after.withGarbage / 1_024 },
      askApi,
      /** Microseconds of CPU a second while the talk is held and all are there. */
      async rest(ms: number) {
        await present.silence()
        const began = cpuMicros(server.pid)
        await setTimeout(ms)
        return ((cpuMicros(server.pid) - began) * 1_000) / ms
      },
      dropped: async () => (await present.report()).closed,
      /** The talk goes on for so long, and is held again until everybody has everything: all of that is the round. */
      async round(ms: number, withCallers = false): Promise<TalkRound> {
        await present.silence()
        room.take()
        const began = cpuMicros(server.pid)
        await act('resume')
        const asked = withCallers ? askApi(ms) : []
        await setTimeout(ms)
        const apiMs = await asked
        await act('pause')
        const seen = await present.silence()
        const spent = cpuMicros(server.pid) - began
        // In silence all have the same: what is over a whole number of events for each came once more or less to somebody.
        const over = seen.events % count
        const said = room.take()
        return {
          said,
          writes: seen.reads / count,
          cpuUs: spent / count,
          p99Ms: seen.p99,
          events: Math.round(seen.events / count),
          uneven: Math.min(over, count - over),
          apiMs,
        }
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
