// GET /api/v1/account/agents/{agentId}: one claimed agent.
import { z } from 'zod'
import { uuid } from '../../kernel/fields.ts'
import type { Call } from '../../kernel/operation.ts'
import { operation, reads, signedIn } from '../../kernel/operation.ts'
import type { UserPrincipal } from '../../kernel/principal.ts'
import type { AuthDeps } from '../deps.ts'
import { getAgent as find } from '../registrations/agents.ts'
import { agentShape, agentsOf, agentView } from './agent-view.ts'

const input = z.object({ agentId: uuid })

function get({ agentId }: z.output<typeof input>, call: Call<UserPrincipal>, { store }: Pick<AuthDeps, 'store'>) {
  return find(store.read, agentsOf(call.principal), agentId.toLowerCase())
}

export const getAgent = operation({
  name: 'get_agent',
  area: 'account',
  summary: 'Read a claimed agent',
  access: signedIn,
  effects: reads,
  limit: 'api',
  errors: ['not_found', 'sign_in_required'],
  input,
  run: get,
  http: { method: 'GET', path: '/api/v1/account/agents/{agentId}', output: agentShape, view: agentView },
})
