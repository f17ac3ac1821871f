// Who has an open stream in this process. The first stream of a visit tells the run that the attendee is there; thirty seconds
// without one tell it that the attendee has left. A process that died is noticed by its silence.
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Store } from '../storage/store.ts'
import type { RunDesk } from './command.ts'

export const absenceMs = 30_000
const heartbeatMs = 15_000
/** A visit whose process has not been heard of for this long has no stream. */
const silenceMs = 45_000
const perStatement = 500
/** Rung when a stream of an attendee opens, with the process that has it. */
const streamsTopic = 'streams:'

export interface Attendee {
  attendeeId: string
  runId: string
  name: string | null
  kind: 'human' | 'agent'
}

export interface Presence {
  /** A stream opened; `supersede` is called when the same attendee opens another. Returns the function that ends it. */
  open(attendee: Attendee, supersede: () => void): () => void
  openHost(runId: string): () => void
  /** The attendee left on purpose: no timer runs for him. */
  left(attendeeId: string): void
  hasStream(runId: string): boolean
  start(): void
  stop(): void
}

interface Place {
  attendee: Attendee
  /** Streams and long polls of this attendee: what closes each, and when it was opened. */
  open: Map<() => void, number>
  cancelLeave: (() => void) | null
}

export interface PresenceDeps {
  store: Store
  clock: Clock
  ids: Ids
  desk: RunDesk
  /** A stream of the run opened or closed: what is due may have changed. */
  onStreams(runId: string): void
  onFault(runId: string, error: unknown): void
}

export function createPresence({ store, clock, ids, desk, onStreams, onFault }: PresenceDeps): Presence {
  const places = new Map<string, Place>()
  const perRun = new Map<string, number>()
  const hosts = new Map<string, number>()
  const node = ids.uuid()
  const stopListening = store.listen(streamsTopic, (topic) => {
    const [attendeeId = '', opener, at] = topic.slice(streamsTopic.length).split(':')
    // Opened later in another process: the streams here are the older ones. A ring may be late, so it says when.
    const place = opener === node ? undefined : places.get(attendeeId)
    for (const [close, openedAt] of place?.open ?? []) if (openedAt < Number(at)) close()
  })
  let cancelHeartbeat: (() => void) | undefined
  let isStopped = false

  function tell(runId: string, command: Parameters<RunDesk['submit']>[1]): void {
    desk.submit(runId, command).catch((error: unknown) => onFault(runId, error))
  }

  function tellOthers(attendeeId: string, runId: string, at: number): void {
    store.write(async (_tx, ring) => ring(`${streamsTopic}${attendeeId}:${node}:${at}`)).catch((error: unknown) => onFault(runId, error))
  }

  function countUp(runId: string, by: 1 | -1): void {
    const count = (perRun.get(runId) ?? 0) + by
    if (count === 0) perRun.delete(runId)
    else perRun.set(runId, count)
    onStreams(runId)
  }

  /** Thirty seconds after the last stream: unless another process has seen the attendee since. */
  async function leave(place: Place, since: number): Promise<void> {
    const { attendeeId, runId } = place.attendee
    if (place.open.size > 0) return
    places.delete(attendeeId)
    const visit = await store.read
      .selectFrom('visits')
      .select(['last_seen_at'])
      .where('attendee_id', '=', attendeeId)
      .where('left_at', 'is', null)
      .executeTakeFirst()
    if (visit === undefined || visit.last_seen_at > since + heartbeatMs) return
    tell(runId, { kind: 'visit', id: ids.uuid(), attendeeId, phase: 'closed', since, reason: 'disconnected' })
  }

  async function heartbeat(): Promise<void> {
    const now = clock.now()
    const here = [...places.values()].filter((place) => place.open.size > 0).map((place) => place.attendee.attendeeId)
    for (let from = 0; from < here.length; from += perStatement) {
      const page = here.slice(from, from + perStatement)
      await store.write((tx) =>
        tx.updateTable('visits').set({ last_seen_at: now }).where('left_at', 'is', null).where('attendee_id', 'in', page).execute(),
      )
    }
    const silent = await store.read
      .selectFrom('visits')
      .select(['attendee_id', 'run_id', 'last_seen_at'])
      .where('left_at', 'is', null)
      .where('last_seen_at', '<', now - silenceMs)
      .limit(perStatement)
      .execute()
    for (const { attendee_id, run_id, last_seen_at } of silent) {
      if (places.has(attendee_id)) continue
      tell(run_id, { kind: 'visit', id: ids.uuid(), attendeeId: attendee_id, phase: 'closed', since: last_seen_at, reason: 'disconnected' })
    }
  }

  return {
    open(attendee, supersede) {
      const { attendeeId, runId } = attendee
      const place: Place = places.get(attendeeId) ?? { attendee, open: new Map(), cancelLeave: null }
      places.set(attendeeId, place)
      place.cancelLeave?.()
      place.cancelLeave = null
      const before = [...place.open.keys()]
      const now = clock.now()
      place.open.set(supersede, now)
      if (before.length === 0) countUp(runId, 1)
      for (const close of before) close()
      if (store.dialect === 'postgres') tellOthers(attendeeId, runId, now)
      const { name, kind } = attendee
      tell(runId, { kind: 'visit', id: ids.uuid(), attendeeId, phase: 'opened', name, attendeeKind: kind })
      return () => {
        if (!place.open.delete(supersede) || place.open.size > 0) return
        countUp(runId, -1)
        // Whoever takes the stream over notices by itself when the attendee stays away.
        if (isStopped || places.get(attendeeId) !== place) return
        const since = clock.now()
        place.cancelLeave = clock.after(absenceMs, () => void leave(place, since).catch((error: unknown) => onFault(runId, error)))
      }
    },
    openHost(runId) {
      const count = (hosts.get(runId) ?? 0) + 1
      hosts.set(runId, count)
      if (count === 1) tell(runId, { kind: 'host_stream', id: ids.uuid(), attendeeId: null, present: true })
      return () => {
        const left = (hosts.get(runId) ?? 1) - 1
        if (left > 0) return void hosts.set(runId, left)
        hosts.delete(runId)
        tell(runId, { kind: 'host_stream', id: ids.uuid(), attendeeId: null, present: false })
      }
    },
    left(attendeeId) {
      const place = places.get(attendeeId)
      place?.cancelLeave?.()
      places.delete(attendeeId)
    },
    hasStream: (runId) => perRun.has(runId),
    start() {
      const round = () =>
        void heartbeat()
          .catch((error: unknown) => onFault('-', error))
          .then(() => {
            if (cancelHeartbeat !== undefined) cancelHeartbeat = clock.after(heartbeatMs, round)
          })
      cancelHeartbeat = clock.after(heartbeatMs, round)
    },
    stop() {
      isStopped = true
      cancelHeartbeat?.()
      cancelHeartbeat = undefined
      for (const place of places.values()) place.cancelLeave?.()
      stopListening()
    },
  }
}
