// One reader's stream: what it missed, then what comes. Opening it is what makes an attendee present.
import type { Reader as StoreReader } from '../../platform/db/store.ts'
import type { EventFeed, FeedSink, OpenFeed } from '../../platform/operation.ts'
import { readRunEvents } from '../log/run-log.ts'
import type { RoomDeps } from '../room-deps.ts'
import type { RunState } from '../state/run-state.ts'
import { bytesOf, maySee, type Reader, stayAway } from './fan-out.ts'
import type { Attendee, Presence, Stay } from './presence.ts'
import { fullSnapshot, shortSnapshot } from './snapshot.ts'
import type { Tail } from './tail.ts'

export interface StreamReader {
  /** An attendee's id, or `host`. */
  sees: string
  name: string | null
  /** Of an attendee: the page they may keep. */
  recapUrl?: string
  attendee: Attendee | null
}

/** Events further back are not replayed: the whole room is sent instead. */
const replayMax = 1_000
const pageSize = 500
const superseded = Buffer.concat([stayAway, Buffer.from('event: closed\ndata: {"reason":"superseded"}\n\n')])

export function parseCursor(text: string | undefined): { epoch: number; seq: number } | null {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '')
  return match === null ? null : { epoch: Number(match[1]), seq: Number(match[2]) }
}

/** Whether the cursor names an event that `state` has not folded yet. */
export function isAhead(text: string | undefined, state: RunState): boolean {
  const cursor = parseCursor(text)
  return cursor !== null && (cursor.seq > state.seq || cursor.epoch > state.epoch)
}

/** The `seq` of `<epoch>-<seq>` when it can be resumed from, else null. A cursor of an older epoch counts by its `seq` alone. */
export function readCursor(text: string | undefined, state: RunState): number | null {
  const cursor = parseCursor(text)
  if (cursor === null) return null
  const { epoch, seq } = cursor
  const isKnown = epoch <= state.epoch && seq <= state.seq && state.seq - seq <= replayMax
  return isKnown ? seq : null
}

/** `data` is JSON. */
function messageOf(event: string, data: string, id?: string): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`)
}

export interface FeedStart {
  tail: Tail
  reader: StreamReader
  cursor: number | null
}

export function runFeed(start: FeedStart, { store, clock, presence }: Pick<RoomDeps, 'store' | 'clock' | 'presence'>): EventFeed {
  return {
    open(sink) {
      const { tail, reader, cursor } = start
      const now = clock.now()
      const { state } = tail
      const stream = new RunStream({ sink, sees: reader.sees, seq: cursor ?? state.seq, tail, presence, openedAt: now })
      stream.appear(reader.attendee)
      if (cursor === null) {
        sink.write(messageOf('snapshot', fullSnapshot(tail, reader, now), `${state.epoch}-${state.seq}`))
        stream.follow(false)
      } else {
        sink.write(messageOf('snapshot', shortSnapshot(tail, reader, now)))
        void stream.replay(store.read).catch(() => stream.end())
      }
      return stream
    },
    discard: () => start.tail.release(),
  }
}

/**
 * A class, because it has identity and a life, and because a process holds ten thousand of them: what it needs, and nothing of the
 * request that opened it.
 */
class RunStream implements Reader, Stay, OpenFeed {
  readonly sink: FeedSink
  readonly sees: string
  seq: number
  readonly openedAt: number
  readonly #tail: Tail
  readonly #presence: Presence
  #isOpen = true
  #isPresent = false

  constructor(from: { sink: FeedSink; sees: string; seq: number; tail: Tail; presence: Presence; openedAt: number }) {
    this.sink = from.sink
    this.sees = from.sees
    this.seq = from.seq
    this.openedAt = from.openedAt
    this.#tail = from.tail
    this.#presence = from.presence
  }

  /** Nobody attends a run that is over. */
  appear(attendee: Attendee | null): void {
    const { run, state } = this.#tail
    if (state.closed) return
    this.#isPresent = true
    if (attendee === null) this.#presence.openHost(run.id)
    else this.#presence.open({ ...attendee, runId: run.id }, this, isCounted(state, attendee))
  }

  /** From here on the fan-out writes; nothing may be awaited between the last look at the state and this. */
  follow(isTold: boolean): void {
    if (!this.#isOpen) return
    const { state, readers } = this.#tail
    if (!state.closed && !isTold) return readers.add(this)
    if (!isTold) this.sink.write(Buffer.concat([stayAway, messageOf('closed', JSON.stringify({ reason: closedReason(state) }))]))
    this.end()
  }

  async replay(read: StoreReader): Promise<void> {
    let isTold = false
    while (this.#isOpen && this.seq < this.#tail.state.seq) {
      const rows = this.#tail.since(this.seq) ?? (await readRunEvents(read, this.#tail.run.id, this.seq, pageSize))
      const upTo = rows.filter((row) => row.seq <= this.#tail.state.seq)
      const last = upTo.at(-1)
      if (last === undefined) break
      const bytes = upTo.filter((row) => maySee(this.sees, row)).map(bytesOf)
      this.seq = last.seq
      isTold ||= upTo.some((row) => row.type === 'closed' && maySee(this.sees, row))
      if (this.#isOpen && bytes.length > 0 && !this.sink.write(Buffer.concat(bytes))) return this.end()
    }
    this.follow(isTold)
  }

  supersede(): void {
    this.sink.write(superseded)
    this.end()
  }

  end(): void {
    this.stop()
    this.sink.close()
  }

  stop(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    const { run, readers } = this.#tail
    readers.remove(this)
    if (this.#isPresent && this.sees === 'host') this.#presence.closeHost(run.id)
    else if (this.#isPresent) this.#presence.close(this.sees, this)
    this.#tail.release()
  }
}

/** The log has the attendee as present: one who comes back within thirty seconds has never been away. */
export function isCounted(state: RunState, { attendeeId }: Attendee): boolean {
  return state.attendees.get(attendeeId)?.isPresent === true
}

/** What a reader is told who comes after the end. */
export function closedReason({ endReason }: RunState): string {
  if (endReason === 'ended_by_host') return 'ended'
  if (endReason === 'abandoned') return 'left'
  return endReason === 'deleted' || endReason === 'revoked' ? endReason : 'completed'
}
