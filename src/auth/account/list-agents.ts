// GET /api/v1/account/agents: the agents that people of this account have claimed.
import { z } from 'zod'
import { operation, reads, signedIn } from '../../kernel/operation.ts'
import type { AuthDeps } from '../deps.ts'
import { listAgents as list } from '../registrations/agents.ts'
import { agentShape, agentsOf, agentView } from './agent-view.ts'

export const listAgents = operation({
  name: 'list_agents',
  area: 'account',
  summary: 'List claimed agents',
  description: 'A member sees the agents they claimed, an owner or admin all of the account.',
  access: signedIn,
  effects: reads,
  limit: 'api',
  errors: ['sign_in_required'],
  input: z.object({}),
  run: (_, call, { store }: Pick<AuthDeps, 'store'>) => list(store.read, agentsOf(call.principal)),
  http: {
    method: 'GET',
    path: '/api/v1/account/agents',
    output: z.object({ agents: z.array(agentShape) }),
    view: (agents) => ({ agents: agents.map(agentView) }),
  },
})
