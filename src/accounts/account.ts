// Who is signed in and where: what the dashboard starts from.
import { z } from 'zod'
import { ServiceError } from '../platform/errors.ts'
import { uuid } from '../contract/fields.ts'
import { changes, operation, reads } from '../platform/operation.ts'
import type { UserPrincipal } from '../platform/principal.ts'
import { actorOf, recordAct } from './audit.ts'
import type { AccountDeps } from './deps.ts'
import { accountName, accountView, listAccountsOf, ofAccount, personName, requireRole } from './people.ts'
import { replaceSignIn, signInLifeMs } from './sign-ins.ts'

/** `signInId` is the one whose csrf token the answer carries. */
async function readAccount(
  { store, csrf, mail }: Pick<AccountDeps, 'store' | 'csrf' | 'mail'>,
  { userId, accountId }: Pick<UserPrincipal, 'userId' | 'accountId'>,
  signInId: string,
): Promise<z.output<typeof accountView>> {
  const user = await store.read.selectFrom('users').select(['id', 'email', 'name']).where('id', '=', userId).executeTakeFirstOrThrow()
  const accounts = await listAccountsOf(store.read, userId)
  const account = accounts.find(({ id }) => id === accountId)
  if (account === undefined) throw new ServiceError('not_found', 'You are not a member of this account.')
  return { user, account, role: account.role, accounts, csrf: csrf.forSignIn(signInId), sendsMail: mail !== undefined }
}

// GET /api/v1/account: the signed-in person, their account and their CSRF token.

export const getAccount = operation({
  ...ofAccount,
  name: 'get_account',
  summary: 'Read who is signed in',
  effects: reads,
  errors: ['sign_in_required'],
  secret: true,
  input: z.object({}),
  run: (_, call, deps: Pick<AccountDeps, 'store' | 'csrf' | 'mail'>) => readAccount(deps, call.principal, call.principal.signInId),
  http: { method: 'GET', path: '/api/v1/account', output: accountView },
})

// PATCH /api/v1/account: another name for the person, or, by an owner or admin, for the account.

type UpdateDeps = Pick<AccountDeps, 'store' | 'ids' | 'csrf' | 'mail'>

export const updateAccount = operation({
  ...ofAccount,
  name: 'update_account',
  summary: 'Rename the person or the account',
  effects: changes,
  errors: ['forbidden', 'csrf_failed', 'sign_in_required'],
  secret: true,
  input: z.object({ name: personName.optional(), accountName: accountName.optional() }),
  run: async (change, call, deps: UpdateDeps) => {
    const { principal } = call
    if (change.accountName !== undefined) requireRole(principal, 'admin')
    await deps.store.write(async (tx) => {
      const { name, accountName: title } = change
      if (name !== undefined) await tx.updateTable('users').set({ name }).where('id', '=', principal.userId).execute()
      if (title === undefined) return
      await tx.updateTable('accounts').set({ name: title }).where('id', '=', principal.accountId).execute()
      await recordAct(tx, deps.ids, actorOf(call), { action: 'account.renamed', accountId: principal.accountId })
    })
    return readAccount(deps, principal, principal.signInId)
  },
  http: { method: 'PATCH', path: '/api/v1/account', output: accountView },
})

// POST /api/v1/account/switch: works in another account of the same person. The cookie gets a new id, as at every change of
// privilege.

type SwitchDeps = Pick<AccountDeps, 'store' | 'ids' | 'csrf' | 'jar' | 'mail'>

export const switchAccount = operation({
  ...ofAccount,
  name: 'switch_account',
  summary: 'Work in another account',
  effects: changes,
  errors: ['not_found', 'csrf_failed', 'sign_in_required'],
  secret: true,
  input: z.object({ accountId: uuid }),
  run: async ({ accountId }, { principal, now }, deps: SwitchDeps) => {
    const { store, ids, jar } = deps
    const mine = await listAccountsOf(store.read, principal.userId)
    if (!mine.some(({ id }) => id === accountId)) throw new ServiceError('not_found', 'You are not a member of this account.')
    const started = await store.write((tx) => replaceSignIn(tx, ids, principal.signInId, accountId, now))
    const shown = await readAccount(deps, { userId: principal.userId, accountId }, started.id)
    return { shown, cookie: jar.set(jar.signIn, started.cookie, signInLifeMs / 1_000) }
  },
  http: {
    method: 'POST',
    path: '/api/v1/account/switch',
    output: accountView,
    view: ({ shown }) => shown,
    headers: ({ cookie }) => ({ 'Set-Cookie': cookie }),
  },
})
