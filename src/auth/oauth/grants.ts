// What people have allowed clients (consents): ending one ends its whole family of tokens, on every node.
import type { Reader, Topic, Tx } from '../../storage/store.ts'
import type { OAuthGrantRow } from '../../storage/tables/oauth.ts'
import { revokeCredentials } from '../credentials.ts'

/** Marks the grant and ends every token of it. False where it had ended, or never was. */
export async function endGrant(
  tx: Tx,
  ring: (topic: Topic) => void,
  grantId: string,
  { reason, now }: { reason: string; now: number },
): Promise<boolean> {
  const ended = await tx
    .updateTable('oauth_grants')
    .set({ revoked_at: now })
    .where('grant_id', '=', grantId)
    .where('revoked_at', 'is', null)
    .returning('grant_id')
    .executeTakeFirst()
  await revokeCredentials(tx, ring, { grantId }, { reason, now })
  await tx.deleteFrom('oauth_records').where('grant_id', '=', grantId).execute()
  return ended !== undefined
}

/** A consent that stands, and when a token of it was last used. */
export interface LiveGrant extends OAuthGrantRow {
  last_used_at: number | null
}

/** The live consents of a person in an account, newest first. */
export async function listGrants(read: Reader, userId: string, accountId: string): Promise<LiveGrant[]> {
  const grants = await read
    .selectFrom('oauth_grants')
    .selectAll()
    .where('user_id', '=', userId)
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('grant_id', 'desc')
    .execute()
  if (grants.length === 0) return []
  const used = await read
    .selectFrom('credentials')
    .select(({ fn }) => ['grant_id', fn.max('last_used_at').as('at')])
    .where(
      'grant_id',
      'in',
      grants.map(({ grant_id }) => grant_id),
    )
    .groupBy('grant_id')
    .execute()
  const usedAt = new Map(used.map(({ grant_id, at }) => [grant_id, at]))
  return grants.map((grant) => ({ ...grant, last_used_at: usedAt.get(grant.grant_id) ?? null }))
}
