// GET /api/v1/account/members: the people of this account.
import { z } from 'zod'
import { operation, reads, signedIn } from '../../kernel/operation.ts'
import type { AuthDeps } from '../deps.ts'
import { listMembers as list, requireRole } from '../members.ts'
import { memberShape, memberView } from './member-view.ts'

export const listMembers = operation({
  name: 'list_members',
  area: 'account',
  summary: 'List members',
  access: signedIn,
  effects: reads,
  limit: 'api',
  errors: ['forbidden', 'sign_in_required'],
  input: z.object({}),
  run: (_, { principal }, { store }: Pick<AuthDeps, 'store'>) => {
    requireRole(principal, 'admin')
    return list(store.read, principal.accountId)
  },
  http: {
    method: 'GET',
    path: '/api/v1/account/members',
    output: z.object({ members: z.array(memberShape) }),
    view: (members) => ({ members: members.map(memberView) }),
  },
})
