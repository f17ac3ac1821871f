// Who has an open stream in this process. The first stream of a visit tells the run that the attendee is there; thirty seconds
// without one tell it that the attendee has left. The streams of a process that died are missed with it: each process says that it
// lives, and an attendee only where their stream is.
import type { Clock, Ids } from '@rostrum/base/clock'
import type { Store } from '../../platform/db/store.ts'
import type { RoomCommand } from '@rostrum/contract/commands'
import type { Runs } from '../log/run-log.ts'
import { createProcessBeats, nodeOfVisitor } from './processes.ts'

export const absenceMs = 30_000
/** Rung when a stream of an attendee opens, with the process that has it. */
const streamsTopic = 'streams:'

export interface Attendee {
  attendeeId: string
  runId: string
  name: string | null
  kind: 'human' | 'agent'
  /** Where the store says that their stream is. */
  node: string | null
}

/** A stream or a long poll of an attendee. */
export interface Stay {
  readonly openedAt: number
  /** The same attendee has opened another. */
  supersede(): void
}

export interface Presence {
  /** Names this process, for those who join here. */
  readonly node: string
  /** `isCounted`: the log has the attendee as present already, and their run need not be told. */
  open(attendee: Attendee, stay: Stay, isCounted: boolean): void
  /** The stay has ended; once more is harmless. */
  close(attendeeId: string, stay: Stay): void
  openHost(runId: string): void
  closeHost(runId: string): void
  /** The log has closed the visit of somebody who was missed: if they have a stream here after all, their run is told so again. */
  missed(attendeeId: string): void
  hasStream(runId: string): boolean
  start(): void
  stop(): void
}

/** Where an attendee has been seen in this process. */
interface Place {
  readonly attendee: Attendee
  open: readonly Stay[]
  /** Of the newest stay. */
  openedAt: number
  cancelLeave: (() => void) | null
}

/** Something of which a run, or the store, is to be told. */
interface News {
  /** What is newer about the same takes the place of what is older. */
  about: string
  runId: string
  isSo(): boolean
  act(): Promise<void>
}

export interface PresenceDeps {
  store: Store
  clock: Clock
  ids: Ids
  runs: Runs
  /** This process, as the owner of runs and of streams. */
  node: string
  /** The first stream of the run opened, or the last one closed: what is due may have changed. */
  onStreams(runId: string): void
  onFault(runId: string, error: unknown): void
}

export function createPresence({ store, clock, ids, runs, node, onStreams, onFault }: PresenceDeps): Presence {
  const places = new Map<string, Place>()
  const perRun = new Map<string, number>()
  const hosts = new Map<string, number>()
  const stopListening = store.listen(streamsTopic, (topic) => {
    const [attendeeId = '', opener, at] = topic.slice(streamsTopic.length).split(':')
    // Opened later in another process: the streams here are the older ones. A ring may be late, so it says when.
    const place = opener === node ? undefined : places.get(attendeeId)
    for (const stay of place?.open ?? []) if (stay.openedAt < Number(at)) stay.supersede()
  })
  let isStopped = false

  const isHere = (attendeeId: string): boolean => (places.get(attendeeId)?.open.length ?? 0) > 0

  /** What could not be told, by what it is about: it is tried again once the store takes a write. */
  const untold = new Map<string, News>()

  /** Until it is told, or is so no more. */
  function tell(news: News, isAgain = false): void {
    untold.delete(news.about)
    news.act().catch((error: unknown) => {
      if (!isAgain) onFault(news.runId, error)
      if (news.isSo()) untold.set(news.about, news)
    })
  }

  function tellAgain(): void {
    const all = [...untold.values()]
    untold.clear()
    for (const news of all) if (news.isSo()) tell(news, true)
  }

  function tellOpened({ attendeeId, runId, name, kind }: Attendee): void {
    const command: RoomCommand = { kind: 'visit', id: ids.uuid(), attendeeId, name, attendeeKind: kind }
    tell({ about: attendeeId, runId, isSo: () => isHere(attendeeId), act: () => runs.note(runId, command) })
  }

  function tellHost(runId: string, present: boolean): void {
    const command: RoomCommand = { kind: 'host_stream', id: ids.uuid(), attendeeId: null, present, node }
    tell({ about: runId, runId, isSo: () => hosts.has(runId) === present, act: () => runs.note(runId, command) })
  }

  function countUp(runId: string, by: 1 | -1): void {
    const before = perRun.get(runId) ?? 0
    const count = before + by
    if (count === 0) perRun.delete(runId)
    else perRun.set(runId, count)
    if (count === 0 || before === 0) onStreams(runId)
  }

  /** Thirty seconds after the last stream: unless another process has seen the attendee since, or they left on purpose. */
  function leave(attendeeId: string, place: Place, since: number): void {
    if (place.open.length > 0) return
    places.delete(attendeeId)
    const { runId } = place.attendee
    const command: RoomCommand = { kind: 'gone', id: ids.uuid(), attendeeId, since, reason: 'disconnected' }
    const act = async () => {
      // Whoever has seen them since is answerable for them.
      if ((await nodeOfVisitor(store.read, attendeeId))?.node === node) await runs.note(runId, command)
    }
    tell({ about: attendeeId, runId, isSo: () => !places.has(attendeeId), act })
  }

  const beats = createProcessBeats({
    store,
    clock,
    node,
    hasStreams: () => places.size > 0 || hosts.size > 0 || untold.size > 0,
    onBeat: tellAgain,
    onReturned() {
      for (const runId of hosts.keys()) tellHost(runId, true)
    },
    onAbandoned({ attendeeId, runId, since }) {
      if (places.has(attendeeId)) return
      const command: RoomCommand = { kind: 'gone', id: ids.uuid(), attendeeId, since, reason: 'disconnected' }
      // If it cannot be told now, the visit is found abandoned again.
      runs.note(runId, command).catch((error: unknown) => onFault(runId, error))
    },
    onFailure: (error) => onFault('-', error),
  })

  /** The stream of the attendee is here now, as the store is to know; streams that they have elsewhere close. */
  function settleHere({ attendeeId, runId, node: before }: Attendee, openedAt: number): void {
    if (before !== node) store.ring(`${streamsTopic}${attendeeId}:${node}:${openedAt}`)
    if (before === node) beats.beat().catch((error: unknown) => onFault(runId, error))
    else tell({ about: `place of ${attendeeId}`, runId, isSo: () => isHere(attendeeId), act: () => beats.place(attendeeId) })
  }

  return {
    node,
    open(attendee, stay, isCounted) {
      const { attendeeId, runId } = attendee
      const place: Place = places.get(attendeeId) ?? { attendee, open: [], openedAt: 0, cancelLeave: null }
      places.set(attendeeId, place)
      place.cancelLeave?.()
      place.cancelLeave = null
      place.openedAt = stay.openedAt
      const before = place.open
      place.open = [...before, stay]
      if (before.length === 0) countUp(runId, 1)
      for (const older of before) older.supersede()
      settleHere(attendee, stay.openedAt)
      if (!isCounted) tellOpened(attendee)
    },
    close(attendeeId, stay) {
      const place = places.get(attendeeId)
      if (place === undefined || !place.open.includes(stay)) return
      place.open = place.open.filter((each) => each !== stay)
      if (place.open.length > 0) return
      countUp(place.attendee.runId, -1)
      // Whoever takes the stream over notices by itself when the attendee stays away.
      if (isStopped) return
      const since = clock.now()
      place.cancelLeave = clock.after(absenceMs, () => leave(attendeeId, place, since))
    },
    openHost(runId) {
      const count = (hosts.get(runId) ?? 0) + 1
      hosts.set(runId, count)
      if (count > 1) return
      beats.beat().catch((error: unknown) => onFault(runId, error))
      tellHost(runId, true)
    },
    closeHost(runId) {
      const left = (hosts.get(runId) ?? 1) - 1
      if (left > 0) return void hosts.set(runId, left)
      hosts.delete(runId)
      tellHost(runId, false)
    },
    missed(attendeeId) {
      const place = places.get(attendeeId)
      if (place === undefined || place.open.length === 0) return
      // They came here from where they were missed before the store knew that they had been there.
      settleHere({ ...place.attendee, node: null }, place.openedAt)
      tellOpened(place.attendee)
    },
    hasStream: (runId) => perRun.has(runId),
    start: beats.start,
    stop() {
      isStopped = true
      beats.stop()
      for (const place of places.values()) place.cancelLeave?.()
      stopListening()
    },
  }
}
