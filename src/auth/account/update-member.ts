// PATCH /api/v1/account/members/{userId}: another role.
import { z } from 'zod'
import { uuid } from '../../kernel/fields.ts'
import type { Call } from '../../kernel/operation.ts'
import { changes, operation, signedIn } from '../../kernel/operation.ts'
import type { UserPrincipal } from '../../kernel/principal.ts'
import { actorOf } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { changeRole, requireRole } from '../members.ts'
import { role } from './shapes.ts'

const input = z.object({ userId: uuid, role })

async function update(wanted: z.output<typeof input>, call: Call<UserPrincipal>, deps: Pick<AuthDeps, 'store' | 'ids'>) {
  const { principal } = call
  requireRole(principal, 'admin')
  const userId = wanted.userId.toLowerCase()
  await changeRole(deps, actorOf(call), { accountId: principal.accountId, byRole: principal.role, userId }, wanted.role)
  return { userId, role: wanted.role }
}

export const updateMember = operation({
  name: 'update_member',
  area: 'account',
  summary: 'Change the role of a member',
  description: 'An account keeps at least one owner; only an owner changes owners.',
  access: signedIn,
  effects: changes,
  limit: 'api',
  errors: ['forbidden', 'not_found', 'conflict', 'csrf_failed', 'sign_in_required'],
  input,
  run: update,
  http: {
    method: 'PATCH',
    path: '/api/v1/account/members/{userId}',
    output: z.object({ userId: z.uuid(), role }),
    view: (result) => result,
  },
})
