// Who is calling, after authentication (spec 5), and the scopes that guard operations.

export const scopes = ['sessions:read', 'sessions:write', 'analytics:read', 'leads:read', 'checkout:write'] as const
export type Scope = (typeof scopes)[number]

/** What an unclaimed anonymous agent holds; claiming adds the rest (spec 5.4). */
export const anonymousScopes: readonly Scope[] = ['sessions:read', 'sessions:write', 'analytics:read']

export const scopeWords: Readonly<Record<Scope, string>> = {
  'sessions:read': 'read your sessions, questions and transcripts',
  'sessions:write': 'create, change, publish and delete sessions, and control a running talk',
  'analytics:read': 'read the analytics of your sessions',
  'leads:read': 'read the names and email addresses of your leads',
  'checkout:write': 'set a call to action that starts a checkout',
}

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text)
}

/** Of a row: space-separated. */
export const scopesOf = (row: { scopes: string }): Scope[] => row.scopes.split(' ').filter(isScope)

export type Role = 'owner' | 'admin' | 'member'

/** A call without a credential; rate limits count by address. */
export interface Nobody {
  kind: 'nobody'
}

/** An API key, an agent token or an OAuth access token. */
export interface CredentialPrincipal {
  kind: 'api_key' | 'agent' | 'oauth'
  accountId: string
  credentialId: string
  scopes: readonly Scope[]
  label: string
  userId?: string
  registrationId?: string
  /** An agent that no person has claimed: nobody vouches for it. */
  isUnclaimed?: true
}

/** A signed-in person, by cookie. */
export interface UserPrincipal {
  kind: 'user'
  accountId: string
  userId: string
  signInId: string
  role: Role
  scopes: readonly Scope[]
  label: string
}

/** A person, or their personal agent, in one run. */
export interface AttendeePrincipal {
  kind: 'attendee'
  attendeeId: string
  runId: string
  sessionId: string
}

export type Principal = Nobody | CredentialPrincipal | UserPrincipal | AttendeePrincipal
/** A principal that acts for an account. */
export type AccountPrincipal = CredentialPrincipal | UserPrincipal

export function actsForAccount(principal: Principal): principal is AccountPrincipal {
  return principal.kind !== 'nobody' && principal.kind !== 'attendee'
}
