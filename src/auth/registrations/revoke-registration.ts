// Ends a registration with every credential it has (spec 3.2). The first time stays: a repeat changes nothing.
import type { Topic, Tx } from '../../storage/store.ts'
import { revokeCredentials } from '../credentials.ts'
import { lockRegistration } from './registration.ts'

/** When it was revoked, now or before; undefined where it never was, or has expired. */
export async function revokeRegistration(
  tx: Tx,
  ring: (topic: Topic) => void,
  id: string,
  { reason, now }: { reason: string; now: number },
): Promise<number | undefined> {
  const row = await lockRegistration(tx, id)
  if (row === undefined || row.state === 'expired') return undefined
  if (row.revoked_at !== null) return row.revoked_at
  await tx.updateTable('registrations').set({ state: 'revoked', revoked_at: now }).where('id', '=', id).execute()
  await revokeCredentials(tx, ring, { registrationId: id }, { reason, now })
  return now
}
