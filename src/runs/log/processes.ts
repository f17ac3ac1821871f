// Processes that hold streams, one row each, and who has a stream where: what an attendee's presence costs is a write when their stream
// comes to another process, and for all attendees of a process together one every second or two.
import type { Reader, Tx } from '../../platform/db/store.ts'

/** Says that the process lives. */
export async function beatProcess(tx: Tx, id: string, now: number): Promise<void> {
  await tx
    .insertInto('processes')
    .values({ id, seen_at: now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: now }))
    .execute()
}

/** The streams of these attendees are at the process `node` now. */
export async function placeAttendees(tx: Tx, node: string, attendeeIds: readonly string[]): Promise<void> {
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

export async function hasSilentProcess(read: Reader, silentSince: number): Promise<boolean> {
  const row = await read.selectFrom('processes').select('id').where('seen_at', '<', silentSince).limit(1).executeTakeFirst()
  return row !== undefined
}

/** Which of these processes have been heard of since `silentSince`. */
export async function listLiving(read: Reader, ids: readonly string[], silentSince: number): Promise<ReadonlySet<string>> {
  const rows = await read.selectFrom('processes').select('id').where('id', 'in', ids).where('seen_at', '>=', silentSince).execute()
  return new Set(rows.map(({ id }) => id))
}

export interface AbandonedVisit {
  attendeeId: string
  runId: string
  /** When the process that had the stream was last heard of. */
  since: number
}

/**
 * Open visits whose process has not been heard of since `silentSince`: of runs that `presenter` presents, so that one process alone
 * tells of them, and of runs that are over.
 */
export async function listAbandonedVisits(
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
export async function forgetProcesses(tx: Tx, silentSince: number): Promise<void> {
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
