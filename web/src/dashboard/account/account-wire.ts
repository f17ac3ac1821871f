// People, agents and sign-ins of the account as `/api/v1/account` answers them.
import type { OutputOf } from '../../../../client/operations.ts'
import type { Role } from '../data/wire.ts'

export type Agent = OutputOf<'list_agents'>['agents'][number]
export type SignIn = OutputOf<'list_sign_ins'>['signIns'][number]
export type Member = OutputOf<'list_members'>['members'][number]
export type Invitation = OutputOf<'list_invitations'>['invitations'][number]
/** `url`: to hand over; null where it was mailed. */
export type Invited = Pick<OutputOf<'create_invitation'>, 'url' | 'mail'>
/** An application that this person allowed to act for the account; nobody has checked what it calls itself. */
export type App = OutputOf<'list_apps'>['apps'][number]
export type AuditPage = OutputOf<'list_audit'>
export type AuditEntry = AuditPage['entries'][number]

export const roleWords: Record<Role, string> = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
}

/** What each role may do, for the choice of one. */
export const roleChoices: readonly { value: Role; label: string }[] = [
  { value: 'member', label: 'Member: sessions, leads, analytics, own keys' },
  { value: 'admin', label: 'Admin: also members, all keys and agents' },
  { value: 'owner', label: 'Owner: also owners and closing the account' },
]
