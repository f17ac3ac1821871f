// Writes run events to the streams of one run in this process. A room event is turned into bytes once and shared by all readers;
// readers are written in slices, so that ten thousand of them do not hold up a request (performance, section 1).
import type { FeedSink } from '../kernel/operation.ts'
import type { RunEventRow } from '../storage/tables/runs.ts'
import { frameOf, isSent } from './logged.ts'

export interface Reader {
  /** The last event that the reader has, or need not have. */
  seq: number
  readonly sink: FeedSink
  /** An attendee's id, or `host`. */
  readonly sees: string
  /** The reader's stream has ended; called once. */
  onEnd(): void
}

const sliceSize = 225
/** Tells readers not to come back on their own. */
export const stayAway = Buffer.from('retry: 3600000\n')

/** Whether a reader may see the row. A host sees what is private to an attendee only where it is a question. */
export function maySee(sees: string, row: { audience: string; type: string }): boolean {
  if (!isSent(row)) return false
  if (row.audience === 'room' || row.audience === sees) return true
  return sees === 'host' && row.type === 'question'
}

/** The bytes of a row; `closed` also tells the reader to stay away. */
export function bytesOf(row: RunEventRow): Buffer {
  return row.type === 'closed' ? Buffer.concat([stayAway, frameOf(row)]) : frameOf(row)
}

interface Work {
  rows: readonly RunEventRow[]
  lastSeq: number
  /** Made when the first reader needs them. */
  frames: Map<number, Buffer>
  shared: Buffer | null
  /** Ephemeral: sent to all, moves no cursor. */
  note: Buffer | null
}

export interface FanOut {
  readonly size: number
  add(reader: Reader): void
  remove(reader: Reader): void
  send(rows: readonly RunEventRow[]): void
  /** Sends a message that is not of the log, such as presence. */
  note(frame: Buffer): void
  readers(): Iterable<Reader>
}

export function fanOut(): FanOut {
  const readers = new Set<Reader>()
  const queue: Work[] = []
  let isWriting = false

  function enqueue(work: Work): void {
    if (readers.size === 0) return
    queue.push(work)
    if (!isWriting) next()
  }

  function next(): void {
    const work = queue.shift()
    isWriting = work !== undefined
    if (work !== undefined) writeSlice(work, [...readers], 0)
  }

  function writeSlice(work: Work, all: readonly Reader[], from: number): void {
    const to = Math.min(all.length, from + sliceSize)
    for (let at = from; at < to; at++) {
      const reader = all[at]
      if (reader !== undefined && readers.has(reader)) writeTo(reader, work)
    }
    if (to < all.length) setImmediate(writeSlice, work, all, to)
    else next()
  }

  function writeTo(reader: Reader, work: Work): void {
    const bytes = work.note ?? bytesFor(reader, work)
    const hasEnded =
      work.note === null && work.rows.some((row) => row.type === 'closed' && row.seq > reader.seq && maySee(reader.sees, row))
    reader.seq = Math.max(reader.seq, work.lastSeq)
    if (bytes !== null && !reader.sink.write(bytes)) return end(reader)
    if (hasEnded) end(reader)
  }

  function end(reader: Reader): void {
    if (!readers.delete(reader)) return
    reader.sink.close()
    reader.onEnd()
  }

  return {
    get size() {
      return readers.size
    },
    add: (reader) => void readers.add(reader),
    remove: (reader) => void readers.delete(reader),
    send(rows) {
      const sent = rows.filter(isSent)
      if (sent.length > 0) enqueue({ rows: sent, lastSeq: rows.at(-1)?.seq ?? 0, frames: new Map(), shared: null, note: null })
    },
    note: (frame) => enqueue({ rows: [], lastSeq: 0, frames: new Map(), shared: null, note: frame }),
    readers: () => readers,
  }
}

/** Most readers take the same bytes: all rows are the room's and the reader has none of them. */
function bytesFor(reader: Reader, work: Work): Buffer | null {
  const { rows } = work
  const isPlain = reader.seq < (rows[0]?.seq ?? 0) && rows.every((row) => row.audience === 'room')
  if (isPlain) return (work.shared ??= Buffer.concat(rows.map((row) => frame(work, row))))
  const seen = rows.filter((row) => row.seq > reader.seq && maySee(reader.sees, row))
  return seen.length === 0 ? null : Buffer.concat(seen.map((row) => frame(work, row)))
}

function frame(work: Work, row: RunEventRow): Buffer {
  const made = work.frames.get(row.seq) ?? bytesOf(row)
  work.frames.set(row.seq, made)
  return made
}
