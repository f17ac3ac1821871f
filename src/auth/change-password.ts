// A new password, by the signed-in person or by a reset link. Both end every other sign-in of that person.
import { ServiceError } from '../kernel/errors.ts'
import { invalidInput } from '../kernel/parse.ts'
import type { UserPrincipal } from '../kernel/principal.ts'
import type { Reader } from '../storage/store.ts'
import type { Actor } from './audit.ts'
import { recordAct } from './audit.ts'
import type { AuthDeps } from './deps.ts'
import { findLink, spendLink, voidLinks } from './links.ts'
import { passwordProblem } from './password.ts'
import type { StartedSignIn } from './sign-ins.ts'
import { endSignIns, startSignIn } from './sign-ins.ts'

type PasswordDeps = Pick<AuthDeps, 'store' | 'ids' | 'passwords'>

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
export async function changePassword(
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
    if ((await endSignIns(tx, ring, { id: signInId }, now)) === 0) throw new ServiceError('sign_in_required', 'Sign in again.')
    await endSignIns(tx, ring, { userId }, now)
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
    await endSignIns(tx, ring, { userId }, now)
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
