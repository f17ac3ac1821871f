// The people of an account: roles, invitations, leaving. The last owner can be neither removed nor lowered, also when two owners
// try it on each other at the same moment.
import { ServiceError } from '../kernel/errors.ts'
import type { Role, UserPrincipal } from '../kernel/principal.ts'
import type { Reader, Topic, Tx } from '../storage/store.ts'
import { lockAccount } from './accounts.ts'
import type { Actor } from './audit.ts'
import { recordAct } from './audit.ts'
import { endDelegationsOf } from './assertions/delegations.ts'
import { revokeCredentials } from './credentials.ts'
import type { AuthDeps } from './deps.ts'
import { endGrant, listGrants } from './oauth/grants.ts'
import { voidInvitations } from './links.ts'
import { revokeRegistration } from './registrations/revoke-registration.ts'
import { endSignIns } from './sign-ins.ts'

export interface Member {
  userId: string
  email: string
  name: string
  role: Role
  joinedAt: number
}

/** Throws `forbidden` below the role. */
export function requireRole(principal: UserPrincipal, least: 'admin' | 'owner'): void {
  const allowed: readonly Role[] = least === 'owner' ? ['owner'] : ['owner', 'admin']
  if (!allowed.includes(principal.role)) throw new ServiceError('forbidden', `This is for an ${least} of the account.`)
}

export async function listMembers(read: Reader, accountId: string): Promise<Member[]> {
  const rows = await read
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.email', 'u.name', 'm.role', 'm.created_at'])
    .where('m.account_id', '=', accountId)
    .orderBy('m.created_at')
    .orderBy('m.id')
    .execute()
  return rows.map(({ id, email, name, role, created_at }) => ({ userId: id, email, name, role, joinedAt: created_at }))
}

type MemberDeps = Pick<AuthDeps, 'store' | 'ids'>

interface MemberChange {
  accountId: string
  /** Of the person who changes it. */
  byRole: Role
  userId: string
}

/** Throws `not_found`, `forbidden` (an admin and an owner's role) or `conflict` (the last owner). */
export async function changeRole({ store, ids }: MemberDeps, actor: Actor, change: MemberChange, role: Role): Promise<void> {
  await store.write(async (tx) => {
    await mayChange(tx, change, role)
    await tx
      .updateTable('memberships')
      .set({ role })
      .where('account_id', '=', change.accountId)
      .where('user_id', '=', change.userId)
      .execute()
    const target = { kind: 'user', id: change.userId }
    await recordAct(tx, ids, actor, { action: 'member.role_changed', accountId: change.accountId, target, data: { role } })
  })
}

/** Ends the membership, and with it the person's credentials, sign-ins and open invitations there. Throws as `changeRole` does. */
export async function removeMember({ store, ids }: MemberDeps, actor: Actor, change: MemberChange): Promise<void> {
  await store.write(async (tx, ring) => {
    await mayChange(tx, change, undefined)
    const { accountId, userId } = change
    const { email } = await tx.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow()
    // Before the membership ends, or who joins again in this moment would stay.
    await voidInvitations(tx, accountId, email, actor.now)
    await tx.deleteFrom('memberships').where('account_id', '=', accountId).where('user_id', '=', userId).execute()
    await endAccess(tx, ring, { accountId, userId }, actor.now)
    await recordAct(tx, ids, actor, { action: 'member.removed', accountId, target: { kind: 'user', id: userId } })
  })
}

async function endAccess(tx: Tx, ring: (topic: Topic) => void, whose: { accountId: string; userId: string }, now: number): Promise<void> {
  const how = { reason: 'left the account', now }
  for (const { grant_id: grantId } of await listGrants(tx, whose.userId, whose.accountId)) await endGrant(tx, ring, grantId, how)
  // Before its agents are listed, or one that registers in this moment would stay.
  await endDelegationsOf(tx, whose, now)
  const agents = await tx
    .selectFrom('registrations')
    .select('id')
    .where('account_id', '=', whose.accountId)
    .where('owner_user_id', '=', whose.userId)
    .where('state', '=', 'claimed')
    .execute()
  for (const { id } of agents) await revokeRegistration(tx, ring, id, how)
  await revokeCredentials(tx, ring, whose, how)
  await endSignIns(tx, ring, whose, now)
}

async function mayChange(tx: Tx, { accountId, byRole, userId }: MemberChange, to: Role | undefined): Promise<void> {
  await lockAccount(tx, accountId)
  const members = await tx.selectFrom('memberships').select(['user_id', 'role']).where('account_id', '=', accountId).execute()
  const current = members.find((member) => member.user_id === userId)
  if (current === undefined) throw new ServiceError('not_found', 'This person is not a member of the account.')
  if (byRole !== 'owner' && (current.role === 'owner' || to === 'owner'))
    throw new ServiceError('forbidden', 'Only an owner changes owners.')
  const otherOwners = members.filter((member) => member.role === 'owner' && member.user_id !== userId)
  if (current.role === 'owner' && to !== 'owner' && otherOwners.length === 0) {
    throw new ServiceError('conflict', 'An account keeps at least one owner: make somebody else an owner first.')
  }
}
