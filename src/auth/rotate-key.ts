// Rotation of an API key with overlap: a new key is made, the old one works on for a grace, so that code can change over without
// a refused call. What the old key keeps alive, its webhooks, goes on under the new one.
import { sql } from 'kysely'
import { ServiceError } from '../kernel/errors.ts'
import { isScope } from '../kernel/principal.ts'
import type { Actor } from './audit.ts'
import { recordAct } from './audit.ts'
import { issueCredential, revokeCredentials } from './credentials.ts'
import type { AuthDeps } from './deps.ts'
import type { KeyOwner, KeyRecord } from './keys.ts'
import { noSuchKey } from './keys.ts'

export interface Rotation {
  id: string
  /** How long the old key works on; 0 ends it at once. */
  graceMs: number
  /** Whose the new key is: the person who sees it. Absent: whose the old one was. */
  holderId?: string | undefined
}

export interface RotatedKey extends KeyRecord {
  key: string
  previous: { id: string; endsAt: number }
}

/**
 * Makes a key with the name, the scopes and the length of life of the old one. Of many at once one makes it. Throws `not_found`
 * where no live key of this owner has the id, `conflict` where it was replaced before.
 */
export async function rotateKey(
  { store, ids }: Pick<AuthDeps, 'store' | 'ids'>,
  actor: Actor,
  { accountId, userId }: KeyOwner,
  { id, graceMs, holderId }: Rotation,
): Promise<RotatedKey> {
  const { now } = actor
  return store.write(async (tx, ring) => {
    let find = tx.selectFrom('credentials').selectAll().where('id', '=', id).where('account_id', '=', accountId).where('kind', '=', 'live')
    if (userId !== undefined) find = find.where('user_id', '=', userId)
    const old = await find.executeTakeFirst()
    if (old === undefined || old.revoked_at !== null || (old.expires_at !== null && old.expires_at <= now)) throw noSuchKey()
    const expiresAt = old.expires_at === null ? null : now + (old.expires_at - old.created_at)
    const scopes = old.scopes.split(' ').filter(isScope)
    const holder = holderId ?? old.user_id ?? undefined
    const made = await issueCredential(tx, ids, { kind: 'live', accountId, userId: holder, name: old.name, scopes, expiresAt, now })
    const end = now + graceMs
    const replaced = await tx
      .updateTable('credentials')
      .set({ replaced_by: made.id, expires_at: sql<number>`CASE WHEN expires_at < ${end} THEN expires_at ELSE ${end} END` })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .where('replaced_by', 'is', null)
      .returning('expires_at')
      .executeTakeFirst()
    if (replaced === undefined) throw new ServiceError('conflict', 'This key was replaced before: rotate the one that took its place.')
    if (graceMs === 0) await revokeCredentials(tx, ring, { id }, { reason: 'rotated', now })
    await tx.updateTable('webhook_subscriptions').set({ owner_credential_id: made.id }).where('owner_credential_id', '=', id).execute()
    const data = { replacedBy: made.id, graceSeconds: Math.round(graceMs / 1_000) }
    await recordAct(tx, ids, actor, { action: 'key.rotated', accountId, target: { kind: 'credential', id }, data })
    return {
      id: made.id,
      name: old.name,
      kind: 'live',
      last4: made.token.slice(-4),
      scopes,
      createdAt: now,
      lastUsedAt: null,
      expiresAt,
      replacedBy: null,
      key: made.token,
      previous: { id, endsAt: replaced.expires_at ?? end },
    }
  })
}
