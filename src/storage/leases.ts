// Named leases: work that one process does at a time, such as a sweep. The epoch tells one holder from the next.
import type { LeaseRequest } from './run-leases.ts'
import type { Tx } from './store.ts'

/** Takes or keeps the lease; returns its epoch, which rises when the holder changes, or null while another holds it. */
export async function acquireLease(tx: Tx, name: string, { owner, now, leaseMs }: LeaseRequest): Promise<number | null> {
  const until = now + leaseMs
  const taken = await tx
    .insertInto('leases')
    .values({ name, owner, epoch: 1, lease_until: until })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet((eb) => ({
          owner,
          lease_until: until,
          epoch: eb
            .case()
            .when('leases.owner', '=', owner)
            .then(eb.ref('leases.epoch'))
            .else(eb('leases.epoch', '+', 1))
            .end(),
        }))
        .where((eb) => eb.or([eb('leases.lease_until', '<=', now), eb('leases.owner', '=', owner)])),
    )
    .returning('epoch')
    .executeTakeFirst()
  return taken?.epoch ?? null
}

/** Gives the lease up if `owner` still holds it. */
export async function releaseLease(tx: Tx, name: string, owner: string): Promise<void> {
  await tx.updateTable('leases').set({ lease_until: 0 }).where('name', '=', name).where('owner', '=', owner).execute()
}
