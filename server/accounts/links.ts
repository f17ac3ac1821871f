// One-time links: set-up, password reset, invitation, a new address. Kept as hashes; the first use wins, whoever else comes at the same time.
import { type Ids, uuidV7 } from '@rostrum/base/clock'
import type { Reader, Tx } from '../platform/db/store.ts'
import type { OneTimeLinkRow } from './tables.ts'
import { hashSecret, isPageToken, mintPageToken } from './credentials.ts'

type LinkKind = OneTimeLinkRow['kind']

export interface NewLink {
  kind: LinkKind
  userId?: string
  accountId?: string
  email?: string
  role?: OneTimeLinkRow['role']
  ttlMs: number
  now: number
}

export async function createLink(tx: Tx, ids: Ids, link: NewLink): Promise<{ id: string; token: string; expiresAt: number }> {
  const token = mintPageToken(ids)
  const id = uuidV7(ids, link.now)
  const expiresAt = link.now + link.ttlMs
  await tx
    .insertInto('one_time_links')
    .values({
      id,
      token_hash: hashSecret(token),
      kind: link.kind,
      user_id: link.userId ?? null,
      account_id: link.accountId ?? null,
      email: link.email ?? null,
      role: link.role ?? null,
      is_shown: 0,
      expires_at: expiresAt,
      created_at: link.now,
    })
    .execute()
  return { id, token, expiresAt }
}

/** The link is about to be told to who made it. */
export async function markShown(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('one_time_links').set({ is_shown: 1 }).where('id', '=', id).execute()
}

/** A link that still works, for showing its page. */
export async function findLink(read: Reader, kind: LinkKind, token: string, now: number): Promise<OneTimeLinkRow | undefined> {
  if (!isPageToken(token)) return undefined
  return read
    .selectFrom('one_time_links')
    .selectAll()
    .where('token_hash', '=', hashSecret(token))
    .where('kind', '=', kind)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Uses the link up; undefined where it was used, has expired or never was. */
export async function spendLink(tx: Tx, kind: LinkKind, token: string, now: number): Promise<OneTimeLinkRow | undefined> {
  return tx
    .updateTable('one_time_links')
    .set({ used_at: now })
    .where('token_hash', '=', hashSecret(token))
    .where('kind', '=', kind)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}

/** Ends the unused links that fit, so that only the newest one works. */
export async function voidLinks(tx: Tx, kind: LinkKind, userId: string | null, now: number): Promise<void> {
  const unused = tx.updateTable('one_time_links').set({ used_at: now }).where('kind', '=', kind).where('used_at', 'is', null)
  await (userId === null ? unused : unused.where('user_id', '=', userId)).execute()
}

/** Ends the invitations of an address to an account that were not used. */
export async function voidInvitations(tx: Tx, accountId: string, email: string, now: number): Promise<void> {
  const unused = tx.updateTable('one_time_links').set({ used_at: now }).where('kind', '=', 'invite').where('used_at', 'is', null)
  await unused.where('account_id', '=', accountId).where('email', '=', email).execute()
}
