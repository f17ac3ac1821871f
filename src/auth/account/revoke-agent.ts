// DELETE /api/v1/account/agents/{agentId}: ends a claimed agent with its next call (spec 5.7).
import { z } from 'zod'
import { uuid } from '../../kernel/fields.ts'
import type { Call } from '../../kernel/operation.ts'
import { deletes, operation, signedIn } from '../../kernel/operation.ts'
import type { UserPrincipal } from '../../kernel/principal.ts'
import { actorOf } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { removeAgent } from '../registrations/agents.ts'
import { agentsOf } from './agent-view.ts'

const input = z.object({ agentId: uuid })

function revoke({ agentId }: z.output<typeof input>, call: Call<UserPrincipal>, deps: Pick<AuthDeps, 'store' | 'ids'>) {
  return removeAgent(deps, actorOf(call), agentsOf(call.principal), agentId.toLowerCase())
}

export const revokeAgent = operation({
  name: 'revoke_agent',
  area: 'account',
  summary: 'Revoke a claimed agent',
  description: 'Its sessions stay in the account.',
  access: signedIn,
  effects: deletes,
  limit: 'api',
  errors: ['not_found', 'csrf_failed', 'sign_in_required'],
  input,
  run: revoke,
  http: { method: 'DELETE', path: '/api/v1/account/agents/{agentId}', status: 204 },
})
