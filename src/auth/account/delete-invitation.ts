// DELETE /api/v1/account/invitations/{invitationId}: the link no longer works.
import { z } from 'zod'
import { uuid } from '../../kernel/fields.ts'
import { deletes, operation, signedIn } from '../../kernel/operation.ts'
import { actorOf } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { deleteInvitation as end } from '../invitations.ts'
import { requireRole } from '../members.ts'

export const deleteInvitation = operation({
  name: 'delete_invitation',
  area: 'account',
  summary: 'Withdraw an invitation',
  access: signedIn,
  effects: deletes,
  limit: 'api',
  errors: ['forbidden', 'not_found', 'csrf_failed', 'sign_in_required'],
  input: z.object({ invitationId: uuid }),
  run: ({ invitationId }, call, deps: Pick<AuthDeps, 'store' | 'ids' | 'settings'>) => {
    requireRole(call.principal, 'admin')
    return end(deps, actorOf(call), call.principal.accountId, invitationId.toLowerCase())
  },
  http: { method: 'DELETE', path: '/api/v1/account/invitations/{invitationId}', status: 204 },
})
