// The stream for networks that hold streams back: the events after a cursor as one JSON answer, waited for up to 25 s.
import { readRunEvents } from '../log/run-log.ts'
import type { RoomDeps } from '../room-deps.ts'
import { eventId, messageData } from '../state/logged.ts'
import { maySee } from '../stream/fan-out.ts'
import { closedReason, isCounted, type StreamReader } from '../stream/run-feed.ts'
import { fullSnapshot } from '../stream/snapshot.ts'
import type { Tail } from '../stream/tail.ts'

const patienceMs = 25_000
const perAnswer = 500

export interface Polled {
  events: { id?: string; event: string; data: unknown }[]
  /** The cursor of the next call. */
  next: string
}

export interface PollStart {
  tail: Tail
  reader: StreamReader
  cursor: number | null
}

type PollDeps = Pick<RoomDeps, 'store' | 'clock' | 'presence'>

/** Without a cursor: the snapshot, at once. */
export async function longPoll({ tail, reader, cursor }: PollStart, deps: PollDeps, signal: AbortSignal): Promise<Polled> {
  const away = appear(tail, reader, deps)
  try {
    if (cursor === null) {
      const { epoch, seq } = tail.state
      const id = `${epoch}-${seq}`
      return { events: [{ id, event: 'snapshot', data: JSON.parse(fullSnapshot(tail, reader, deps.clock.now())) as unknown }], next: id }
    }
    let from = cursor
    const until = deps.clock.now() + patienceMs
    for (;;) {
      const rows = from < tail.state.seq ? await readRunEvents(deps.store.read, tail.run.id, from, perAnswer) : []
      from = rows.at(-1)?.seq ?? from
      const events = rows
        .filter((row) => maySee(reader.sees, row))
        .map((row): Polled['events'][number] => ({ id: eventId(row), event: row.type, data: JSON.parse(messageData(row)) as unknown }))
      const isOver = tail.state.closed && from >= tail.state.seq
      // Whoever has read to the end, or came after it, has nothing left to ask for.
      if (isOver && events.length === 0) events.push({ event: 'closed', data: { reason: closedReason(tail.state) } })
      if (events.length > 0 || signal.aborted || deps.clock.now() >= until) return { events, next: `${tail.state.epoch}-${from}` }
      if (from >= tail.state.seq) await advance(tail, until - deps.clock.now(), deps, signal)
    }
  } finally {
    away()
  }
}

/** A poll shows that its reader is there, as a stream does; the time until the next is no absence. Nobody attends a run that is over. */
function appear({ run, state }: Tail, { attendee }: StreamReader, { presence, clock }: PollDeps): () => void {
  if (state.closed) return () => undefined
  if (attendee === null) {
    presence.openHost(run.id)
    return () => presence.closeHost(run.id)
  }
  const stay = { openedAt: clock.now(), supersede: () => undefined }
  presence.open(attendee, stay, isCounted(state, attendee))
  return () => presence.close(attendee.attendeeId, stay)
}

/** Resolves at the next advance of the log, after `ms`, or when the caller has gone. */
function advance(tail: Tail, ms: number, { clock }: Pick<RoomDeps, 'clock'>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel()
      stop()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    const stop = tail.onAdvance(done)
    signal.addEventListener('abort', done, { once: true })
  })
}
