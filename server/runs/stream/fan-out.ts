// Writes run events to the streams of one run in this process. A room event is turned into bytes once and shared by all readers;
// readers are written in slices, so that ten thousand of them do not hold up a request, and a crowd is written to at most twenty
// times a second: what comes faster shares a write, and what comes meanwhile goes along to those whose turn is yet to come
// (performance, section 1).
import type { Clock } from '@rostrum/base/clock'
import type { RunEventRow } from '../tables.ts'
import type { FeedSink } from '../../platform/operation.ts'
import { frameOf, isSent, maySee } from '../log/run-log.ts'

export interface Reader {
  /** The last event that the reader has, or need not have. */
  seq: number
  /** Takes nothing once the reader is removed. */
  readonly sink: FeedSink
  /** An attendee's id, or `host`. */
  readonly sees: string
  /** Closes the reader's stream. */
  end(): void
}

/** A room of more readers than this is a crowd: it takes more than one slice to write to. */
const sliceSize = 225
/** An event to a crowd waits this long at most for others to share its write. */
const tickMs = 50
/** A crowd changes all the time: this many readers may be told of it each second, which takes some hundredths of a core. */
const notesPerSecond = 2_000
/** Tells readers not to come back on their own. */
export const stayAway = Buffer.from('retry: 3600000\n')

/** Milliseconds to let pass between notes to so many: a second, or five where they are ten thousand. */
export function noteEveryMs(readers: number): number {
  return 1_000 * Math.max(1, readers / notesPerSecond)
}

/** The bytes of a row; `closed` also tells the reader to stay away. */
export function bytesOf(row: RunEventRow): Buffer {
  return row.type === 'closed' ? Buffer.concat([stayAway, frameOf(row)]) : frameOf(row)
}

/** What every reader gets in one write. */
interface Sending {
  /** Of the clock, when its first part came. */
  readonly since: number
  rows: RunEventRow[]
  lastSeq: number
  /** Ephemeral: sent to all, moves no cursor. The latest one counts. */
  note: Buffer | null
  /** The same for hosts, where they are told more. */
  hostNote: Buffer | null
}

export interface FanOut {
  readonly size: number
  add(reader: Reader): void
  remove(reader: Reader): void
  send(rows: readonly RunEventRow[]): void
  /** Sends a message that is not of the log, such as presence. */
  note(frame: Buffer, forHosts?: Buffer): void
}

export function fanOut(clock: Clock): FanOut {
  const readers = new Set<Reader>()
  let waiting: Sending | null = null
  /** Under way. */
  let letters: Letters | null = null
  let isTicking = false
  let begunAt = Number.NEGATIVE_INFINITY

  function prepared(): Sending {
    return (waiting ??= { since: clock.elapsed(), rows: [], lastSeq: 0, note: null, hostNote: null })
  }

  function begin(): void {
    if (waiting === null || letters !== null || isTicking) return
    const now = clock.elapsed()
    const dueAt = readers.size <= sliceSize || now - begunAt >= tickMs ? now : waiting.since + tickMs
    if (dueAt > now) {
      isTicking = true
      clock.after(dueAt - now, () => {
        isTicking = false
        write()
      })
    } else write()
  }

  function write(): void {
    if (waiting === null) return
    begunAt = clock.elapsed()
    letters = lettersOf(waiting)
    waiting = null
    writeSlice(letters, [...readers].filter(letters.concerns), 0)
  }

  function writeSlice(written: Letters, all: readonly Reader[], from: number): void {
    const to = Math.min(all.length, from + sliceSize)
    for (let at = from; at < to; at++) {
      const reader = all[at]
      if (reader !== undefined) writeTo(reader, written)
    }
    if (to < all.length) return void setImmediate(writeSlice, written, all, to)
    letters = null
    begin()
  }

  function writeTo(reader: Reader, written: Letters): void {
    const bytes = written.bytesFor(reader)
    const isLast = written.closes(reader)
    if (reader.seq < written.lastSeq) reader.seq = written.lastSeq
    if (bytes !== null && !reader.sink.write(bytes)) return end(reader)
    if (isLast) end(reader)
  }

  function end(reader: Reader): void {
    if (readers.delete(reader)) reader.end()
  }

  return {
    get size() {
      return readers.size
    },
    add: (reader) => void readers.add(reader),
    remove: (reader) => void readers.delete(reader),
    send(rows) {
      const sent = rows.filter(isSent)
      if (sent.length === 0 || readers.size === 0) return
      const lastSeq = rows.at(-1)?.seq ?? 0
      // Those who have been written to already get it by the next write, and the others are known by their cursors then.
      letters?.add(sent, lastSeq)
      const sending = prepared()
      sending.rows.push(...sent)
      sending.lastSeq = lastSeq
      begin()
    },
    note(frame, forHosts = frame) {
      if (readers.size === 0) return
      const sending = prepared()
      sending.note = frame
      sending.hostNote = forHosts
      begin()
    },
  }
}

interface Letters {
  readonly lastSeq: number
  /** More to write to those who come after. */
  add(more: readonly RunEventRow[], lastSeq: number): void
  /** Whether there may be anything for the reader: a crowd is not walked through for a word to one of them. */
  concerns(reader: Reader): boolean
  /** What the reader does not have yet; null where that is nothing. */
  bytesFor(reader: Reader): Buffer | null
  /** Whether the reader is told that the talk is closed. */
  closes(reader: Reader): boolean
}

/** Bytes are made when the first reader needs them. Most readers take the same: the rows of the room, all of them new to them. */
function lettersOf({ rows, lastSeq, note, hostNote }: Sending): Letters {
  const frames = new Map<RunEventRow, Buffer>()
  let ofRoom: readonly RunEventRow[] = []
  /** Who may see more than the room: a crowd goes on sharing its bytes where a row is for one of them. */
  let addressees: ReadonlySet<string> = new Set()
  /** By how many of the rows of the room their readers have. */
  let shared: (Buffer | null)[] = []
  let closing: readonly RunEventRow[] = []

  function look(): void {
    ofRoom = rows.filter(isOfRoom)
    addressees = new Set(rows.filter((row) => !isOfRoom(row)).flatMap(({ audience }) => [audience, 'host']))
    shared = []
    closing = rows.filter((row) => row.type === 'closed')
  }

  function framed(some: readonly RunEventRow[], noted = note): Buffer | null {
    const parts = some.map((row) => {
      const made = frames.get(row) ?? bytesOf(row)
      frames.set(row, made)
      return made
    })
    return parts.length === 0 ? noted : Buffer.concat(noted === null ? parts : [...parts, noted])
  }

  look()
  return {
    get lastSeq() {
      return lastSeq
    },
    add(more, upTo) {
      rows.push(...more)
      lastSeq = upTo
      look()
    },
    concerns: ({ sees }) => ofRoom.length > 0 || note !== null || addressees.has(sees),
    bytesFor(reader) {
      const isHost = reader.sees === 'host'
      if (addressees.has(reader.sees) || (isHost && hostNote !== note)) {
        const seen = rows.filter((row) => row.seq > reader.seq && maySee(reader.sees, row))
        return framed(seen, isHost ? hostNote : note)
      }
      let known = 0
      for (let row = ofRoom[known]; row !== undefined && row.seq <= reader.seq; row = ofRoom[known]) known++
      return known === ofRoom.length ? note : (shared[known] ??= framed(ofRoom.slice(known)))
    },
    closes: (reader) => closing.some((row) => row.seq > reader.seq && maySee(reader.sees, row)),
  }
}

export const isOfRoom = ({ audience }: RunEventRow): boolean => audience === 'room'
