// Who presents a run: a lease on its row with an epoch that rises with each owner. Expiry decides who may take over; the
// epoch, checked by every append, makes a late writer harmless even when clocks disagree.
import { sql } from 'kysely'
import { heldUnlessTaken } from '../../platform/db/statements.ts'
import type { Reader, Tx } from '../../platform/db/store.ts'

interface LeaseRequest {
  /** Names the process, anew at each start. */
  owner: string
  now: number
  leaseMs: number
}

export interface RunLease {
  runId: string
  epoch: number
}

/**
 * Takes the run if its lease has run out or is this owner's. Returns null when it is another's, is unknown, or has ended: an ended run
 * is taken only when `evenEnded`, for what may still come after its end, such as a click. Whoever is writing to the run right now has it,
 * whatever its lease says: nobody waits for the lock of its row.
 */
export async function acquireRunLease(
  tx: Tx,
  runId: string,
  { owner, now, leaseMs, evenEnded = false }: LeaseRequest & { evenEnded?: boolean },
): Promise<RunLease | null> {
  const taken = await tx
    .updateTable('runs')
    .set((eb) => ({ lease_owner: owner, epoch: eb('epoch', '+', 1), lease_until: now + leaseMs }))
    .where('id', 'in', heldUnlessTaken(tx, tx.selectFrom('runs').select('id').where('id', '=', runId)))
    .where((row) => row.or([row('lease_until', '<=', now), row('lease_owner', '=', owner)]))
    .$if(!evenEnded, (query) => query.where('ended_at', 'is', null))
    .returning('epoch')
    .executeTakeFirst()
  return taken === undefined ? null : { runId, epoch: taken.epoch }
}

/**
 * Extends every lease of this owner in one statement, but for runs that are being written to: one slow transaction must not cost all
 * the others their leases. Returns the epochs still held, by run; what is missing is lost.
 */
export async function renewRunLeases(tx: Tx, { owner, now, leaseMs }: LeaseRequest): Promise<ReadonlyMap<string, number>> {
  await tx
    .updateTable('runs')
    .set({ lease_until: now + leaseMs })
    .where('id', 'in', heldUnlessTaken(tx, tx.selectFrom('runs').select('id').where('lease_owner', '=', owner)))
    .execute()
  const kept = await tx.selectFrom('runs').select(['id', 'epoch']).where('lease_owner', '=', owner).execute()
  return new Map(kept.map(({ id, epoch }) => [id, epoch]))
}

/** Gives runs up at once, so that another process need not wait for the expiry. Harmless where a lease was lost. */
export async function releaseRunLeases(tx: Tx, leases: readonly RunLease[]): Promise<void> {
  for (let from = 0; from < leases.length; from += 200) {
    const page = leases.slice(from, from + 200)
    await tx
      .updateTable('runs')
      .set({ lease_owner: null, lease_until: 0 })
      .where((eb) => eb.or(page.map(({ runId, epoch }) => eb.and([eb('id', '=', runId), eb('epoch', '=', epoch)]))))
      .execute()
  }
}

/** What a process that presents runs looks for. */
export interface Found {
  /** Open runs that nobody owns, longest waiting first. */
  orphans: string[]
  /** Runs for which a command has been written down. */
  waiting: string[]
  /** When the next lease of another process runs out. */
  lapseAt: number | null
  /** Open broadcasts that another process presents. */
  broadcasts: string[]
}

/** In one question to the store, because an idle process asks it every second. `isAlone`: there are no other processes. */
export async function findRuns(
  read: Reader,
  { owner, now, isAlone, limits }: { owner: string; now: number; isAlone: boolean; limits: { runs: number; broadcasts: number } },
): Promise<Found> {
  const open = read.selectFrom('runs').where('ended_at', 'is', null)
  const others = open.where('lease_owner', '!=', owner)
  const columns = (kind: keyof Found) => ['id', 'lease_until as at', sql.lit(kind).as('kind')] as const
  const orphans = open.select(columns('orphans')).where('lease_until', '<=', now).orderBy('lease_until').orderBy('id').limit(limits.runs)
  const waiting = read
    .selectFrom('run_commands')
    .select(['run_id as id', sql.lit(0).as('at'), sql.lit<keyof Found>('waiting').as('kind')])
    .distinct()
    .where('handled_at', 'is', null)
    .limit(1_000)
  const lapse = others.select(columns('lapseAt')).where('lease_until', '>', now).orderBy('lease_until').limit(1)
  const broadcasts = others.select(columns('broadcasts')).where('mode', '=', 'broadcast').orderBy('id').limit(limits.broadcasts)
  const here = read
    .selectFrom(orphans.as('o'))
    .selectAll()
    .unionAll(read.selectFrom(waiting.as('w')).selectAll())
  const all = here.unionAll(read.selectFrom(lapse.as('l')).selectAll()).unionAll(read.selectFrom(broadcasts.as('b')).selectAll())
  const rows = await (isAlone ? here : all).execute()
  const of = (kind: keyof Found) => rows.filter((row) => row.kind === kind)
  const ids = (kind: keyof Found) => of(kind).map(({ id }) => id)
  return { orphans: ids('orphans'), waiting: ids('waiting'), lapseAt: of('lapseAt')[0]?.at ?? null, broadcasts: ids('broadcasts') }
}

/** Ends the run leases of processes that are gone. One that lives after all loses its runs, and by their epochs nothing else. */
export async function freeRunLeasesOf(tx: Tx, owners: readonly string[]): Promise<void> {
  const theirs = tx.selectFrom('runs').select('id').where('lease_owner', 'in', owners).where('ended_at', 'is', null)
  await tx.updateTable('runs').set({ lease_until: 0 }).where('id', 'in', heldUnlessTaken(tx, theirs)).execute()
}

/**
 * Ends every run lease at once. Only for a process that holds the data directory (`lock: true`): whoever held them is dead.
 * On PostgreSQL they run out by themselves.
 */
export async function freeAllRunLeases(tx: Tx): Promise<void> {
  await tx.updateTable('runs').set({ lease_owner: null, lease_until: 0 }).where('lease_owner', 'is not', null).execute()
}
