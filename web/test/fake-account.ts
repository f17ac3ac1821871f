// Agents, sign-ins and members of the fake API; acts on them answer and change nothing.
import { systemClock } from '@rostrum/base/clock'
import type { Agent, App, AuditEntry, Invitation, Member, SignIn } from '../src/dashboard/account/account-wire.ts'

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

const apps: App[] = [
  {
    id: 'g1',
    name: 'Deck connector',
    redirectHost: 'connector.example',
    scopes: ['sessions:read', 'sessions:write'],
    createdAt: at(9_000),
    lastUsedAt: at(30),
  },
  { id: 'g2', name: 'Terminal', redirectHost: '127.0.0.1', scopes: ['sessions:read'], createdAt: at(200), lastUsedAt: null },
]

const act = (minutesAgo: number, action: string, change: Partial<AuditEntry> = {}): AuditEntry => ({
  id: `${action}-${minutesAgo}`,
  at: at(minutesAgo),
  action,
  actorKind: 'user',
  actorId: 'u1',
  targetKind: null,
  targetId: null,
  network: '203.0.113.0/24',
  requestId: null,
  data: null,
  ...change,
})

const entries: AuditEntry[] = [
  act(3, 'sign_in.started'),
  act(5, 'key.rotated', { targetId: 'ke000000-0000-4000-8000-000000000002', data: { graceSeconds: 86_400 } }),
  act(40, 'member.role_changed', { targetId: 'u2', data: { role: 'member' } }),
  act(90, 'agent.claimed', { actorKind: 'agent', actorId: 'ag1', targetId: 'ag1' }),
  act(3_000, 'password.link_mailed', { actorKind: 'nobody', actorId: null, targetId: 'u2', network: '198.51.100.0/24' }),
  act(90_000, 'user.created', { actorKind: 'operator', actorId: null, targetId: 'u1', network: null }),
]

/** Method, path, answer. */
export const accountRoutes: readonly (readonly [string, string, unknown])[] = [
  [
    'GET',
    '/api/v1/account',
    {
      user: { id: 'u1', email: 'maya@acme.example', name: 'Maya Okafor' },
      account: { id: 'a1', name: 'Acme Grid', role: 'owner' },
      role: 'owner',
      accounts: [
        { id: 'a1', name: 'Acme Grid', role: 'owner' },
        { id: 'a2', name: 'Berg Consulting', role: 'member' },
      ],
      sendsMail: true,
      peopleViews: [],
      csrf: 'token',
    },
  ],
  ['GET', '/api/v1/account/agents', { agents }],
  ['DELETE', '/api/v1/account/agents/{id}', {}],
  ['POST', '/api/v1/account/agents/{id}/undo', { sessionsReturned: 0 }],
  ['GET', '/api/v1/account/sign-ins', { signIns }],
  ['DELETE', '/api/v1/account/sign-ins/{id}', {}],
  ['DELETE', '/api/v1/account/sign-ins', { ended: 1 }],
  ['GET', '/api/v1/account/apps', { apps }],
  ['DELETE', '/api/v1/account/apps/{id}', {}],
  ['GET', '/api/v1/account/audit', { entries, nextCursor: 'older' }],
  ['POST', '/api/v1/account/email', { mail: 'sent' }],
  ['GET', '/api/v1/account/members', { members }],
  ['PATCH', '/api/v1/account/members/{id}', {}],
  ['DELETE', '/api/v1/account/members/{id}', {}],
  ['GET', '/api/v1/account/invitations', { invitations }],
  [
    'POST',
    '/api/v1/account/invitations',
    { ...invitations[0], url: 'https://talks.acme.example/invite/7fJq2mKd9Lw3Xs5Rb8Zt1c', mail: null },
  ],
  ['DELETE', '/api/v1/account/invitations/{id}', {}],
  ['POST', '/api/v1/account/password', { changed: true, csrf: 'token' }],
]
