// Who is signed in and where: what the dashboard starts from.
import { z } from 'zod'
import { uuid } from '@rostrum/contract/fields'
import { iso } from '@rostrum/base/clock'
import type { Tx } from '../platform/db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import { changes, operation, signedIn } from '../platform/operation.ts'
import type { Role, UserPrincipal } from '../platform/principal.ts'
import { type Actor, actorOf, recordAct } from './audit.ts'
import { revokeCredentials } from './credentials.ts'
import type { AccountDeps } from './deps.ts'
import { voidInvitations } from './links.ts'
import { accountName, accountView, listAccountsOf, lockAccount, peopleViews, personName, requireRole, role } from './people.ts'
import { endSignInsOf, replaceSignIn, signInLifeMs } from './sign-ins.ts'

/** `signInId` is the one whose csrf token the answer carries. */
async function readAccount(
  { store, csrf, mail }: Pick<AccountDeps, 'store' | 'csrf' | 'mail'>,
  { userId, accountId }: Pick<UserPrincipal, 'userId' | 'accountId'>,
  signInId: string,
): Promise<z.output<typeof accountView>> {
  const user = await store.read.selectFrom('users').select(['id', 'email', 'name']).where('id', '=', userId).executeTakeFirstOrThrow()
  const accounts = await listAccountsOf(store.read, userId)
  const account = accounts.find(({ id }) => id === accountId)
  if (account === undefined) throw new ServiceError('not_found', 'You are not a member of this account.')
  const { people_views: kept } = await store.read
    .selectFrom('accounts')
    .select('people_views')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  // Written by this file alone.
  const views = kept === null ? [] : (JSON.parse(kept) as z.output<typeof peopleViews>)
  return { user, account, role: account.role, peopleViews: views, accounts, csrf: csrf.forSignIn(signInId), sendsMail: mail !== undefined }
}

export const getAccount = operation({
  access: signedIn,
  name: 'get_account',
  summary: 'Read who is signed in',
  secret: true,
  input: z.object({}),
  run: (_, call, deps: Pick<AccountDeps, 'store' | 'csrf' | 'mail'>) => readAccount(deps, call.principal, call.principal.signInId),
  http: { method: 'GET', path: '/api/v1/account', output: accountView },
})

// PATCH /api/v1/account: another name for the person, or, by an owner or admin, for the account; and the views that its members share.

type UpdateDeps = Pick<AccountDeps, 'store' | 'ids' | 'csrf' | 'mail'>

export const updateAccount = operation({
  access: signedIn,
  name: 'update_account',
  summary: 'Rename the person or the account, or keep filters of people',
  errors: ['forbidden'],
  secret: true,
  input: z.object({ name: personName.optional(), accountName: accountName.optional(), peopleViews: peopleViews.optional() }),
  run: async (change, call, deps: UpdateDeps) => {
    const { principal } = call
    if (change.accountName !== undefined) requireRole(principal, 'admin')
    await deps.store.write(async (tx) => {
      const { name, accountName: title } = change
      if (name !== undefined) await tx.updateTable('users').set({ name }).where('id', '=', principal.userId).execute()
      if (change.peopleViews !== undefined) {
        const kept = { people_views: JSON.stringify(change.peopleViews) }
        await tx.updateTable('accounts').set(kept).where('id', '=', principal.accountId).execute()
      }
      if (title === undefined) return
      await tx.updateTable('accounts').set({ name: title }).where('id', '=', principal.accountId).execute()
      await recordAct(tx, deps.ids, actorOf(call), { action: 'account.renamed', accountId: principal.accountId })
    })
    return readAccount(deps, principal, principal.signInId)
  },
  http: { method: 'PATCH', path: '/api/v1/account', output: accountView },
})

// POST /api/v1/account/switch: works in another account of the same person. The cookie gets a new id, as at every change of
// privilege.

type SwitchDeps = Pick<AccountDeps, 'store' | 'ids' | 'csrf' | 'jar' | 'mail'>

export const switchAccount = operation({
  access: signedIn,
  name: 'switch_account',
  summary: 'Work in another account',
  effects: changes,
  errors: ['not_found'],
  secret: true,
  input: z.object({ accountId: uuid }),
  run: async ({ accountId }, { principal, now }, deps: SwitchDeps) => {
    const { store, ids, jar } = deps
    const mine = await listAccountsOf(store.read, principal.userId)
    if (!mine.some(({ id }) => id === accountId)) throw new ServiceError('not_found', 'You are not a member of this account.')
    const started = await store.write((tx) => replaceSignIn(tx, ids, principal.signInId, accountId, now))
    const shown = await readAccount(deps, { userId: principal.userId, accountId }, started.id)
    return { shown, cookie: jar.set(jar.signIn, started.cookie, signInLifeMs / 1_000) }
  },
  http: {
    method: 'POST',
    path: '/api/v1/account/switch',
    output: accountView,
    view: ({ shown }) => shown,
    headers: ({ cookie }) => ({ 'Set-Cookie': cookie }),
  },
})

// The people of an account: roles, invitations, leaving. The last owner can be neither removed nor lowered, also when two owners
// try it on each other at the same moment.

type MemberDeps = Pick<AccountDeps, 'store' | 'ids'>

interface MemberChange {
  accountId: string
  /** Of the person who changes it. */
  byRole: Role
  userId: string
}

/** Throws `not_found`, `forbidden` (an admin and an owner's role) or `conflict` (the last owner). */
async function changeRole({ store, ids }: MemberDeps, actor: Actor, change: MemberChange, role: Role): Promise<void> {
  await store.write(async (tx) => {
    await mayChange(tx, change, role)
    await tx
      .updateTable('memberships')
      .set({ role })
      .where('account_id', '=', change.accountId)
      .where('user_id', '=', change.userId)
      .execute()
    const target = ['user', change.userId] as const
    await recordAct(tx, ids, actor, { action: 'member.role_changed', accountId: change.accountId, target, data: { role } })
  })
}

/** Ends the membership, and with it the person's credentials, sign-ins and open invitations there. Throws as `changeRole` does. */
export async function dropMember(
  { store, ids, endDelegated }: MemberDeps & Pick<AccountDeps, 'endDelegated'>,
  actor: Actor,
  change: MemberChange,
): Promise<void> {
  await store.write(async (tx) => {
    await mayChange(tx, change, undefined)
    const { accountId, userId } = change
    const { email } = await tx.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow()
    // Before the membership ends, or who joins again in this moment would stay.
    await voidInvitations(tx, accountId, email, actor.now)
    await tx.deleteFrom('memberships').where('account_id', '=', accountId).where('user_id', '=', userId).execute()
    const how = { reason: 'left the account', now: actor.now }
    await endDelegated(tx, { accountId, userId }, how)
    const theirs = { account_id: accountId, user_id: userId }
    await revokeCredentials(tx, theirs, how)
    await endSignInsOf(tx, theirs, actor.now)
    await recordAct(tx, ids, actor, { action: 'member.removed', accountId, target: ['user', userId] })
  })
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

const memberShape = z.object({ userId: z.uuid(), email: z.string(), name: z.string(), role, joinedAt: z.iso.datetime() })

export const listMembers = operation({
  access: signedIn,
  name: 'list_members',
  summary: 'List members',
  errors: ['forbidden'],
  input: z.object({}),
  run: (_, { principal }, { store }: Pick<AccountDeps, 'store'>) => {
    requireRole(principal, 'admin')
    return store.read
      .selectFrom('memberships as m')
      .innerJoin('users as u', 'u.id', 'm.user_id')
      .select(['u.id as userId', 'u.email', 'u.name', 'm.role', 'm.created_at'])
      .where('m.account_id', '=', principal.accountId)
      .orderBy('m.created_at')
      .orderBy('m.id')
      .execute()
  },
  http: {
    method: 'GET',
    path: '/api/v1/account/members',
    output: z.object({ members: z.array(memberShape) }),
    view: (members) => ({ members: members.map(({ created_at, ...member }) => ({ ...member, joinedAt: iso(created_at) })) }),
  },
})

export const updateMember = operation({
  access: signedIn,
  name: 'update_member',
  summary: 'Change the role of a member',
  description: 'An account keeps at least one owner; only an owner changes owners.',
  errors: ['forbidden', 'conflict'],
  input: z.object({ userId: uuid, role }),
  run: async ({ userId, role }, call, deps: Pick<AccountDeps, 'store' | 'ids'>) => {
    const { principal } = call
    requireRole(principal, 'admin')
    await changeRole(deps, actorOf(call), { accountId: principal.accountId, byRole: principal.role, userId }, role)
    return { userId, role }
  },
  http: {
    method: 'PATCH',
    path: '/api/v1/account/members/{userId}',
    output: z.object({ userId: z.uuid(), role }),
  },
})

export const removeMember = operation({
  access: signedIn,
  name: 'remove_member',
  summary: 'Remove a member',
  description: 'Their keys, agents and sign-ins in this account end at once. Anybody may remove themselves, but the last owner.',
  errors: ['forbidden', 'conflict'],
  input: z.object({ userId: uuid }),
  run: ({ userId }, call, deps: Pick<AccountDeps, 'store' | 'ids' | 'endDelegated'>) => {
    const { principal } = call
    if (userId !== principal.userId) requireRole(principal, 'admin')
    return dropMember(deps, actorOf(call), { accountId: principal.accountId, byRole: principal.role, userId })
  },
  http: { method: 'DELETE', path: '/api/v1/account/members/{userId}', status: 204 },
})
