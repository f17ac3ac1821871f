// Who is signed in and where: what the dashboard starts from.
import { ServiceError } from '../../kernel/errors.ts'
import type { UserPrincipal } from '../../kernel/principal.ts'
import type { MemberAccount } from '../accounts.ts'
import { listAccountsOf } from '../accounts.ts'
import type { AuthDeps } from '../deps.ts'

export interface SignedInAs {
  user: { id: string; email: string; name: string }
  account: MemberAccount
  role: MemberAccount['role']
  accounts: readonly MemberAccount[]
  csrf: string
  sendsMail: boolean
}

/** `signInId` is the one whose csrf token the answer carries. */
export async function readAccount(
  { store, csrf, mail }: Pick<AuthDeps, 'store' | 'csrf' | 'mail'>,
  { userId, accountId }: Pick<UserPrincipal, 'userId' | 'accountId'>,
  signInId: string,
): Promise<SignedInAs> {
  const user = await store.read.selectFrom('users').select(['id', 'email', 'name']).where('id', '=', userId).executeTakeFirstOrThrow()
  const accounts = await listAccountsOf(store.read, userId)
  const account = accounts.find(({ id }) => id === accountId)
  if (account === undefined) throw new ServiceError('not_found', 'You are not a member of this account.')
  return { user, account, role: account.role, accounts, csrf: csrf.forSignIn(signInId), sendsMail: mail !== undefined }
}
