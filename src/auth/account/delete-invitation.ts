// DELETE /api/v1/account/invitations/{invitationId}: the link no longer works.
import { z } from 'zod'
import { uuid } from '../../kernel/fields.ts'
import type { Call } from '../../kernel/operation.ts'
import { deletes, operation, signedIn } from '../../kernel/operation.ts'
import type { UserPrincipal } from '../../kernel/principal.ts'
import { actorOf } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { deleteInvitation as end } from '../invitations.ts'
import { requireRole } from '../members.ts'

const input = z.object({ invitationId: uuid })

function remove({ invitationId }: z.output<typeof input>, call: Call<UserPrincipal>, deps: Pick<AuthDeps, 'store' | 'ids' | 'settings'>) {
  requireRole(call.principal, 'admin')
  return end(deps, actorOf(call), call.principal.accountId, invitationId.toLowerCase())
}

export const deleteInvitation = operation({
  name: 'delete_invitation',
  area: 'account',
  summary: 'Withdraw an invitation',
  access: signedIn,
  effects: deletes,
  limit: 'api',
  errors: ['forbidden', 'not_found', 'csrf_failed', 'sign_in_required'],
  input,
  run: remove,
  http: { method: 'DELETE', path: '/api/v1/account/invitations/{invitationId}', status: 204 },
})
