// GET /api/v1/account/invitations: the invitations that still work.
import { z } from 'zod'
import { operation, reads, signedIn } from '../../kernel/operation.ts'
import type { AuthDeps } from '../deps.ts'
import { listInvitations as list } from '../invitations.ts'
import { requireRole } from '../members.ts'
import { invitationShape, invitationView } from './invitation-view.ts'

export const listInvitations = operation({
  name: 'list_invitations',
  area: 'account',
  summary: 'List invitations',
  access: signedIn,
  effects: reads,
  limit: 'api',
  errors: ['forbidden', 'sign_in_required'],
  input: z.object({}),
  run: (_, { principal, now }, { store }: Pick<AuthDeps, 'store'>) => {
    requireRole(principal, 'admin')
    return list(store.read, principal.accountId, now)
  },
  http: {
    method: 'GET',
    path: '/api/v1/account/invitations',
    output: z.object({ invitations: z.array(invitationShape) }),
    view: (open) => ({ invitations: open.map(invitationView) }),
  },
})
