// Who presents a run: a lease on its row with an epoch that rises with each owner. Expiry decides who may take over; the
// epoch, checked by every append, makes a late writer harmless even when clocks disagree.
import type { Reader, Tx } from './store.ts'

export interface LeaseRequest {
  /** Names the process, anew at each start. */
  owner: string
  now: number
  leaseMs: number
}

export interface RunLease {
  runId: string
  epoch: number
}

/** Takes the run if it is open and its lease has run out. Returns null when it is another's, has ended or is unknown. */
export async function acquireRunLease(tx: Tx, runId: string, { owner, now, leaseMs }: LeaseRequest): Promise<RunLease | null> {
  const taken = await tx
    .updateTable('runs')
    .set((eb) => ({ lease_owner: owner, epoch: eb('epoch', '+', 1), lease_until: now + leaseMs }))
    .where('id', '=', runId)
    .where('ended_at', 'is', null)
    .where('lease_until', '<=', now)
    .returning('epoch')
    .executeTakeFirst()
  return taken === undefined ? null : { runId, epoch: taken.epoch }
}

/** Extends the leases still held; returns those. What is missing from the answer is lost. */
export async function renewRunLeases(tx: Tx, leases: readonly RunLease[], { owner, now, leaseMs }: LeaseRequest): Promise<RunLease[]> {
  const kept: RunLease[] = []
  // In one order everywhere, so that two transactions never wait for each other's rows.
  for (const lease of [...leases].sort((a, b) => (a.runId < b.runId ? -1 : 1))) {
    const { numUpdatedRows } = await tx
      .updateTable('runs')
      .set({ lease_until: now + leaseMs })
      .where('id', '=', lease.runId)
      .where('epoch', '=', lease.epoch)
      .where('lease_owner', '=', owner)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) kept.push(lease)
  }
  return kept
}

/** Gives the run up at once; another process need not wait for the expiry. Harmless when the lease was lost. */
export async function releaseRunLease(tx: Tx, { runId, epoch }: RunLease): Promise<void> {
  await tx.updateTable('runs').set({ lease_owner: null, lease_until: 0 }).where('id', '=', runId).where('epoch', '=', epoch).execute()
}

/** Open runs that nobody owns at `now`, longest waiting first. */
export async function listOrphanRuns(read: Reader, now: number, limit: number): Promise<string[]> {
  const rows = await read
    .selectFrom('runs')
    .select('id')
    .where('ended_at', 'is', null)
    .where('lease_until', '<=', now)
    .orderBy('lease_until')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/**
 * Ends every run lease at once. Only for a process that holds the data directory (`lock: true`): whoever held them is dead.
 * On PostgreSQL they run out by themselves.
 */
export async function freeAllRunLeases(tx: Tx): Promise<void> {
  await tx.updateTable('runs').set({ lease_owner: null, lease_until: 0 }).where('lease_owner', 'is not', null).execute()
}
