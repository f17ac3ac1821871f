// Who lets agents with assertions act for them: known by (issuer, subject), never by an e-mail address, which may change hands.
import { type Ids, uuidV7 } from '../platform/ids.ts'
import { kept } from '../platform/db/row-locks.ts'
import type { Tx } from '../platform/db/store.ts'
import type { Assertion } from './assertion.ts'

export interface Delegation {
  userId: string
  accountId: string
  /** Space-separated: what the person allows; undefined: all that an assertion says. */
  scopes?: string | undefined
}

/** False where the assertion was used before: of many at once one passes. */
export async function useAssertion(tx: Tx, { issuer, jti, expiresAt }: Pick<Assertion, 'issuer' | 'jti' | 'expiresAt'>): Promise<boolean> {
  const first = await tx
    .insertInto('assertion_ids')
    .values({ issuer, jti, expires_at: expiresAt })
    .onConflict((conflict) => conflict.columns(['issuer', 'jti']).doNothing())
    .returning('jti')
    .executeTakeFirst()
  return first !== undefined
}

/**
 * The live delegation of a subject, whose person is still a member of the account. It cannot end before the transaction does, so
 * whoever ends it first and lists its agents then misses none.
 */
export async function findDelegation(tx: Tx, issuer: string, subject: string): Promise<Delegation | undefined> {
  const live = tx.selectFrom('delegations').select('id').where('issuer', '=', issuer).where('subject', '=', subject)
  await kept(tx, live.where('revoked_at', 'is', null)).execute()
  const row = await tx
    .selectFrom('delegations as d')
    .innerJoin('users as u', 'u.id', 'd.user_id')
    .innerJoin('memberships as m', (join) => join.onRef('m.user_id', '=', 'd.user_id').onRef('m.account_id', '=', 'd.account_id'))
    .innerJoin('accounts as a', 'a.id', 'd.account_id')
    .select(['d.user_id', 'd.account_id', 'd.scopes'])
    .where('d.issuer', '=', issuer)
    .where('d.subject', '=', subject)
    .where('d.revoked_at', 'is', null)
    .where('u.disabled_at', 'is', null)
    .where('a.closed_at', 'is', null)
    .executeTakeFirst()
  return row === undefined ? undefined : { userId: row.user_id, accountId: row.account_id, scopes: row.scopes ?? undefined }
}

/** Stores what a person has approved; a later approval replaces an earlier one. */
export async function saveDelegation(
  tx: Tx,
  ids: Ids,
  { issuer, subject, userId, accountId, scopes, now }: Delegation & { issuer: string; subject: string; now: number },
): Promise<void> {
  const row = { user_id: userId, account_id: accountId, scopes: scopes ?? null, revoked_at: null, created_at: now }
  await tx
    .insertInto('delegations')
    .values({ id: uuidV7(ids, now), issuer, subject, ...row })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet(row))
    .execute()
}

/** The subject must ask again. Gives what has ended by this. */
export async function endDelegation(
  tx: Tx,
  issuer: string,
  subject: string,
  now: number,
): Promise<{ id: string; account_id: string } | undefined> {
  return tx
    .updateTable('delegations')
    .set({ revoked_at: now })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where('revoked_at', 'is', null)
    .returning(['id', 'account_id'])
    .executeTakeFirst()
}

/** Every subject that acted for this person in this account must ask again. */
export async function endDelegationsOf(tx: Tx, { accountId, userId }: { accountId: string; userId: string }, now: number): Promise<void> {
  await tx
    .updateTable('delegations')
    .set({ revoked_at: now })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute()
}
