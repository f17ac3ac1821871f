// The agents bound to an account, as its people see them: list, end, and take back a claim made by mistake.
import { z } from 'zod'
import { type Actor, actorOf, recordAct } from '../accounts/audit.ts'
import type { EndedHow } from '../accounts/deps.ts'
import type { AuthDeps } from './deps.ts'
import { endGrant, listGrants } from './oauth/apps.ts'
import { isoOrNull } from '../platform/iso.ts'
import { ServiceError } from '../platform/errors.ts'
import { uuid } from '../contract/fields.ts'
import { iso } from '../platform/iso.ts'
import { deletes, operation, reads, signedIn } from '../platform/operation.ts'
import type { UserPrincipal } from '../platform/principal.ts'
import type { Reader, Topic, Tx } from '../platform/db/store.ts'
import { endDelegation, endDelegationsOf } from './assertions/delegations.ts'
import { returnRows } from './moved-rows.ts'
import { lockRegistration, revokeRegistration, undoMs } from './registration.ts'

interface AgentRecord {
  id: string
  clientName: string
  kind: 'anonymous' | 'verified_email' | 'id_jag'
  scopes: readonly string[]
  lastUsedAt: number | null
  expiresAt: number
  claimedAt: number
  claimedBy: string | null
}

/** Whose agents: of the whole account, or those that one person has claimed. */
interface AgentOwner {
  accountId: string
  userId?: string | undefined
}

/** Claimed agents, newest first. */
export async function readAgents(read: Reader, { accountId, userId }: AgentOwner): Promise<AgentRecord[]> {
  let query = read
    .selectFrom('registrations as r')
    .select(['r.id', 'r.client_name', 'r.kind', 'r.scopes', 'r.expires_at', 'r.claimed_at', 'r.owner_user_id'])
    .select((row) =>
      row
        .selectFrom('credentials as c')
        .select(({ fn }) => fn.max('c.last_used_at').as('at'))
        .whereRef('c.registration_id', '=', 'r.id')
        .as('last_used_at'),
    )
    // A signed assertion whose person has approved is no agent until it comes again and gets a token.
    .where((row) =>
      row.exists(
        row.selectFrom('credentials as c').select('c.id').whereRef('c.registration_id', '=', 'r.id').where('c.revoked_at', 'is', null),
      ),
    )
    .where('r.account_id', '=', accountId)
    .where('r.state', '=', 'claimed')
  if (userId !== undefined) query = query.where('r.owner_user_id', '=', userId)
  const rows = await query.orderBy('r.created_at', 'desc').orderBy('r.id', 'desc').execute()
  return rows.map((row) => ({
    id: row.id,
    clientName: row.client_name,
    kind: row.kind,
    scopes: row.scopes.split(' '),
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    claimedAt: row.claimed_at ?? 0,
    claimedBy: row.owner_user_id,
  }))
}

/** Throws `not_found` for an agent of somebody else. */
async function readAgent(read: Reader, owner: AgentOwner, id: string): Promise<AgentRecord> {
  const agent = (await readAgents(read, owner)).find((candidate) => candidate.id === id)
  if (agent === undefined) throw noSuchAgent()
  return agent
}

type AgentDeps = Pick<AuthDeps, 'store' | 'ids'>

/** Ends the agent and all its credentials at once; its sessions stay. */
export async function removeAgent({ store, ids }: AgentDeps, actor: Actor, owner: AgentOwner, id: string): Promise<void> {
  await readAgent(store.read, owner, id)
  await store.write(async (tx, ring) => {
    await endApproval(tx, id, actor.now)
    await revokeRegistration(tx, ring, id, { reason: 'removed by its owner', now: actor.now })
    await recordAct(tx, ids, actor, { action: 'agent.revoked', accountId: owner.accountId, target: { kind: 'registration', id } })
  })
}

/** Ends the agent and gives its earlier sessions back to it; they are removed a day later. Throws `gone` after 24 hours. */
export async function takeBackClaim(
  { store, ids }: AgentDeps,
  actor: Actor,
  owner: AgentOwner,
  id: string,
): Promise<{ sessionsReturned: number }> {
  await readAgent(store.read, owner, id)
  return store.write(async (tx, ring) => {
    await endApproval(tx, id, actor.now)
    const row = await lockRegistration(tx, id)
    if (row === undefined || row.state !== 'claimed' || row.account_id !== owner.accountId) throw noSuchAgent()
    if (actor.now - (row.claimed_at ?? 0) > undoMs)
      throw new ServiceError('gone', 'A claim can be taken back for 24 hours. Revoke the agent instead.')
    const sessionsReturned = await returnRows(tx, row)
    await tx.updateTable('accounts').set({ merged_into: null }).where('id', '=', row.agent_account_id).execute()
    await revokeRegistration(tx, ring, id, { reason: 'claim taken back', now: actor.now })
    await recordAct(tx, ids, actor, {
      action: 'agent.undone',
      accountId: owner.accountId,
      target: { kind: 'registration', id },
      data: { sessionsReturned },
    })
    return { sessionsReturned }
  })
}

/** Otherwise the next assertion would bring the agent back without a question. Before the registration is held: a provider's revocation holds them in this order. */
export async function endApproval(tx: Tx, id: string, now: number): Promise<void> {
  const row = await tx.selectFrom('registrations').select(['issuer', 'subject']).where('id', '=', id).executeTakeFirst()
  if (row !== undefined && row.issuer !== null && row.subject !== null) await endDelegation(tx, row.issuer, row.subject, now)
}

function noSuchAgent(): ServiceError {
  return new ServiceError('not_found', 'There is no such agent.')
}

// How a claimed agent is shown in `/api/v1/account/agents`.

const agentShape = z.object({
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

function agentView(agent: AgentRecord) {
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
function agentsOf({ role, accountId, userId }: UserPrincipal): AgentOwner {
  return role === 'member' ? { accountId, userId } : { accountId }
}

// GET /api/v1/account/agents: the agents that people of this account have claimed.

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
  run: (_, call, { store }: Pick<AuthDeps, 'store'>) => readAgents(store.read, agentsOf(call.principal)),
  http: {
    method: 'GET',
    path: '/api/v1/account/agents',
    output: z.object({ agents: z.array(agentShape) }),
    view: (agents) => ({ agents: agents.map(agentView) }),
  },
})

// GET /api/v1/account/agents/{agentId}: one claimed agent.

export const getAgent = operation({
  name: 'get_agent',
  area: 'account',
  summary: 'Read a claimed agent',
  access: signedIn,
  effects: reads,
  limit: 'api',
  errors: ['not_found', 'sign_in_required'],
  input: z.object({ agentId: uuid }),
  run: ({ agentId }, call, { store }: Pick<AuthDeps, 'store'>) => readAgent(store.read, agentsOf(call.principal), agentId),
  http: { method: 'GET', path: '/api/v1/account/agents/{agentId}', output: agentShape, view: (agent) => agentView(agent) },
})

// DELETE /api/v1/account/agents/{agentId}: ends a claimed agent with its next call (spec 5.7).

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
  run: ({ agentId }, call, deps: Pick<AuthDeps, 'store' | 'ids'>) => removeAgent(deps, actorOf(call), agentsOf(call.principal), agentId),
  http: { method: 'DELETE', path: '/api/v1/account/agents/{agentId}', status: 204 },
})

// POST /api/v1/account/agents/{agentId}/undo: takes a claim back within 24 hours.

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
  run: ({ agentId }, call, deps: Pick<AuthDeps, 'store' | 'ids'>) => takeBackClaim(deps, actorOf(call), agentsOf(call.principal), agentId),
  http: {
    method: 'POST',
    path: '/api/v1/account/agents/{agentId}/undo',
    output: z.object({ sessionsReturned: z.int() }),
    view: (result) => result,
  },
})

/** What a person's agents and applications may do in an account ends with the person's leaving. */
export async function endDelegated(
  tx: Tx,
  ring: (topic: Topic) => void,
  whose: { accountId: string; userId: string },
  how: EndedHow,
): Promise<void> {
  for (const { grant_id: grantId } of await listGrants(tx, whose.userId, whose.accountId)) await endGrant(tx, ring, grantId, how)
  // Before its agents are listed, or one that registers in this moment would stay.
  await endDelegationsOf(tx, whose, how.now)
  const agents = await tx
    .selectFrom('registrations')
    .select('id')
    .where('account_id', '=', whose.accountId)
    .where('owner_user_id', '=', whose.userId)
    .where('state', '=', 'claimed')
    .execute()
  for (const { id } of agents) await revokeRegistration(tx, ring, id, how)
}
