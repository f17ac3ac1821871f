// A process with streams says that it lives, one row for all of them; one that is missed had attendees whose streams went with it.
import { createRounds } from '@rostrum/base/work'
import type { Clock } from '@rostrum/base/clock'
import { type Reader, type Store, together, type Tx } from '../../platform/db/store.ts'

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

export function createProcessBeats({ store, clock, node, hasStreams, onBeat, onReturned, onAbandoned, onFailure }: ProcessBeatsDeps) {
  const { beatMs, silenceMs } = paces[store.dialect]
  const { read, write } = { ...store, ...store.urgent }
  const startedAt = clock.now()
  let lookedAt = startedAt
  let askedAt = startedAt
  let beatAt = -Infinity
  const rounds = createRounds(clock, onFailure)

  /** Says that this process lives, unless it has just done so. */
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

  /** The stream of the attendee is here now; a crowd that comes from another process is written down together. */
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
    start: () => rounds.every(beatMs, round),
    stop: () => void rounds.stop(),
  }
}

// Processes that hold streams, one row each, and who has a stream where: what an attendee's presence costs is a write when their stream
// comes to another process, and for all attendees of a process together one every second or two.

/** Says that the process lives. */
async function beatProcess(tx: Tx, id: string, now: number): Promise<void> {
  await tx
    .insertInto('processes')
    .values({ id, seen_at: now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: now }))
    .execute()
}

/** The streams of these attendees are at the process `node` now. */
async function placeAttendees(tx: Tx, node: string, attendeeIds: readonly string[]): Promise<void> {
  await tx.updateTable('attendees').set({ node }).where('id', 'in', attendeeIds).execute()
}

/** Where the attendee had a stream last; null where none of their visits is open. */
export async function nodeOfVisitor(read: Reader, attendeeId: string): Promise<{ node: string | null } | null> {
  const row = await read
    .selectFrom('visits')
    .innerJoin('attendees', 'attendees.id', 'visits.attendee_id')
    .select('attendees.node')
    .where('visits.attendee_id', '=', attendeeId)
    .where('visits.left_at', 'is', null)
    .executeTakeFirst()
  return row ?? null
}

async function hasSilentProcess(read: Reader, silentSince: number): Promise<boolean> {
  const row = await read.selectFrom('processes').select('id').where('seen_at', '<', silentSince).limit(1).executeTakeFirst()
  return row !== undefined
}

/** Which of these processes have been heard of since `silentSince`. */
export async function listLiving(read: Reader, ids: readonly string[], silentSince: number): Promise<ReadonlySet<string>> {
  const rows = await read.selectFrom('processes').select('id').where('id', 'in', ids).where('seen_at', '>=', silentSince).execute()
  return new Set(rows.map(({ id }) => id))
}

interface AbandonedVisit {
  attendeeId: string
  runId: string
  /** When the process that had the stream was last heard of. */
  since: number
}

/**
 * Open visits whose process has not been heard of since `silentSince`: of runs that `presenter` presents, so that one process alone
 * tells of them, and of runs that are over.
 */
async function listAbandonedVisits(
  read: Reader,
  { presenter, silentSince, limit }: { presenter: string; silentSince: number; limit: number },
): Promise<AbandonedVisit[]> {
  const rows = await read
    .selectFrom('visits')
    .innerJoin('attendees', 'attendees.id', 'visits.attendee_id')
    .innerJoin('runs', 'runs.id', 'visits.run_id')
    .leftJoin('processes', 'processes.id', 'attendees.node')
    .select(['visits.attendee_id', 'visits.run_id', 'visits.opened_at', 'processes.seen_at'])
    .where('visits.left_at', 'is', null)
    .where('visits.opened_at', '<', silentSince)
    .where((row) => row.or([row('processes.id', 'is', null), row('processes.seen_at', '<', silentSince)]))
    .where((row) => row.or([row('runs.lease_owner', '=', presenter), row('runs.ended_at', 'is not', null)]))
    .limit(limit)
    .execute()
  return rows.map(({ attendee_id, run_id, opened_at, seen_at }) => ({
    attendeeId: attendee_id,
    runId: run_id,
    since: Math.max(opened_at, seen_at ?? opened_at),
  }))
}

/** Forgets processes that nobody's visit points to any more. */
async function forgetProcesses(tx: Tx, silentSince: number): Promise<void> {
  await tx
    .deleteFrom('processes')
    .where('seen_at', '<', silentSince)
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('visits')
            .innerJoin('attendees', 'attendees.id', 'visits.attendee_id')
            .select('visits.visit')
            .where('visits.left_at', 'is', null)
            .whereRef('attendees.node', '=', 'processes.id'),
        ),
      ),
    )
    .execute()
}
