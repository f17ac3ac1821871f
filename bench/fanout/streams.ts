// The fan-out and the connections of the service alone, in this process: what a write costs without a talk around it. The attendees
// are processes of their own.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '@rostrum/base/clock'
import type { FeedSink } from '../../server/platform/operation.ts'
import { fanOut } from '../../server/runs/stream/fan-out.ts'
import { frameOf } from '../../server/runs/log/run-log.ts'
import type { RunEventRow } from '../../server/runs/tables.ts'
import { openHttp } from '../../test/support/http.ts'
import { gather } from './attendees.ts'

export interface Paced {
  everyMs: number
  ms: number
  /** Bytes of text in an event. */
  size: number
}

export interface Spent {
  /** CPU of one event to one attendee, in microseconds. */
  cpuUs: number
  p99Ms: number
}

const sliceSize = 225

export async function openStreams(sink: string, folder: string, count: number) {
  const readers = fanOut(systemClock)
  const sinks = new Set<FeedSink>()
  const surface = await openHttp({
    feed: {
      open(opened) {
        const reader = { seq: 0, sees: 'attendee', sink: opened, end: () => opened.close() }
        readers.add(reader)
        sinks.add(opened)
        return {
          stop() {
            readers.remove(reader)
            sinks.delete(opened)
          },
        }
      },
    },
  })
  const port = await surface.http.listen()
  const requests = join(folder, 'streams-request')
  writeFileSync(requests, 'GET /api/v1/watch?token=attendee HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const attendees = gather(sink, port, requests)
  await attendees.enter(count)
  let seq = 0

  async function paced(send: (row: RunEventRow) => void, { everyMs, ms, size }: Paced): Promise<Spent> {
    await attendees.report()
    const began = process.cpuUsage()
    const events = Math.round(ms / everyMs)
    const start = performance.now()
    for (let n = 0; n < events; n++) {
      const data = JSON.stringify({ text: 'x'.repeat(size) })
      send({ run_id: 'run', seq: ++seq, epoch: 1, at: Date.now(), audience: 'room', type: 'answer', data })
      await wait(Math.max(0, start + (n + 1) * everyMs - performance.now()))
    }
    const seen = await attendees.silence()
    const { user, system } = process.cpuUsage(began)
    return { cpuUs: (user + system) / (events * count), p99Ms: seen.p99 }
  }

  function writeEach(all: readonly FeedSink[], bytes: Buffer, from: number): void {
    for (const each of all.slice(from, from + sliceSize)) each.write(bytes)
    if (from + sliceSize < all.length) setImmediate(writeEach, all, bytes, from + sliceSize)
  }

  return {
    /** By the fan-out, which lets events share writes. */
    shared: (pace: Paced) => paced((event) => readers.send([event]), pace),
    /** A write to each attendee for every event. */
    each: (pace: Paced) => paced((event) => writeEach([...sinks], frameOf(event), 0), pace),
    async close() {
      await attendees.close()
      await surface.http.close(1)
      await surface.store.close()
    },
  }
}
