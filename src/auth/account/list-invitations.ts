// GET /api/v1/account/invitations: the invitations that still work.
import { z } from 'zod'
import type { Call } from '../../kernel/operation.ts'
import { operation, reads, signedIn } from '../../kernel/operation.ts'
import type { UserPrincipal } from '../../kernel/principal.ts'
import type { AuthDeps } from '../deps.ts'
import { listInvitations as list } from '../invitations.ts'
import { requireRole } from '../members.ts'
import { invitationShape, invitationView } from './invitation-view.ts'

const input = z.object({})

function listOpen(_: z.output<typeof input>, { principal, now }: Call<UserPrincipal>, { store }: Pick<AuthDeps, 'store'>) {
  requireRole(principal, 'admin')
  return list(store.read, principal.accountId, now)
}

export const listInvitations = operation({
  name: 'list_invitations',
  area: 'account',
  summary: 'List invitations',
  access: signedIn,
  effects: reads,
  limit: 'api',
  errors: ['forbidden', 'sign_in_required'],
  input,
  run: listOpen,
  http: {
    method: 'GET',
    path: '/api/v1/account/invitations',
    output: z.object({ invitations: z.array(invitationShape) }),
    view: (open) => ({ invitations: open.map(invitationView) }),
  },
})
