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

export interface Invited {
  /** To hand over; null where it was mailed. */
  url: string | null
  mail: 'sent' | 'waiting' | 'refused' | null
}

/** An application that this person allowed to act for the account. */
export interface App {
  id: string
  /** What it calls itself; nobody has checked it. */
  name: string
  redirectHost: string
  scopes: string[]
  createdAt: string
  lastUsedAt: string | null
}

export interface AuditEntry {
  id: string
  at: string
  action: string
  actorKind: string
  actorId: string | null
  targetKind: string | null
  targetId: string | null
  network: string | null
  requestId: string | null
  data: Record<string, unknown> | null
}

export interface AuditPage {
  entries: AuditEntry[]
  nextCursor?: string
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
