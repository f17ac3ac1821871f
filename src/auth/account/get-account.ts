// GET /api/v1/account: the signed-in person, their account and their CSRF token.
import { z } from 'zod'
import { operation, reads, signedIn } from '../../kernel/operation.ts'
import type { AuthDeps } from '../deps.ts'
import { readAccount } from './read-account.ts'
import { accountView } from './shapes.ts'

export const getAccount = operation({
  name: 'get_account',
  area: 'account',
  summary: 'Read who is signed in',
  access: signedIn,
  effects: reads,
  limit: 'api',
  errors: ['sign_in_required'],
  secret: true,
  input: z.object({}),
  run: (_, call, deps: Pick<AuthDeps, 'store' | 'csrf' | 'mail'>) => readAccount(deps, call.principal, call.principal.signInId),
  http: { method: 'GET', path: '/api/v1/account', output: accountView },
})
