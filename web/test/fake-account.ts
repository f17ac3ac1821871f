// Agents, sign-ins and members of the fake API; acts on them answer and change nothing.
import { systemClock } from '../../src/kernel/clock.ts'
import type { Agent, Invitation, Member, SignIn } from '../src/dashboard/account-wire.ts'

const at = (minutesAgo: number) => new Date(systemClock.now() - minutesAgo * 60_000).toISOString()

const agents: Agent[] = [
  {
    id: 'ag1',
    name: 'Sales Copilot',
    kind: 'anonymous',
    scopes: ['sessions:read', 'sessions:write', 'analytics:read', 'leads:read'],
    claimedAt: at(300),
    claimedBy: 'u1',
    lastUsedAt: at(4),
    expiresAt: at(-120_000),
    undoUntil: at(-1_000),
  },
]

const signIns: SignIn[] = [
  { id: 's1', label: 'Firefox on Linux', network: '203.0.113.0/24', createdAt: at(300), seenAt: at(1), isCurrent: true },
  { id: 's2', label: 'Safari on iPhone', network: '198.51.100.0/24', createdAt: at(4_000), seenAt: at(900), isCurrent: false },
]

const members: Member[] = [
  { userId: 'u1', email: 'maya@acme.example', name: 'Maya Okafor', role: 'owner', joinedAt: at(90_000) },
  { userId: 'u2', email: 'tom@acme.example', name: 'Tom Berg', role: 'member', joinedAt: at(9_000) },
]

const invitations: Invitation[] = [{ id: 'i1', email: 'ines@acme.example', role: 'admin', createdAt: at(60), expiresAt: at(-10_000) }]

/** Method, path, answer. */
export const accountRoutes: readonly (readonly [string, string, unknown])[] = [
  ['GET', '/api/v1/account/agents', { agents }],
  ['DELETE', '/api/v1/account/agents/{id}', {}],
  ['POST', '/api/v1/account/agents/{id}/undo', { sessionsReturned: 0 }],
  ['GET', '/api/v1/account/sign-ins', { signIns }],
  ['DELETE', '/api/v1/account/sign-ins/{id}', {}],
  ['GET', '/api/v1/account/members', { members }],
  ['PATCH', '/api/v1/account/members/{id}', {}],
  ['DELETE', '/api/v1/account/members/{id}', {}],
  ['GET', '/api/v1/account/invitations', { invitations }],
  ['POST', '/api/v1/account/invitations', { ...invitations[0], url: 'https://talks.acme.example/invite/7fJq2mKd9Lw3Xs5Rb8Zt1c' }],
  ['DELETE', '/api/v1/account/invitations/{id}', {}],
  ['POST', '/api/v1/account/password', { changed: true, csrf: 'token' }],
]
