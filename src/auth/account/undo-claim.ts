// POST /api/v1/account/agents/{agentId}/undo: takes a claim back within 24 hours.
import { z } from 'zod'
import { uuid } from '../../kernel/fields.ts'
import { deletes, operation, signedIn } from '../../kernel/operation.ts'
import { actorOf } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { undoClaim as undo } from '../registrations/agents.ts'
import { agentsOf } from './agent-view.ts'

export const undoClaim = operation({
  name: 'undo_claim',
  area: 'account',
  summary: 'Take a claim back',
  description: 'Within 24 hours of the claim. Ends the agent; the sessions it brought along leave the account and are removed a day later.',
  access: signedIn,
  effects: deletes,
  limit: 'api',
  errors: ['not_found', 'gone', 'csrf_failed', 'sign_in_required'],
  input: z.object({ agentId: uuid }),
  run: ({ agentId }, call, deps: Pick<AuthDeps, 'store' | 'ids'>) =>
    undo(deps, actorOf(call), agentsOf(call.principal), agentId.toLowerCase()),
  http: {
    method: 'POST',
    path: '/api/v1/account/agents/{agentId}/undo',
    output: z.object({ sessionsReturned: z.int() }),
    view: (result) => result,
  },
})
