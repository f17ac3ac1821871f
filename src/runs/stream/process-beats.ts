// A process with streams says that it lives, one row for all of them; one that is missed had attendees whose streams went with it.
import type { Clock } from '../../platform/clock.ts'
import { type Store, together } from '../../platform/db/store.ts'
import {
  type AbandonedVisit,
  beatProcess,
  forgetProcesses,
  hasSilentProcess,
  listAbandonedVisits,
  placeAttendees,
} from '../log/processes.ts'

export interface ProcessBeats {
  /** Says that this process lives, unless it has just done so. */
  beat(): Promise<void>
  /** The stream of the attendee is here now; a crowd that comes from another process is written down together. */
  place(attendeeId: string): Promise<void>
  start(): void
  stop(): void
}

export interface ProcessBeatsDeps {
  store: Store
  clock: Clock
  /** This process, as the owner of runs and of streams. */
  node: string
  /** A process without streams has nothing to say. */
  hasStreams(): boolean
  /** The store has taken a word of this process. */
  onBeat(): void
  /** This process says that it lives after it was silent for so long that others may have missed it. */
  onReturned(): void
  /** The stream of the visit has gone with its process. */
  onAbandoned(visit: AbandonedVisit): void
  onFailure(error: unknown): void
}

/**
 * How often a process says that it lives, and after how long without a word its streams are taken to be gone: long enough for their
 * attendees to come back elsewhere. With SQLite there is one process, and nobody to miss it before it starts again.
 */
export const paces = { postgres: { beatMs: 1_500, silenceMs: 10_000 }, sqlite: { beatMs: 15_000, silenceMs: 45_000 } }
/** The room tries again at least this often: who has not come back so long after the start of a process is not on their way. */
const comeBackMs = 10_000
/** It is asked this often whether a process is missed, and visits are looked through so often where none is. */
const missMs = 3_000
const lookThroughMs = 30_000
/** A silent process is looked for this long. */
const missedMs = 60_000
const perStatement = 500

export function createProcessBeats({
  store,
  clock,
  node,
  hasStreams,
  onBeat,
  onReturned,
  onAbandoned,
  onFailure,
}: ProcessBeatsDeps): ProcessBeats {
  const { beatMs, silenceMs } = paces[store.dialect]
  const { read, write } = { ...store, ...store.urgent }
  const startedAt = clock.now()
  let lookedAt = startedAt
  let askedAt = startedAt
  let beatAt = -Infinity
  let cancel: (() => void) | undefined

  async function beat(): Promise<void> {
    const now = clock.now()
    if (now - beatAt < beatMs / 2) return
    const wasSilent = now - beatAt >= silenceMs
    beatAt = now
    await write((tx) => beatProcess(tx, node, now))
    if (wasSilent) onReturned()
    onBeat()
  }

  async function missOthers(): Promise<void> {
    const now = clock.now()
    const silentSince = now - silenceMs
    if (now - startedAt < comeBackMs || now - askedAt < missMs) return
    askedAt = now
    if (now - lookedAt < lookThroughMs && !(await hasSilentProcess(read, silentSince))) return
    lookedAt = now
    const abandoned = await listAbandonedVisits(read, { presenter: node, silentSince, limit: perStatement })
    for (const visit of abandoned) onAbandoned(visit)
    await write((tx) => forgetProcesses(tx, now - missedMs))
  }

  async function round(): Promise<void> {
    if (hasStreams()) await beat()
    await missOthers()
  }

  const place = together<string, void>(
    async (attendeeIds) => {
      await write(async (tx) => {
        await beatProcess(tx, node, clock.now())
        await placeAttendees(tx, node, attendeeIds)
      })
      return attendeeIds.map(() => undefined)
    },
    { itemsMax: perStatement },
  )

  return {
    beat,
    place,
    start() {
      const again = () =>
        void round()
          .catch((error: unknown) => (cancel === undefined ? undefined : onFailure(error)))
          .then(() => {
            if (cancel !== undefined) cancel = clock.after(beatMs, again)
          })
      cancel = clock.after(beatMs, again)
    },
    stop() {
      cancel?.()
      cancel = undefined
    },
  }
}
