// POST /api/v1/account/password: a new password; every other browser is signed out.
import { z } from 'zod'
import { changes, operation, signedIn } from '../../kernel/operation.ts'
import { actorOf } from '../audit.ts'
import { changePassword } from '../change-password.ts'
import type { AuthDeps } from '../deps.ts'
import { findSignInLabel, lifeMs } from '../sign-ins.ts'
import { requireFresh } from './fresh.ts'

type PasswordDeps = Pick<AuthDeps, 'store' | 'ids' | 'passwords' | 'limiter' | 'jar' | 'csrf'>

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
  run: async (request, call, deps: PasswordDeps) => {
    await requireFresh(deps, call, request.password)
    const { principal, address } = call
    const label = await findSignInLabel(deps.store.read, principal.signInId)
    const started = await changePassword(deps, actorOf(call), { principal, password: request.newPassword, label, address })
    return { cookie: deps.jar.set(deps.jar.signIn, started.cookie, lifeMs / 1_000), csrf: deps.csrf.forSignIn(started.id) }
  },
  http: {
    method: 'POST',
    path: '/api/v1/account/password',
    output: z.object({ changed: z.literal(true), csrf: z.string() }),
    view: ({ csrf }) => ({ changed: true, csrf }),
    headers: ({ cookie }) => ({ 'Set-Cookie': cookie }),
  },
})
