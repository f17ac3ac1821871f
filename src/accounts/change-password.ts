// A new password, by the signed-in person or by a reset link. Both end every other sign-in of that person.
import { z } from 'zod'
import { ServiceError } from '../platform/errors.ts'
import { changes, operation, signedIn } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import type { UserPrincipal } from '../platform/principal.ts'
import type { Reader } from '../platform/db/store.ts'
import { type Actor, actorOf, recordAct } from './audit.ts'
import type { AccountDeps } from './deps.ts'
import { findLink, spendLink, voidLinks } from './links.ts'
import { passwordProblem } from './password.ts'
import { endSignInsOf, findSignInLabel, requireFresh, signInLifeMs, type StartedSignIn, startSignIn } from './sign-ins.ts'

type PasswordDeps = Pick<AccountDeps, 'store' | 'ids' | 'passwords'>

/** What a password of this person may not equal. */
async function personalOf(read: Reader, userId: string): Promise<string[]> {
  const rows = await read
    .selectFrom('users as u')
    .leftJoin('memberships as m', 'm.user_id', 'u.id')
    .leftJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['u.email', 'u.name', 'a.name as account'])
    .where('u.id', '=', userId)
    .execute()
  return rows.flatMap(({ email, name, account }) => [email, name, account ?? '']).filter(Boolean)
}

/**
 * Sets it, ends every sign-in and starts a new one in this browser. Throws `invalid_request` with words for a weak one,
 * `sign_in_required` where the sign-in ended meanwhile: a reset stands.
 */
async function changePassword(
  { store, ids, passwords }: PasswordDeps,
  actor: Actor,
  { principal, password, label, address }: { principal: UserPrincipal; password: string; label: string; address: string },
): Promise<StartedSignIn> {
  const { userId, accountId, signInId } = principal
  const { now } = actor
  const problem = await passwordProblem(password, await personalOf(store.read, userId))
  if (problem !== undefined) throw invalidInput([{ pointer: '#/newPassword', detail: problem }])
  const hash = await passwords.hash(password)
  return store.write(async (tx, ring) => {
    await tx.updateTable('users').set({ password_hash: hash, password_changed_at: now }).where('id', '=', userId).execute()
    if ((await endSignInsOf(tx, ring, { id: signInId }, now)) === 0) throw new ServiceError('sign_in_required', 'Sign in again.')
    await endSignInsOf(tx, ring, { userId }, now)
    await voidLinks(tx, 'reset', userId, now)
    await recordAct(tx, ids, actor, { action: 'password.changed', accountId, target: { kind: 'user', id: userId } })
    return startSignIn(tx, ids, { userId, accountId, label, address, now })
  })
}

export type ResetOutcome = { ok: true; email: string } | { ok: false; reason: 'gone' } | { ok: false; reason: 'weak'; words: string }

/** Uses a reset link up. Of many at once one sets the password. */
export async function resetPassword(
  { store, ids, passwords }: PasswordDeps,
  token: string,
  password: string,
  from: Pick<Actor, 'address' | 'requestId' | 'now'>,
): Promise<ResetOutcome> {
  const { now } = from
  const shown = await findLink(store.read, 'reset', token, now)
  if (shown === undefined || shown.user_id === null) return { ok: false, reason: 'gone' }
  const words = await passwordProblem(password, await personalOf(store.read, shown.user_id))
  if (words !== undefined) return { ok: false, reason: 'weak', words }
  const hash = await passwords.hash(password)
  return store.write(async (tx, ring): Promise<ResetOutcome> => {
    const link = await spendLink(tx, 'reset', token, now)
    if (link === undefined || link.user_id === null) return { ok: false, reason: 'gone' }
    const userId = link.user_id
    const user = await tx
      .updateTable('users')
      .set({ password_hash: hash, password_changed_at: now })
      .where('id', '=', userId)
      .where('disabled_at', 'is', null)
      .returning('email')
      .executeTakeFirst()
    if (user === undefined) throw new ServiceError('gone', 'This link no longer works.')
    await endSignInsOf(tx, ring, { userId }, now)
    await voidLinks(tx, 'reset', userId, now)
    await recordAct(
      tx,
      ids,
      { ...from, kind: 'user', id: userId },
      { action: 'password.reset', accountId: null, target: { kind: 'user', id: userId } },
    )
    return { ok: true, email: user.email }
  })
}

// POST /api/v1/account/password: a new password; every other browser is signed out.

type NewPasswordDeps = Pick<AccountDeps, 'store' | 'ids' | 'passwords' | 'limiter' | 'jar' | 'csrf'>

export const setPassword = operation({
  name: 'set_password',
  area: 'account',
  summary: 'Change the password',
  description: 'Ends every other sign-in of this person.',
  access: signedIn,
  effects: changes,
  limit: 'api',
  errors: ['login_required', 'sign_in_failed', 'csrf_failed', 'sign_in_required'],
  secret: true,
  input: z.object({
    newPassword: z.string().max(4_096),
    password: z.string().max(1_024).optional().describe('The present one; needed when the last sign-in is older than ten minutes.'),
  }),
  run: async (request, call, deps: NewPasswordDeps) => {
    await requireFresh(deps, call, request.password)
    const { principal, address } = call
    const label = await findSignInLabel(deps.store.read, principal.signInId)
    const started = await changePassword(deps, actorOf(call), { principal, password: request.newPassword, label, address })
    return { cookie: deps.jar.set(deps.jar.signIn, started.cookie, signInLifeMs / 1_000), csrf: deps.csrf.forSignIn(started.id) }
  },
  http: {
    method: 'POST',
    path: '/api/v1/account/password',
    output: z.object({ changed: z.literal(true), csrf: z.string() }),
    view: ({ csrf }) => ({ changed: true, csrf }),
    headers: ({ cookie }) => ({ 'Set-Cookie': cookie }),
  },
})
