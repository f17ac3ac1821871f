// Reads and acts of the account screens: agents, sign-ins, members, invitations.
import type { Agent, Invitation, Member, SignIn } from './account-wire.ts'
import { call, get } from './api.ts'
import type { Query } from './use-query.ts'
import { refresh } from './use-query.ts'

const base = '/api/v1/account'

export const agentsQuery: Query<Agent[]> = {
  queryKey: ['agents'],
  queryFn: async ({ signal }) => (await get<{ agents: Agent[] }>(`${base}/agents`, signal)).agents,
}

export const signInsQuery: Query<SignIn[]> = {
  queryKey: ['sign-ins'],
  queryFn: async ({ signal }) => (await get<{ signIns: SignIn[] }>(`${base}/sign-ins`, signal)).signIns,
}

export const membersQuery: Query<Member[]> = {
  queryKey: ['members'],
  queryFn: async ({ signal }) => (await get<{ members: Member[] }>(`${base}/members`, signal)).members,
}

export const invitationsQuery: Query<Invitation[]> = {
  queryKey: ['invitations'],
  queryFn: async ({ signal }) => (await get<{ invitations: Invitation[] }>(`${base}/invitations`, signal)).invitations,
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

/** The link is in this answer and nowhere else. */
export async function invite(email: string, role: string): Promise<string> {
  const { url } = await call<{ url: string }>('POST', `${base}/invitations`, { body: { email, role } })
  await refresh('invitations')
  return url
}
