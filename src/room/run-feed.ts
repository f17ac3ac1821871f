// One reader's stream: what it missed, then what comes. Opening it is what makes an attendee present.
import type { EventFeed } from '../kernel/operation.ts'
import { readRunEvents } from '../storage/run-log.ts'
import type { Reader } from './fan-out.ts'
import { bytesOf, maySee, stayAway } from './fan-out.ts'
import type { Attendee } from './presence.ts'
import type { RoomDeps } from './room-deps.ts'
import type { RunState } from './run-state.ts'
import { fullSnapshot, shortSnapshot } from './snapshot.ts'
import type { Tail } from './tail.ts'

export interface StreamReader {
  /** An attendee's id, or `host`. */
  sees: string
  name: string | null
  attendee: Attendee | null
}

/** Events further back are not replayed: the whole room is sent instead. */
const replayMax = 1_000
const pageSize = 500
const superseded = Buffer.concat([stayAway, Buffer.from('event: closed\ndata: {"reason":"superseded"}\n\n')])

/** The `seq` of `<epoch>-<seq>` when it can be resumed from, else null. A cursor of an older epoch counts by its `seq` alone. */
export function readCursor(text: string | undefined, state: RunState): number | null {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '')
  if (match === null) return null
  const [epoch, seq] = [Number(match[1]), Number(match[2])]
  const isKnown = epoch <= state.epoch && seq <= state.seq && state.seq - seq <= replayMax
  return isKnown ? seq : null
}

export function messageOf(event: string, data: unknown, id?: string): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
}

export interface FeedStart {
  tail: Tail
  reader: StreamReader
  cursor: number | null
  release(): void
}

export function runFeed({ tail, reader, cursor, release }: FeedStart, deps: Pick<RoomDeps, 'store' | 'clock' | 'presence'>): EventFeed {
  /** Nobody attends a run that is over. */
  function appear(supersede: () => void): () => void {
    if (tail.state.closed) return () => undefined
    return reader.attendee === null ? deps.presence.openHost(tail.run.id) : deps.presence.open(reader.attendee, supersede)
  }

  return {
    open(sink) {
      let isOpen = true
      const { state } = tail
      const entry: Reader = { seq: cursor ?? state.seq, sink, sees: reader.sees, onEnd: () => stop() }
      const supersede = () => {
        sink.write(superseded)
        stop()
        sink.close()
      }
      const leave = appear(supersede)
      let isTold = false

      function stop(): void {
        if (!isOpen) return
        isOpen = false
        tail.readers.remove(entry)
        leave()
        release()
      }

      const now = deps.clock.now()
      if (cursor === null) {
        sink.write(messageOf('snapshot', fullSnapshot(tail, reader, now), `${state.epoch}-${state.seq}`))
        follow()
      } else {
        sink.write(messageOf('snapshot', shortSnapshot(tail, reader, now)))
        void replay().catch(() => {
          stop()
          sink.close()
        })
      }

      /** From here on the fan-out writes; nothing may be awaited between the last look at the state and this. */
      function follow(): void {
        if (!isOpen) return
        if (!tail.state.closed) return tail.readers.add(entry)
        if (!isTold) sink.write(Buffer.concat([stayAway, messageOf('closed', { reason: closedReason(tail.state) })]))
        stop()
        sink.close()
      }

      async function replay(): Promise<void> {
        while (isOpen && entry.seq < tail.state.seq) {
          const rows = await readRunEvents(deps.store.read, tail.run.id, entry.seq, pageSize)
          const upTo = rows.filter((row) => row.seq <= tail.state.seq)
          const last = upTo.at(-1)
          if (last === undefined) break
          const bytes = upTo.filter((row) => maySee(reader.sees, row)).map(bytesOf)
          entry.seq = last.seq
          isTold ||= upTo.some((row) => row.type === 'closed' && maySee(reader.sees, row))
          if (isOpen && bytes.length > 0 && !sink.write(Buffer.concat(bytes))) {
            stop()
            return sink.close()
          }
        }
        follow()
      }

      return stop
    },
  }
}

function closedReason({ endReason }: RunState): string {
  if (endReason === 'ended_by_host') return 'ended'
  if (endReason === 'abandoned') return 'left'
  return endReason === 'deleted' || endReason === 'revoked' ? endReason : 'completed'
}
