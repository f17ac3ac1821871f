// Reads and acts of the account screens: agents, sign-ins, members, invitations.
import { call } from '../data/api.ts'
import { type Query, refresh } from '../data/use-query.ts'
import type { Role } from '../data/wire.ts'
import type { Agent, App, AuditPage, Invitation, Invited, Member, SignIn } from './account-wire.ts'

export const agentsQuery: Query<Agent[]> = {
  queryKey: ['agents'],
  queryFn: async ({ signal }) => (await call('list_agents', {}, { signal })).agents,
}

export const signInsQuery: Query<SignIn[]> = {
  queryKey: ['sign-ins'],
  queryFn: async ({ signal }) => (await call('list_sign_ins', {}, { signal })).signIns,
}

export const appsQuery: Query<App[]> = {
  queryKey: ['apps'],
  queryFn: async ({ signal }) => (await call('list_apps', {}, { signal })).apps,
}

export const membersQuery: Query<Member[]> = {
  queryKey: ['members'],
  queryFn: async ({ signal }) => (await call('list_members', {}, { signal })).members,
}

export const invitationsQuery: Query<Invitation[]> = {
  queryKey: ['invitations'],
  queryFn: async ({ signal }) => (await call('list_invitations', {}, { signal })).invitations,
}

export const readAudit = (cursor?: string, options?: { signal: AbortSignal }): Promise<AuditPage> =>
  call('list_audit', { limit: 50, ...(cursor !== undefined && { cursor }) }, options)

export const auditQuery: Query<AuditPage> = {
  queryKey: ['audit'],
  queryFn: (context) => readAudit(undefined, context),
}

/** One act on a thing of the account, then the list it is in, read again. */
const then = (act: Promise<unknown>, list: string): Promise<void> => act.then(() => refresh(list))

export const revokeAgent = (agentId: string): Promise<void> => then(call('revoke_agent', { agentId }), 'agents')
export const undoClaim = (agentId: string): Promise<void> => then(call('undo_claim', { agentId }), 'agents')
export const endSignIn = (signInId: string): Promise<void> => then(call('end_sign_in', { signInId }), 'sign-ins')
export const removeMember = (userId: string): Promise<void> => then(call('remove_member', { userId }), 'members')
export const changeRole = (userId: string, role: Role): Promise<void> => then(call('update_member', { userId, role }), 'members')
export const withdrawInvitation = (invitationId: string): Promise<void> => then(call('delete_invitation', { invitationId }), 'invitations')
export const endOtherSignIns = (): Promise<void> => then(call('end_sign_ins', {}), 'sign-ins')
export const removeApp = (grantId: string): Promise<void> => then(call('revoke_app', { grantId }), 'apps')

/** Where `url` is not null, the link is in this answer and nowhere else. */
export async function invite(email: string, role: Role): Promise<Invited> {
  const made = await call('create_invitation', { email, role })
  await refresh('invitations')
  return made
}

/** The dashboard starts anew in the other account: everything it holds belongs to this one. */
export async function switchAccount(accountId: string): Promise<void> {
  await call('switch_account', { accountId })
  location.assign('/dashboard')
}
