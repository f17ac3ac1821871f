// GET /api/v1/account/agents/{agentId}: one claimed agent.
import { z } from 'zod'
import { uuid } from '../../kernel/fields.ts'
import { operation, reads, signedIn } from '../../kernel/operation.ts'
import type { AuthDeps } from '../deps.ts'
import { getAgent as find } from '../registrations/agents.ts'
import { agentShape, agentsOf, agentView } from './agent-view.ts'

export const getAgent = operation({
  name: 'get_agent',
  area: 'account',
  summary: 'Read a claimed agent',
  access: signedIn,
  effects: reads,
  limit: 'api',
  errors: ['not_found', 'sign_in_required'],
  input: z.object({ agentId: uuid }),
  run: ({ agentId }, call, { store }: Pick<AuthDeps, 'store'>) => find(store.read, agentsOf(call.principal), agentId.toLowerCase()),
  http: { method: 'GET', path: '/api/v1/account/agents/{agentId}', output: agentShape, view: (agent) => agentView(agent) },
})
