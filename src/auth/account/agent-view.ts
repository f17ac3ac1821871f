// How a claimed agent is shown in `/api/v1/account/agents`.
import { z } from 'zod'
import { iso } from '../../kernel/iso.ts'
import type { UserPrincipal } from '../../kernel/principal.ts'
import type { AgentOwner, AgentRecord } from '../registrations/agents.ts'
import { undoMs } from '../registrations/registration.ts'
import { isoOrNull } from './time.ts'

export const agentShape = z.object({
  id: z.uuid(),
  name: z.string().describe('What the agent calls itself; unverified.'),
  kind: z.enum(['anonymous', 'verified_email', 'id_jag']),
  scopes: z.array(z.string()),
  claimedAt: z.iso.datetime(),
  claimedBy: z.uuid().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime(),
  undoUntil: z.iso.datetime(),
})

export function agentView(agent: AgentRecord) {
  return {
    id: agent.id,
    name: agent.clientName,
    kind: agent.kind,
    scopes: agent.scopes,
    claimedAt: iso(agent.claimedAt),
    claimedBy: agent.claimedBy,
    lastUsedAt: isoOrNull(agent.lastUsedAt),
    expiresAt: iso(agent.expiresAt),
    undoUntil: iso(agent.claimedAt + undoMs),
  }
}

/** A member works with the agents they claimed themselves. */
export function agentsOf({ role, accountId, userId }: UserPrincipal): AgentOwner {
  return role === 'member' ? { accountId, userId } : { accountId }
}
