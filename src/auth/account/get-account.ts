// GET /api/v1/account: the signed-in person, their account and their CSRF token.
import { z } from 'zod'
import type { Call } from '../../kernel/operation.ts'
import { operation, reads, signedIn } from '../../kernel/operation.ts'
import type { UserPrincipal } from '../../kernel/principal.ts'
import type { AuthDeps } from '../deps.ts'
import { readAccount } from './read-account.ts'
import { accountView } from './shapes.ts'

const input = z.object({})

function get(_: z.output<typeof input>, call: Call<UserPrincipal>, deps: Pick<AuthDeps, 'store' | 'csrf' | 'mail'>) {
  return readAccount(deps, call.principal, call.principal.signInId)
}

export const getAccount = operation({
  name: 'get_account',
  area: 'account',
  summary: 'Read who is signed in',
  access: signedIn,
  effects: reads,
  limit: 'api',
  errors: ['sign_in_required'],
  secret: true,
  input,
  run: get,
  http: { method: 'GET', path: '/api/v1/account', output: accountView },
})
