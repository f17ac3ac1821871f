// Acts that change what a credential can do ask for the password of the last ten minutes: a browser left open is not enough.
import { ServiceError } from '../../kernel/errors.ts'
import type { UserPrincipal } from '../../kernel/principal.ts'
import type { AuthDeps } from '../deps.ts'
import { isFreshSignIn, markFresh } from '../sign-ins.ts'

type FreshDeps = Pick<AuthDeps, 'store' | 'passwords' | 'limiter'>

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
