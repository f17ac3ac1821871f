// The agents bound to an account, as its people see them: list, end, and take back a claim made by mistake; and all agents, claimed or
// not, as the operator sees them.
import type { ExpressionBuilder } from 'kysely'
import { z } from 'zod'
import { type Actor, actorOf, recordAct } from '../accounts/audit.ts'
import type { EndedHow } from '../accounts/credentials.ts'
import type { AuthDeps } from './deps.ts'
import { endGrant, listGrants } from './clients.ts'
import { ServiceError } from '@rostrum/base/errors'
import { uuid } from '@rostrum/contract/fields'
import { type Ids, iso, isoOrNull } from '@rostrum/base/clock'
import { deletes, operation, signedIn } from '../platform/operation.ts'
import type { UserPrincipal } from '../platform/principal.ts'
import type { Reader, Tx } from '../platform/db/store.ts'
import type { Tables } from '../platform/db/tables.ts'
import { endDelegation, endDelegationsOf, lockRegistration, revokeRegistration, undoMs } from './registration.ts'
import { returnRows } from './claim.ts'

/** Whose agents: of the whole account, or those that one person has claimed. */
interface AgentOwner {
  accountId: string
  userId?: string | undefined
}

const lastUse = (row: ExpressionBuilder<Tables & { r: Tables['registrations'] }, 'r'>) =>
  row
    .selectFrom('credentials as c')
    .select(({ fn }) => fn.max('c.last_used_at').as('at'))
    .whereRef('c.registration_id', '=', 'r.id')
    .as('last_used_at')

/** Claimed agents, newest first. */
export async function readAgents(read: Reader, { accountId, userId }: AgentOwner) {
  let query = read
    .selectFrom('registrations as r')
    .select(['r.id', 'r.client_name', 'r.kind', 'r.scopes', 'r.expires_at', 'r.claimed_at', 'r.owner_user_id'])
    .select(lastUse)
    // A signed assertion whose person has approved is no agent until it comes again and gets a token.
    .where((row) =>
      row.exists(
        row.selectFrom('credentials as c').select('c.id').whereRef('c.registration_id', '=', 'r.id').where('c.revoked_at', 'is', null),
      ),
    )
    .where('r.account_id', '=', accountId)
    .where('r.state', '=', 'claimed')
  if (userId !== undefined) query = query.where('r.owner_user_id', '=', userId)
  return query.orderBy('r.created_at', 'desc').orderBy('r.id', 'desc').execute()
}

type ClaimedAgent = Awaited<ReturnType<typeof readAgents>>[number]

/** Throws `not_found` for an agent of somebody else. */
async function readAgent(read: Reader, owner: AgentOwner, id: string): Promise<ClaimedAgent> {
  const agent = (await readAgents(read, owner)).find((candidate) => candidate.id === id)
  if (agent === undefined) throw noSuchAgent()
  return agent
}

type AgentDeps = Pick<AuthDeps, 'store' | 'ids'>

type Ending = { id: string; accountId: string | null; reason: string }

async function endAgent(tx: Tx, ids: Ids, actor: Actor, { id, accountId, reason }: Ending): Promise<void> {
  await endApproval(tx, id, actor.now)
  await revokeRegistration(tx, id, { reason, now: actor.now })
  await recordAct(tx, ids, actor, { action: 'agent.revoked', accountId, target: ['registration', id] })
}

/** Ends the agent and all its credentials at once; its sessions stay. */
export async function removeAgent({ store, ids }: AgentDeps, actor: Actor, owner: AgentOwner, id: string): Promise<void> {
  await readAgent(store.read, owner, id)
  await store.write((tx) => endAgent(tx, ids, actor, { id, accountId: owner.accountId, reason: 'removed by its owner' }))
}

/** Ends the agent and gives its earlier sessions back to it; they are removed a day later. Throws `gone` after 24 hours. */
export async function takeBackClaim(
  { store, ids }: AgentDeps,
  actor: Actor,
  owner: AgentOwner,
  id: string,
): Promise<{ sessionsReturned: number }> {
  await readAgent(store.read, owner, id)
  return store.write(async (tx) => {
    await endApproval(tx, id, actor.now)
    const row = await lockRegistration(tx, id)
    if (row === undefined || row.state !== 'claimed' || row.account_id !== owner.accountId) throw noSuchAgent()
    if (actor.now - (row.claimed_at ?? 0) > undoMs)
      throw new ServiceError('gone', 'A claim can be taken back for 24 hours. Revoke the agent instead.')
    const sessionsReturned = await returnRows(tx, row)
    await tx.updateTable('accounts').set({ merged_into: null }).where('id', '=', row.agent_account_id).execute()
    await revokeRegistration(tx, id, { reason: 'claim taken back', now: actor.now })
    await recordAct(tx, ids, actor, {
      action: 'agent.undone',
      accountId: owner.accountId,
      target: ['registration', id],
      data: { sessionsReturned },
    })
    return { sessionsReturned }
  })
}

/** Otherwise the next assertion would bring the agent back without a question. Before the registration is held: a provider's revocation holds them in this order. */
async function endApproval(tx: Tx, id: string, now: number): Promise<void> {
  const row = await tx.selectFrom('registrations').select(['issuer', 'subject']).where('id', '=', id).executeTakeFirst()
  if (row !== undefined && row.issuer !== null && row.subject !== null) await endDelegation(tx, row.issuer, row.subject, now)
}

function noSuchAgent(): ServiceError {
  return new ServiceError('not_found', 'There is no such agent. List yours to see their ids.')
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

function agentView(row: ClaimedAgent) {
  const claimedAt = row.claimed_at ?? 0
  return {
    id: row.id,
    name: row.client_name,
    kind: row.kind,
    scopes: row.scopes.split(' '),
    claimedAt: iso(claimedAt),
    claimedBy: row.owner_user_id,
    lastUsedAt: isoOrNull(row.last_used_at),
    expiresAt: iso(row.expires_at),
    undoUntil: iso(claimedAt + undoMs),
  }
}

/** A member works with the agents they claimed themselves. */
function agentsOf({ role, accountId, userId }: UserPrincipal): AgentOwner {
  return role === 'member' ? { accountId, userId } : { accountId }
}

export const listAgents = operation({
  access: signedIn,
  name: 'list_agents',
  summary: 'List claimed agents',
  description: 'A member sees the agents they claimed, an owner or admin all of the account.',
  input: z.object({}),
  run: (_, call, { store }: Pick<AuthDeps, 'store'>) => readAgents(store.read, agentsOf(call.principal)),
  http: {
    method: 'GET',
    path: '/api/v1/account/agents',
    output: z.object({ agents: z.array(agentShape) }),
    view: (agents) => ({ agents: agents.map(agentView) }),
  },
})

export const getAgent = operation({
  access: signedIn,
  name: 'get_agent',
  summary: 'Read a claimed agent',
  input: z.object({ agentId: uuid }),
  run: ({ agentId }, call, { store }: Pick<AuthDeps, 'store'>) => readAgent(store.read, agentsOf(call.principal), agentId),
  http: { method: 'GET', path: '/api/v1/account/agents/{agentId}', output: agentShape, view: (agent) => agentView(agent) },
})

export const revokeAgent = operation({
  access: signedIn,
  name: 'revoke_agent',
  summary: 'Revoke a claimed agent',
  description: 'Its sessions stay in the account.',
  input: z.object({ agentId: uuid }),
  run: ({ agentId }, call, deps: Pick<AuthDeps, 'store' | 'ids'>) => removeAgent(deps, actorOf(call), agentsOf(call.principal), agentId),
  http: { method: 'DELETE', path: '/api/v1/account/agents/{agentId}', status: 204 },
})

export const undoClaim = operation({
  access: signedIn,
  name: 'undo_claim',
  summary: 'Take a claim back',
  description: 'Within 24 hours of the claim. Ends the agent; the sessions it brought along leave the account and are removed a day later.',
  effects: deletes,
  errors: ['gone'],
  input: z.object({ agentId: uuid }),
  run: ({ agentId }, call, deps: Pick<AuthDeps, 'store' | 'ids'>) => takeBackClaim(deps, actorOf(call), agentsOf(call.principal), agentId),
  http: {
    method: 'POST',
    path: '/api/v1/account/agents/{agentId}/undo',
    output: z.object({ sessionsReturned: z.int() }),
  },
})

/** What a person's agents and applications may do in an account ends with the person's leaving. */
export async function endDelegated(tx: Tx, whose: { accountId: string; userId: string }, how: EndedHow): Promise<void> {
  for (const { grant_id: grantId } of await listGrants(tx, whose.userId, whose.accountId)) await endGrant(tx, grantId, how)
  // Before its agents are listed, or one that registers in this moment would stay.
  await endDelegationsOf(tx, whose, how.now)
  const agents = await tx
    .selectFrom('registrations')
    .select('id')
    .where('account_id', '=', whose.accountId)
    .where('owner_user_id', '=', whose.userId)
    .where('state', '=', 'claimed')
    .execute()
  for (const { id } of agents) await revokeRegistration(tx, id, how)
}

// What the operator sees and ends at the command line.

/** Those that may call at `now`, newest first. */
export async function listRegistrations(read: Reader, now: number, isUnclaimed: boolean) {
  const rows = await read
    .selectFrom('registrations as r')
    .innerJoin('accounts as a', 'a.id', 'r.account_id')
    .select(['r.id', 'r.client_name', 'r.kind', 'r.state', 'r.account_id', 'a.name', 'r.ip_prefix', 'r.created_at', 'r.expires_at'])
    .select((row) => [
      lastUse(row),
      row
        .selectFrom('sessions as s')
        .innerJoin('credentials as c', 'c.id', 's.created_by_id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('c.registration_id', '=', 'r.id')
        .as('sessions'),
    ])
    .where('r.state', 'in', isUnclaimed ? ['registered'] : ['registered', 'claimed'])
    .where('r.expires_at', '>', now)
    .orderBy('r.created_at', 'desc')
    .orderBy('r.id', 'desc')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    clientName: row.client_name,
    kind: row.kind,
    state: row.state,
    accountId: row.account_id,
    account: row.name,
    sessions: Number(row.sessions ?? 0),
    network: row.ip_prefix,
    createdAt: iso(row.created_at),
    expiresAt: iso(row.expires_at),
    lastUsedAt: isoOrNull(row.last_used_at),
  }))
}

/** Ends it with all its credentials; gives what it has open. Undefined where there is none of this id. */
export async function revokeAnyAgent(
  { store, ids }: AgentDeps,
  actor: Actor,
  id: string,
): Promise<{ isClaimed: boolean; published: readonly string[] } | undefined> {
  const row = await store.read
    .selectFrom('registrations')
    .select(['account_id', 'agent_account_id', 'state'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  await store.write((tx) => endAgent(tx, ids, actor, { id, accountId: row.account_id, reason: 'revoked by the operator' }))
  const isClaimed = row.state === 'claimed'
  if (isClaimed) return { isClaimed, published: [] }
  const open = await store.read
    .selectFrom('sessions')
    .select('id')
    .where('account_id', '=', row.agent_account_id)
    .where('status', '=', 'published')
    .execute()
  return { isClaimed, published: open.map((session) => session.id) }
}
