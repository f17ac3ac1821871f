// People, agents and sign-ins of the account as `/api/v1/account` answers them.
import type { Role } from './wire.ts'

export interface Agent {
  id: string
  /** What it calls itself; nobody has checked it. */
  name: string
  kind: 'anonymous' | 'verified_email' | 'id_jag'
  scopes: string[]
  claimedAt: string
  claimedBy: string | null
  lastUsedAt: string | null
  expiresAt: string
  /** Until then the claim can be taken back whole. */
  undoUntil: string
}

export interface SignIn {
  id: string
  label: string
  network: string
  createdAt: string
  seenAt: string
  isCurrent: boolean
}

export interface Member {
  userId: string
  email: string
  name: string
  role: Role
  joinedAt: string
}

export interface Invitation {
  id: string
  email: string
  role: Role
  createdAt: string
  expiresAt: string
}

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
