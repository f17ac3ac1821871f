// POST /api/v1/account/invitations: a link for one person, mailed or shown once.
import { z } from 'zod'
import { creates, operation, signedIn } from '../../kernel/operation.ts'
import { email } from '../accounts.ts'
import { actorOf } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { createInvitation as invite } from '../invitations.ts'
import { requireRole } from '../members.ts'
import { invitationShape, invitationView } from './invitation-view.ts'
import { mailOutcome, role } from './shapes.ts'

export const createInvitation = operation({
  name: 'create_invitation',
  area: 'account',
  summary: 'Invite somebody',
  description:
    'The link is mailed; where the service sends no mail, or the mail was refused, it is in this answer and nowhere else. It works once, for seven days, for this address.',
  access: signedIn,
  effects: creates,
  limit: 'api',
  errors: ['forbidden', 'csrf_failed', 'sign_in_required'],
  secret: true,
  input: z.object({ email, role: role.default('member') }),
  run: (wanted, call, deps: Pick<AuthDeps, 'store' | 'ids' | 'settings' | 'mail'>) => {
    const { principal } = call
    requireRole(principal, wanted.role === 'owner' ? 'owner' : 'admin')
    return invite(deps, actorOf(call), { accountId: principal.accountId, from: principal.label, ...wanted })
  },
  http: {
    method: 'POST',
    path: '/api/v1/account/invitations',
    status: 201,
    output: invitationShape.extend({ url: z.url().nullable(), mail: mailOutcome.nullable() }),
    view: (made) => ({ ...invitationView(made), url: made.url, mail: made.mail }),
  },
})
