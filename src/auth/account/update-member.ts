// PATCH /api/v1/account/members/{userId}: another role.
import { z } from 'zod'
import { uuid } from '../../kernel/fields.ts'
import { changes, operation, signedIn } from '../../kernel/operation.ts'
import { actorOf } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { changeRole, requireRole } from '../members.ts'
import { role } from './shapes.ts'

export const updateMember = operation({
  name: 'update_member',
  area: 'account',
  summary: 'Change the role of a member',
  description: 'An account keeps at least one owner; only an owner changes owners.',
  access: signedIn,
  effects: changes,
  limit: 'api',
  errors: ['forbidden', 'not_found', 'conflict', 'csrf_failed', 'sign_in_required'],
  input: z.object({ userId: uuid, role }),
  run: async (wanted, call, deps: Pick<AuthDeps, 'store' | 'ids'>) => {
    const { principal } = call
    requireRole(principal, 'admin')
    const userId = wanted.userId.toLowerCase()
    await changeRole(deps, actorOf(call), { accountId: principal.accountId, byRole: principal.role, userId }, wanted.role)
    return { userId, role: wanted.role }
  },
  http: {
    method: 'PATCH',
    path: '/api/v1/account/members/{userId}',
    output: z.object({ userId: z.uuid(), role }),
    view: (result) => result,
  },
})
