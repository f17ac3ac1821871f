// Reads and acts of the account screens: agents, sign-ins, members, invitations.
import { call, get } from '../data/api.ts'
import { type Query, refresh } from '../data/use-query.ts'
import type { Agent, App, AuditPage, Invitation, Invited, Member, SignIn } from './account-wire.ts'

const base = '/api/v1/account'

export const agentsQuery: Query<Agent[]> = {
  queryKey: ['agents'],
  queryFn: async ({ signal }) => (await get<{ agents: Agent[] }>(`${base}/agents`, signal)).agents,
}

export const signInsQuery: Query<SignIn[]> = {
  queryKey: ['sign-ins'],
  queryFn: async ({ signal }) => (await get<{ signIns: SignIn[] }>(`${base}/sign-ins`, signal)).signIns,
}

export const appsQuery: Query<App[]> = {
  queryKey: ['apps'],
  queryFn: async ({ signal }) => (await get<{ apps: App[] }>(`${base}/apps`, signal)).apps,
}

export const membersQuery: Query<Member[]> = {
  queryKey: ['members'],
  queryFn: async ({ signal }) => (await get<{ members: Member[] }>(`${base}/members`, signal)).members,
}

export const invitationsQuery: Query<Invitation[]> = {
  queryKey: ['invitations'],
  queryFn: async ({ signal }) => (await get<{ invitations: Invitation[] }>(`${base}/invitations`, signal)).invitations,
}

export const readAudit = (cursor?: string, signal?: AbortSignal): Promise<AuditPage> =>
  get(`${base}/audit?limit=50${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`, signal)

export const auditQuery: Query<AuditPage> = {
  queryKey: ['audit'],
  queryFn: ({ signal }) => readAudit(undefined, signal),
}

/** One act on a thing of the account, then the list it is in, read again. */
async function act(method: 'POST' | 'PATCH' | 'DELETE', path: string, list: string, body?: unknown): Promise<void> {
  await call(method, `${base}${path}`, body === undefined ? {} : { body })
  await refresh(list)
}

const at = encodeURIComponent

export const revokeAgent = (id: string): Promise<void> => act('DELETE', `/agents/${at(id)}`, 'agents')
export const undoClaim = (id: string): Promise<void> => act('POST', `/agents/${at(id)}/undo`, 'agents')
export const endSignIn = (id: string): Promise<void> => act('DELETE', `/sign-ins/${at(id)}`, 'sign-ins')
export const removeMember = (userId: string): Promise<void> => act('DELETE', `/members/${at(userId)}`, 'members')
export const changeRole = (userId: string, role: string): Promise<void> => act('PATCH', `/members/${at(userId)}`, 'members', { role })
export const withdrawInvitation = (id: string): Promise<void> => act('DELETE', `/invitations/${at(id)}`, 'invitations')

export const endOtherSignIns = (): Promise<void> => act('DELETE', '/sign-ins', 'sign-ins')
export const removeApp = (id: string): Promise<void> => act('DELETE', `/apps/${at(id)}`, 'apps')

/** Where `url` is not null, the link is in this answer and nowhere else. */
export async function invite(email: string, role: string): Promise<Invited> {
  const made = await call<Invited>('POST', `${base}/invitations`, { body: { email, role } })
  await refresh('invitations')
  return made
}

/** The dashboard starts anew in the other account: everything it holds belongs to this one. */
export async function switchAccount(accountId: string): Promise<void> {
  await call('POST', `${base}/switch`, { body: { accountId } })
  location.assign('/dashboard')
}
