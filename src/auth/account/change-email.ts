// POST /api/v1/account/email: mails a link to a new address, which counts once it was opened.
import { z } from 'zod'
import { ServiceError } from '../../kernel/errors.ts'
import { changes, operation, signedIn } from '../../kernel/operation.ts'
import { email } from '../accounts.ts'
import { actorOf } from '../audit.ts'
import { startEmailChange } from '../change-email.ts'
import type { AuthDeps } from '../deps.ts'
import { requireFresh } from './fresh.ts'
import { mailOutcome } from './shapes.ts'

export const changeEmail = operation({
  name: 'change_email',
  area: 'account',
  summary: 'Ask for another e-mail address',
  description: 'A link goes to the new address. It works for a day, for the same signed-in person; until then the old address stays.',
  access: signedIn,
  effects: changes,
  limit: 'api',
  errors: ['forbidden', 'login_required', 'sign_in_failed', 'csrf_failed', 'sign_in_required'],
  input: z.object({
    email,
    password: z.string().max(1_024).optional().describe('Needed when the last sign-in is older than ten minutes.'),
  }),
  run: async (request, call, deps: AuthDeps) => {
    const { mail, limiter } = deps
    if (mail === undefined) throw new ServiceError('forbidden', 'This service sends no mail, so no address can be confirmed.')
    await requireFresh(deps, call, request.password)
    const { person } = limiter.recoveryChecks(request.email, call.address)
    const verdict = await limiter.take(person, call.now, true)
    if (!verdict.allowed) throw new ServiceError('rate_limited', 'Enough mails were sent to this address.', { headers: verdict.headers })
    return { mail: await startEmailChange(deps, mail, actorOf(call), { principal: call.principal, email: request.email }) }
  },
  http: {
    method: 'POST',
    path: '/api/v1/account/email',
    status: 202,
    output: z.object({ mail: mailOutcome }),
    view: (started) => started,
  },
})
