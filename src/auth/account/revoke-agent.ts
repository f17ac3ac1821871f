// DELETE /api/v1/account/agents/{agentId}: ends a claimed agent with its next call (spec 5.7).
import { z } from 'zod'
import { uuid } from '../../kernel/fields.ts'
import { deletes, operation, signedIn } from '../../kernel/operation.ts'
import { actorOf } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { removeAgent } from '../registrations/agents.ts'
import { agentsOf } from './agent-view.ts'

export const revokeAgent = operation({
  name: 'revoke_agent',
  area: 'account',
  summary: 'Revoke a claimed agent',
  description: 'Its sessions stay in the account.',
  access: signedIn,
  effects: deletes,
  limit: 'api',
  errors: ['not_found', 'csrf_failed', 'sign_in_required'],
  input: z.object({ agentId: uuid }),
  run: ({ agentId }, call, deps: Pick<AuthDeps, 'store' | 'ids'>) =>
    removeAgent(deps, actorOf(call), agentsOf(call.principal), agentId.toLowerCase()),
  http: { method: 'DELETE', path: '/api/v1/account/agents/{agentId}', status: 204 },
})
