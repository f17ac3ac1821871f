// PATCH /api/v1/account: another name for the person, or, by an owner or admin, for the account.
import { z } from 'zod'
import { changes, operation, signedIn } from '../../kernel/operation.ts'
import { accountName, personName } from '../accounts.ts'
import { actorOf, recordAct } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { requireRole } from '../members.ts'
import { readAccount } from './read-account.ts'
import { accountView } from './shapes.ts'

type UpdateDeps = Pick<AuthDeps, 'store' | 'ids' | 'csrf' | 'mail'>

export const updateAccount = operation({
  name: 'update_account',
  area: 'account',
  summary: 'Rename the person or the account',
  access: signedIn,
  effects: changes,
  limit: 'api',
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
