// The live stream of a run: a snapshot, then every event the reader may see, once and in order, resumed by its cursor. The same
// address answers a long poll where a proxy lets no stream through.
import { z } from 'zod'
import { knownBy } from '@rostrum/contract/fields'
import { streamMessages } from '@rostrum/contract/room'
import type { Reader as StoreReader } from '../../platform/db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import { attendeeOr, type EventFeed, type FeedSink, type OpenFeed, operation } from '../../platform/operation.ts'
import type { AccountPrincipal, AttendeePrincipal } from '../../platform/principal.ts'
import { getOwnRun, noSuchRun, requireOwnRun } from '../attendees.ts'
import { eventId, maySee, messageData, parseCursor, readRunEvents } from '../log/run-log.ts'
import type { RunState } from '@rostrum/stage/run-state'
import type { RoomDeps } from '../room/deps.ts'
import type { RunEventRow } from '../tables.ts'
import { bytesOf, type Reader, stayAway } from '../stream/fan-out.ts'
import type { Attendee, Presence, Stay } from '../stream/presence.ts'
import { fullSnapshot, shortSnapshot, type Viewer } from '../stream/snapshot.ts'
import type { Tail } from '../stream/tail.ts'

// One reader's stream: what it missed, then what comes. Opening it is what makes an attendee present.

interface StreamReader extends Viewer {
  attendee: Attendee | null
}

const pageSize = 500
const superseded = Buffer.concat([stayAway, Buffer.from('event: closed\ndata: {"reason":"superseded"}\n\n')])

const nobody = (): void => undefined

/** Whether the cursor names an event that `state` has not folded yet. */
function isAhead(text: string | undefined, state: RunState): boolean {
  const cursor = parseCursor(text)
  return cursor !== null && (cursor.seq > state.seq || cursor.epoch > state.epoch)
}

/** The `seq` of `<epoch>-<seq>` when it can be resumed from, else null. A cursor of an older epoch counts by its `seq` alone. */
function readCursor(text: string | undefined, { state, replayFrom }: Tail): number | null {
  const cursor = parseCursor(text)
  if (cursor === null) return null
  const { epoch, seq } = cursor
  const isKnown = epoch <= state.epoch && seq <= state.seq && seq >= replayFrom
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

function runFeed(start: FeedStart, { store, clock, presence }: Pick<RoomDeps, 'store' | 'clock' | 'presence'>): EventFeed {
  return {
    open(sink) {
      const { tail, reader, cursor } = start
      const now = clock.now()
      const { state } = tail
      const stream = new RunStream({ sink, sees: reader.sees, seq: cursor ?? state.seq, tail, openedAt: now })
      stream.leave = appear(tail, reader, presence, stream)
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
  leave = nobody
  readonly #tail: Tail
  #isOpen = true

  constructor(from: { sink: FeedSink; sees: string; seq: number; tail: Tail; openedAt: number }) {
    this.sink = from.sink
    this.sees = from.sees
    this.seq = from.seq
    this.openedAt = from.openedAt
    this.#tail = from.tail
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
      const upTo = this.#tail.state.seq
      const rows = this.#tail.since(this.seq) ?? (await readRunEvents(read, this.#tail.run.id, this.seq, pageSize, this.sees))
      this.seq = reached(rows, this.seq, upTo)
      const seen = rows.filter((row) => maySee(this.sees, row))
      isTold ||= seen.some((row) => row.type === 'closed')
      if (this.#isOpen && seen.length > 0 && !this.sink.write(Buffer.concat(seen.map(bytesOf)))) return this.end()
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
    this.#tail.readers.remove(this)
    this.leave()
    this.#tail.release()
  }
}

/** How far a page of the log leads: to its last row where there may be more, else to the end of the log as it was known before. */
function reached(rows: readonly RunEventRow[], from: number, upTo: number): number {
  const last = rows.at(-1)?.seq ?? from
  return rows.length < pageSize ? Math.max(last, upTo) : last
}

/** Whoever opens a stream or asks by a poll is there, unless the run is over; gives how that ends. */
function appear({ run, state }: Tail, { attendee }: StreamReader, presence: Presence, stay: Stay): () => void {
  if (state.closed) return nobody
  if (attendee === null) {
    presence.openHost(run.id)
    return () => presence.closeHost(run.id)
  }
  const { attendeeId } = attendee
  // The log has them as present: one who comes back within thirty seconds has never been away.
  presence.open(attendee, stay, state.attendees.get(attendeeId)?.isPresent === true)
  return () => presence.close(attendeeId, stay)
}

/** What a reader is told who comes after the end. */
function closedReason({ endReason }: RunState): string {
  if (endReason === 'ended_by_host') return 'ended'
  if (endReason === 'abandoned') return 'left'
  return endReason === 'deleted' || endReason === 'revoked' ? endReason : 'completed'
}

// The stream for networks that hold streams back: the events after a cursor as one JSON answer, waited for up to 25 s.

const patienceMs = 25_000

export interface Polled {
  events: { id?: string; event: string; data: unknown }[]
  /** The cursor of the next call. */
  next: string
}

type PollDeps = Pick<RoomDeps, 'store' | 'clock' | 'presence'>

/** Without a cursor: the snapshot, at once. */
async function longPoll({ tail, reader, cursor }: FeedStart, deps: PollDeps, signal: AbortSignal): Promise<Polled> {
  // The time until the next poll is no absence.
  const away = appear(tail, reader, deps.presence, { openedAt: deps.clock.now(), supersede: nobody })
  try {
    if (cursor === null) {
      const { epoch, seq } = tail.state
      const id = `${epoch}-${seq}`
      return { events: [{ id, event: 'snapshot', data: JSON.parse(fullSnapshot(tail, reader, deps.clock.now())) as unknown }], next: id }
    }
    let from = cursor
    const until = deps.clock.now() + patienceMs
    for (;;) {
      const upTo = tail.state.seq
      const rows = tail.since(from) ?? (await readRunEvents(deps.store.read, tail.run.id, from, pageSize, reader.sees))
      from = reached(rows, from, upTo)
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

/** Resolves at the next advance of the log, after `ms`, or when the caller has gone. */
export function advance(tail: Tail, ms: number, { clock }: Pick<RoomDeps, 'clock'>, signal: AbortSignal): Promise<void> {
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

/** A run can be read this long after it has closed. */
const readableMs = 600_000

type Principal = AttendeePrincipal | AccountPrincipal

async function readerOf(runId: string, principal: Principal, deps: RoomDeps): Promise<StreamReader> {
  if (principal.kind === 'attendee') {
    requireOwnRun(principal, runId)
    const { attendeeId } = principal
    const { name, node, ...attendee } = await deps.attendeeOf(attendeeId)
    const kind = attendee.kind === 'agent' ? 'agent' : 'human'
    return { sees: attendeeId, name, recapUrl: deps.recapLinks.linkOf(attendeeId), attendee: { attendeeId, runId, name, kind, node } }
  }
  await getOwnRun(deps.store.read, principal.accountId, runId)
  return { sees: 'host', name: principal.label, attendee: null }
}

const nothing: Polled = { events: [], next: '' }

export const streamRun = operation({
  name: 'stream_run',
  summary: 'Follow a run live',
  description:
    'Server-sent events: [their names and members](/docs/api/events#messages). A `beat` that starts may name its place on the slide: `region` (boxes in fractions of the picture), or `spans` of the text where there is none. Resume with `Last-Event-ID` or `after`. `Accept: application/json` answers a long poll of at most 25 s.',
  access: attendeeOr('sessions:write'),
  limit: 'room',
  errors: ['gone'],
  input: z.object({
    runId: knownBy,
    after: z.string().max(60).describe('The id of the last event that was applied.').optional(),
    lastEventId: z.string().max(200).optional(),
    accept: z.string().max(1_000).optional(),
  }),
  run: async (asked, call, deps: RoomDeps) => {
    const runId = asked.runId
    const reader = await readerOf(runId, call.principal, deps)
    const tail = await deps.hub.open(runId)
    if (tail === null) throw noSuchRun()
    const asText = asked.lastEventId ?? asked.after
    // Another process may have shown the reader more than this one has heard of.
    if (isAhead(asText, tail.state)) {
      await tail.advance().catch((error: unknown) => {
        tail.release()
        throw error
      })
    }
    const { endedAt, closed } = tail.state
    if (closed && endedAt !== null && call.now - endedAt > readableMs) {
      tail.release()
      throw new ServiceError('gone', 'The talk is over; its stream has ended.')
    }
    // A text that is no cursor counts as none: the reader then gets the whole room.
    const cursor = readCursor(asText, tail)
    if (asked.accept?.startsWith('application/json') === true) {
      return { polled: await longPoll({ tail, reader, cursor }, deps, call.signal).finally(() => tail.release()) }
    }
    return { feed: runFeed({ tail, reader, cursor }, deps) }
  },
  http: {
    method: 'GET',
    path: '/api/v1/runs/{runId}/stream',
    headerMembers: { 'last-event-id': 'lastEventId', accept: 'accept' },
    tokenInQuery: true,
    output: z.object({
      events: z.array(
        z.union(
          Object.entries(streamMessages).map(([event, data]) => z.object({ id: z.string().optional(), event: z.literal(event), data })),
        ),
      ),
      next: z.string(),
    }),
    view: (result) => ('polled' in result ? result.polled : nothing),
    feed: (result) => ('feed' in result ? result.feed : undefined),
  },
})
