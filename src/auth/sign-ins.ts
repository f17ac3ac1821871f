// Sign-ins: one row per browser, found by the hash of its cookie. 14 days idle, 90 days at most; a new id at sign-in and at
// each change of privilege, never one that was brought along.
import { sql } from 'kysely'
import { ServiceError } from '../kernel/errors.ts'
import type { Ids } from '../kernel/ids.ts'
import { randomBase62, uuidV7 } from '../kernel/ids.ts'
import type { UserPrincipal } from '../kernel/principal.ts'
import { scopes } from '../kernel/principal.ts'
import type { Reader, Tx } from '../storage/store.ts'
import type { SignInRow } from '../storage/tables/auth.ts'
import { networkOf } from './address.ts'
import { hashSecret } from './token.ts'

const day = 86_400_000
export const idleMs = 14 * day
export const lifeMs = 90 * day
/** How long after the password was entered an act marked "fresh" may be done. */
export const freshMs = 10 * 60_000
/** 256 bits. */
const cookieLength = 43

export interface NewSignIn {
  userId: string
  accountId: string
  /** What the browser calls itself, for the list of sign-ins. */
  label: string
  address: string
  now: number
  /** When the password was last entered; `now` unless an older sign-in is replaced. */
  reauthAt?: number
}

export interface StartedSignIn {
  id: string
  cookie: string
}

export async function startSignIn(tx: Tx, ids: Ids, signIn: NewSignIn): Promise<StartedSignIn> {
  const id = uuidV7(ids, signIn.now)
  const cookie = randomBase62(ids, cookieLength)
  await tx
    .insertInto('sign_ins')
    .values({
      id,
      id_hash: hashSecret(cookie),
      user_id: signIn.userId,
      account_id: signIn.accountId,
      seen_at: signIn.now,
      reauth_at: signIn.reauthAt ?? signIn.now,
      expires_at: signIn.now + lifeMs,
      label: signIn.label.slice(0, 200),
      ip_prefix: networkOf(signIn.address),
      ended_at: null,
      created_at: signIn.now,
    })
    .execute()
  return { id, cookie }
}

export interface LiveSignIn {
  principal: UserPrincipal
  seenAt: number
  /** The password was entered within the last ten minutes. */
  isFresh: boolean
}

/** The person behind a cookie: the sign-in, the user, the membership and the account must all be alive. */
export async function findSignIn(read: Reader, cookie: string, now: number): Promise<LiveSignIn | undefined> {
  if (!/^[0-9A-Za-z]{43}$/.test(cookie)) return undefined
  const row = await read
    .selectFrom('sign_ins as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .innerJoin('memberships as m', (join) => join.onRef('m.user_id', '=', 's.user_id').onRef('m.account_id', '=', 's.account_id'))
    .innerJoin('accounts as a', 'a.id', 's.account_id')
    .select(['s.id', 's.user_id', 's.account_id', 's.seen_at', 's.reauth_at', 'm.role', 'u.name'])
    .where('s.id_hash', '=', hashSecret(cookie))
    .where('s.ended_at', 'is', null)
    .where('s.expires_at', '>', now)
    .where('s.seen_at', '>', now - idleMs)
    .where('u.disabled_at', 'is', null)
    .where('a.closed_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const principal: UserPrincipal = {
    kind: 'user',
    accountId: row.account_id,
    userId: row.user_id,
    signInId: row.id,
    role: row.role,
    scopes,
    label: row.name,
  }
  return { principal, seenAt: row.seen_at, isFresh: row.reauth_at > now - freshMs }
}

/** Ends sign-ins that fit and tells every node; returns how many. */
export async function endSignIns(
  tx: Tx,
  ring: (topic: string) => void,
  filter: { id?: string; userId?: string; accountId?: string; exceptId?: string },
  now: number,
): Promise<number> {
  let update = tx.updateTable('sign_ins').set({ ended_at: now }).where('ended_at', 'is', null)
  if (filter.id !== undefined) update = update.where('id', '=', filter.id)
  if (filter.userId !== undefined) update = update.where('user_id', '=', filter.userId)
  if (filter.accountId !== undefined) update = update.where('account_id', '=', filter.accountId)
  if (filter.exceptId !== undefined) update = update.where('id', '<>', filter.exceptId)
  const ended = await update.returning('id').execute()
  if (ended.length > 0) ring('credentials')
  return ended.length
}

/** Ends a live sign-in and starts the next one of the same browser, in `accountId`. Throws `sign_in_required` where it has just ended. */
export async function replaceSignIn(
  tx: Tx,
  ring: (topic: string) => void,
  ids: Ids,
  id: string,
  accountId: string,
  now: number,
): Promise<StartedSignIn> {
  const old = await tx.selectFrom('sign_ins').selectAll().where('id', '=', id).executeTakeFirst()
  if (old === undefined || (await endSignIns(tx, ring, { id }, now)) === 0) throw new ServiceError('sign_in_required', 'Sign in again.')
  const next: StartedSignIn = { id: uuidV7(ids, now), cookie: randomBase62(ids, cookieLength) }
  await tx
    .insertInto('sign_ins')
    .values({ ...old, id: next.id, id_hash: hashSecret(next.cookie), account_id: accountId, seen_at: now, ended_at: null })
    .execute()
  return next
}

/** Where a person is signed in, most recently seen first. */
export function listSignIns(
  read: Reader,
  userId: string,
  now: number,
): Promise<Pick<SignInRow, 'id' | 'label' | 'ip_prefix' | 'created_at' | 'seen_at'>[]> {
  return read
    .selectFrom('sign_ins')
    .select(['id', 'label', 'ip_prefix', 'created_at', 'seen_at'])
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .where('seen_at', '>', now - idleMs)
    .orderBy('seen_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** What the browser of a sign-in calls itself. */
export async function findSignInLabel(read: Reader, id: string): Promise<string> {
  const row = await read.selectFrom('sign_ins').select('label').where('id', '=', id).executeTakeFirst()
  return row?.label ?? 'Unknown browser'
}

/** The password was entered again. Throws `sign_in_required` where the sign-in has ended, as each does with a new password. */
export async function markFresh(tx: Tx, signInId: string, now: number): Promise<void> {
  const live = tx.updateTable('sign_ins').set({ reauth_at: now, seen_at: now }).where('id', '=', signInId).where('ended_at', 'is', null)
  if ((await live.returning('id').executeTakeFirst()) === undefined) throw new ServiceError('sign_in_required', 'Sign in again.')
}

export async function isFreshSignIn(read: Reader, signInId: string, now: number): Promise<boolean> {
  const row = await read
    .selectFrom('sign_ins')
    .select(sql<number>`1`.as('one'))
    .where('id', '=', signInId)
    .where('ended_at', 'is', null)
    .where('reauth_at', '>', now - freshMs)
    .executeTakeFirst()
  return row !== undefined
}
