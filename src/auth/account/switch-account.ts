// POST /api/v1/account/switch: works in another account of the same person. The cookie gets a new id, as at every change of
// privilege.
import { z } from 'zod'
import { ServiceError } from '../../kernel/errors.ts'
import { uuid } from '../../kernel/fields.ts'
import { changes, operation, signedIn } from '../../kernel/operation.ts'
import { listAccountsOf } from '../accounts.ts'
import type { AuthDeps } from '../deps.ts'
import { lifeMs, replaceSignIn } from '../sign-ins.ts'
import { readAccount } from './read-account.ts'
import { accountView } from './shapes.ts'

type SwitchDeps = Pick<AuthDeps, 'store' | 'ids' | 'csrf' | 'jar' | 'mail'>

export const switchAccount = operation({
  name: 'switch_account',
  area: 'account',
  summary: 'Work in another account',
  access: signedIn,
  effects: changes,
  limit: 'api',
  errors: ['not_found', 'csrf_failed', 'sign_in_required'],
  secret: true,
  input: z.object({ accountId: uuid }),
  run: async ({ accountId: wanted }, { principal, now }, deps: SwitchDeps) => {
    const { store, ids, jar } = deps
    const accountId = wanted.toLowerCase()
    const mine = await listAccountsOf(store.read, principal.userId)
    if (!mine.some(({ id }) => id === accountId)) throw new ServiceError('not_found', 'You are not a member of this account.')
    const started = await store.write((tx, ring) => replaceSignIn(tx, ring, ids, principal.signInId, accountId, now))
    const shown = await readAccount(deps, { userId: principal.userId, accountId }, started.id)
    return { shown, cookie: jar.set(jar.signIn, started.cookie, lifeMs / 1_000) }
  },
  http: {
    method: 'POST',
    path: '/api/v1/account/switch',
    output: accountView,
    view: ({ shown }) => shown,
    headers: ({ cookie }) => ({ 'Set-Cookie': cookie }),
  },
})
