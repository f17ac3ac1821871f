// DELETE /api/v1/account/members/{userId}: ends a membership, and with it that person’s keys and agents here.
import { z } from 'zod'
import { uuid } from '../../kernel/fields.ts'
import { deletes, operation, signedIn } from '../../kernel/operation.ts'
import { actorOf } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { removeMember as remove, requireRole } from '../members.ts'

export const removeMember = operation({
  name: 'remove_member',
  area: 'account',
  summary: 'Remove a member',
  description: 'Their keys, agents and sign-ins in this account end at once. Anybody may remove themselves, but the last owner.',
  access: signedIn,
  effects: deletes,
  limit: 'api',
  errors: ['forbidden', 'not_found', 'conflict', 'csrf_failed', 'sign_in_required'],
  input: z.object({ userId: uuid }),
  run: (wanted, call, deps: Pick<AuthDeps, 'store' | 'ids'>) => {
    const { principal } = call
    const userId = wanted.userId.toLowerCase()
    if (userId !== principal.userId) requireRole(principal, 'admin')
    return remove(deps, actorOf(call), { accountId: principal.accountId, byRole: principal.role, userId })
  },
  http: { method: 'DELETE', path: '/api/v1/account/members/{userId}', status: 204 },
})
