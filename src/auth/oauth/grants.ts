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

/** The live consents of a person in an account, newest first. */
export function listGrants(read: Reader, userId: string, accountId: string): Promise<OAuthGrantRow[]> {
  return read
    .selectFrom('oauth_grants')
    .selectAll()
    .where('user_id', '=', userId)
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('grant_id', 'desc')
    .execute()
}
