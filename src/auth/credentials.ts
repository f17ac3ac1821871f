// Rows of bearer secrets: written once as a hash, found by it, ended by one update (spec 5.7). The secret itself exists only
// in the answer that hands it out.
import type { Ids } from '../kernel/ids.ts'
import { uuidV7 } from '../kernel/ids.ts'
import type { Scope } from '../kernel/principal.ts'
import type { Tx } from '../storage/store.ts'
import type { CredentialRow } from '../storage/tables/auth.ts'
import { hashSecret, mint } from './token.ts'

export interface NewCredential {
  kind: CredentialRow['kind']
  accountId: string
  userId?: string | undefined
  registrationId?: string | undefined
  grantId?: string | undefined
  clientId?: string | undefined
  /** Where it was minted elsewhere. */
  token?: string | undefined
  name: string
  scopes: readonly Scope[]
  expiresAt: number | null
  now: number
}

/** Makes a credential; the token is in no row. */
export async function issueCredential(tx: Tx, ids: Ids, credential: NewCredential): Promise<{ id: string; token: string }> {
  const token = credential.token ?? mint(credential.kind, ids)
  const id = uuidV7(ids, credential.now)
  await tx
    .insertInto('credentials')
    .values({
      id,
      hash: hashSecret(token),
      kind: credential.kind,
      last4: token.slice(-4),
      account_id: credential.accountId,
      user_id: credential.userId ?? null,
      registration_id: credential.registrationId ?? null,
      grant_id: credential.grantId ?? null,
      client_id: credential.clientId ?? null,
      name: credential.name,
      scopes: credential.scopes.join(' '),
      expires_at: credential.expiresAt,
      last_used_at: null,
      revoked_at: null,
      revoke_reason: null,
      replaced_by: null,
      created_at: credential.now,
    })
    .execute()
  return { id, token }
}

/** Which credentials to end: all members given must fit. */
export interface CredentialFilter {
  id?: string
  kind?: CredentialRow['kind']
  accountId?: string
  userId?: string
  registrationId?: string
  grantId?: string
  exceptId?: string
}

/** Ends live credentials and tells every node; returns how many. One that is already ended keeps its first time. */
export async function revokeCredentials(
  tx: Tx,
  ring: (topic: string) => void,
  filter: CredentialFilter,
  { reason, now }: { reason: string; now: number },
): Promise<number> {
  let update = tx.updateTable('credentials').set({ revoked_at: now, revoke_reason: reason }).where('revoked_at', 'is', null)
  if (filter.id !== undefined) update = update.where('id', '=', filter.id)
  if (filter.kind !== undefined) update = update.where('kind', '=', filter.kind)
  if (filter.accountId !== undefined) update = update.where('account_id', '=', filter.accountId)
  if (filter.userId !== undefined) update = update.where('user_id', '=', filter.userId)
  if (filter.registrationId !== undefined) update = update.where('registration_id', '=', filter.registrationId)
  if (filter.grantId !== undefined) update = update.where('grant_id', '=', filter.grantId)
  if (filter.exceptId !== undefined) update = update.where('id', '<>', filter.exceptId)
  const ended = await update.returning('id').execute()
  if (ended.length > 0) ring('credentials')
  return ended.length
}
