// The agents bound to an account, as its people see them: list, end, and take back a claim made by mistake.
import { ServiceError } from '../../kernel/errors.ts'
import type { Reader, Tx } from '../../storage/store.ts'
import type { Actor } from '../audit.ts'
import { recordAct } from '../audit.ts'
import { endDelegation } from '../assertions/delegations.ts'
import type { AuthDeps } from '../deps.ts'
import { returnRows } from './moved-rows.ts'
import { lockRegistration, undoMs } from './registration.ts'
import { revokeRegistration } from './revoke-registration.ts'

export interface AgentRecord {
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
export interface AgentOwner {
  accountId: string
  userId?: string | undefined
}

/** Claimed agents, newest first. */
export async function listAgents(read: Reader, { accountId, userId }: AgentOwner): Promise<AgentRecord[]> {
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
export async function getAgent(read: Reader, owner: AgentOwner, id: string): Promise<AgentRecord> {
  const agent = (await listAgents(read, owner)).find((candidate) => candidate.id === id)
  if (agent === undefined) throw noSuchAgent()
  return agent
}

type AgentDeps = Pick<AuthDeps, 'store' | 'ids'>

/** Ends the agent and all its credentials at once; its sessions stay. */
export async function removeAgent({ store, ids }: AgentDeps, actor: Actor, owner: AgentOwner, id: string): Promise<void> {
  await getAgent(store.read, owner, id)
  await store.write(async (tx, ring) => {
    await endApproval(tx, id, actor.now)
    await revokeRegistration(tx, ring, id, { reason: 'removed by its owner', now: actor.now })
    await recordAct(tx, ids, actor, { action: 'agent.revoked', accountId: owner.accountId, target: { kind: 'registration', id } })
  })
}

/** Ends the agent and gives its earlier sessions back to it; they are removed a day later. Throws `gone` after 24 hours. */
export async function undoClaim(
  { store, ids }: AgentDeps,
  actor: Actor,
  owner: AgentOwner,
  id: string,
): Promise<{ sessionsReturned: number }> {
  await getAgent(store.read, owner, id)
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
