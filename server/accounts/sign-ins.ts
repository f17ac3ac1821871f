// Sign-ins: one row per browser, found by the hash of its cookie. 14 days idle, 90 days at most; a new id at sign-in and at
// each change of privilege, never one that was brought along.
import { sql } from 'kysely'
import { z } from 'zod'
import { ServiceError } from '@rostrum/base/errors'
import { uuid } from '@rostrum/contract/fields'
import { type Ids, iso, randomBase62, uuidV7 } from '@rostrum/base/clock'
import { operation, signedIn } from '../platform/operation.ts'
import { scopes, type UserPrincipal } from '../platform/principal.ts'
import { type Reader, ringAfter, type Store, type Tx } from '../platform/db/store.ts'
import type { SignInRow } from './tables.ts'
import { actorOf, recordAct } from './audit.ts'
import { networkOf } from './networks.ts'
import { hashSecret } from './credentials.ts'
import type { RateLimiter } from './limits.ts'
import type { Passwords } from './password.ts'

const day = 86_400_000
export const idleMs = 14 * day
export const signInLifeMs = 90 * day
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
      expires_at: signIn.now + signInLifeMs,
      label: signIn.label.slice(0, 200),
      ip_prefix: networkOf(signIn.address),
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
export async function endSignInsOf(
  tx: Tx,
  filter: Partial<Pick<SignInRow, 'id' | 'user_id' | 'account_id'>>,
  now: number,
  exceptId?: string,
): Promise<number> {
  let update = tx
    .updateTable('sign_ins')
    .set({ ended_at: now })
    .where('ended_at', 'is', null)
    .where((row) => row.and(filter))
  if (exceptId !== undefined) update = update.where('id', '<>', exceptId)
  const ended = await update.returning('id').execute()
  if (ended.length > 0) ringAfter(tx, 'credentials')
  return ended.length
}

/** Ends a live sign-in and starts the next one of the same browser, in `accountId`. Throws `sign_in_required` where it has just ended. */
export async function replaceSignIn(tx: Tx, ids: Ids, id: string, accountId: string, now: number): Promise<StartedSignIn> {
  const old = await tx.selectFrom('sign_ins').selectAll().where('id', '=', id).executeTakeFirst()
  if (old === undefined || (await endSignInsOf(tx, { id }, now)) === 0) throw new ServiceError('sign_in_required', 'Sign in again.')
  const next: StartedSignIn = { id: uuidV7(ids, now), cookie: randomBase62(ids, cookieLength) }
  await tx
    .insertInto('sign_ins')
    .values({ ...old, id: next.id, id_hash: hashSecret(next.cookie), account_id: accountId, seen_at: now, ended_at: null })
    .execute()
  return next
}

/** What the browser of a sign-in calls itself. */
export async function findSignInLabel(read: Reader, id: string): Promise<string> {
  const row = await read.selectFrom('sign_ins').select('label').where('id', '=', id).executeTakeFirst()
  return row?.label ?? 'Unknown browser'
}

/** The password was entered again. Throws `sign_in_required` where the sign-in has ended, as each does with a new password. */
async function markFresh(tx: Tx, signInId: string, now: number): Promise<void> {
  const live = tx.updateTable('sign_ins').set({ reauth_at: now, seen_at: now }).where('id', '=', signInId).where('ended_at', 'is', null)
  if ((await live.returning('id').executeTakeFirst()) === undefined) throw new ServiceError('sign_in_required', 'Sign in again.')
}

async function isFreshSignIn(read: Reader, signInId: string, now: number): Promise<boolean> {
  const row = await read
    .selectFrom('sign_ins')
    .select(sql<number>`1`.as('one'))
    .where('id', '=', signInId)
    .where('ended_at', 'is', null)
    .where('reauth_at', '>', now - freshMs)
    .executeTakeFirst()
  return row !== undefined
}

// Acts that change what a credential can do ask for the password of the last ten minutes: a browser left open is not enough.

export interface FreshDeps {
  store: Store
  passwords: Pick<Passwords, 'verify'>
  limiter: RateLimiter
}

/** Passes where the sign-in is fresh or `password` is right; else throws `login_required`, `sign_in_failed` or `sign_in_required`. */
export async function requireFresh(
  { store, passwords, limiter }: FreshDeps,
  { principal, now }: { principal: UserPrincipal; now: number },
  password: string | undefined,
): Promise<void> {
  if (password === undefined) {
    if (await isFreshSignIn(store.read, principal.signInId, now)) return
    throw new ServiceError('login_required', 'Enter your password again for this: sign in again, or send `password`.')
  }
  const user = await store.read.selectFrom('users').select('password_hash').where('id', '=', principal.userId).executeTakeFirstOrThrow()
  const checks = limiter.reentryChecks(principal.userId)
  const verdict = await limiter.take(checks, now, true)
  if (!verdict.allowed) throw new ServiceError('rate_limited', 'Too many wrong passwords. Wait a while.', { headers: verdict.headers })
  if (!(await passwords.verify(password, user.password_hash)).matches)
    throw new ServiceError('sign_in_failed', 'The password is not right.')
  await limiter.refund(checks)
  await store.write((tx) => markFresh(tx, principal.signInId, now))
}

// GET /api/v1/account/sign-ins: the browsers in which this person is signed in.

const shape = z.object({
  id: z.uuid(),
  label: z.string().describe('What the browser calls itself.'),
  network: z.string(),
  createdAt: z.iso.datetime(),
  seenAt: z.iso.datetime(),
  isCurrent: z.boolean(),
})

export const listSignIns = operation({
  access: signedIn,
  name: 'list_sign_ins',
  summary: 'List sign-ins',
  input: z.object({}),
  run: async (_, { principal, now }, { store }: { store: Store }) => {
    const live = store.read
      .selectFrom('sign_ins')
      .select(['id', 'label', 'ip_prefix', 'created_at', 'seen_at'])
      .where('user_id', '=', principal.userId)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', now)
      .where('seen_at', '>', now - idleMs)
    const rows = await live.orderBy('seen_at', 'desc').orderBy('id', 'desc').execute()
    return rows.map((row) => ({
      id: row.id,
      label: row.label,
      network: row.ip_prefix,
      createdAt: iso(row.created_at),
      seenAt: iso(row.seen_at),
      isCurrent: row.id === principal.signInId,
    }))
  },
  http: {
    method: 'GET',
    path: '/api/v1/account/sign-ins',
    output: z.object({ signIns: z.array(shape) }),
    view: (signIns) => ({ signIns }),
  },
})

export const endSignIn = operation({
  access: signedIn,
  name: 'end_sign_in',
  summary: 'End a sign-in',
  input: z.object({ signInId: uuid }),
  run: async ({ signInId: id }, call, { store, ids }: { store: Store; ids: Ids }) => {
    const { userId, accountId } = call.principal
    await store.write(async (tx) => {
      const ended = await endSignInsOf(tx, { id, user_id: userId }, call.now)
      if (ended === 0) throw new ServiceError('not_found', 'There is no such sign-in. List yours to see their ids.')
      await recordAct(tx, ids, actorOf(call), { action: 'sign_in.ended', accountId, target: ['sign_in', id] })
    })
  },
  http: { method: 'DELETE', path: '/api/v1/account/sign-ins/{signInId}', status: 204 },
})

export const endSignIns = operation({
  access: signedIn,
  name: 'end_sign_ins',
  summary: 'Sign out everywhere else',
  description: 'Ends every sign-in of this person but the one that asks. API keys and agents go on.',
  input: z.object({}),
  run: (_, call, { store, ids }: { store: Store; ids: Ids }) => {
    const { userId, accountId, signInId } = call.principal
    return store.write(async (tx) => {
      const ended = await endSignInsOf(tx, { user_id: userId }, call.now, signInId)
      const target = ['user', userId] as const
      if (ended > 0) await recordAct(tx, ids, actorOf(call), { action: 'sign_ins.ended', accountId, target, data: { ended } })
      return { ended }
    })
  },
  http: {
    method: 'DELETE',
    path: '/api/v1/account/sign-ins',
    output: z.object({ ended: z.int().describe('How many other browsers were signed out.') }),
  },
})
