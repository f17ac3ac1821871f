// From the facts of a request to its principal (spec 5): the bearer credential where an `Authorization` header was sent, else
// the sign-in cookie, else nobody. Shape and checksum come before any look at the store.
import { ServiceError } from '@rostrum/base/errors'
import { type AttendeePrincipal, type CredentialPrincipal, type Principal, scopesOf } from '../platform/principal.ts'
import type { Store } from '../platform/db/store.ts'
import type { Presented as WholePresented } from '../platform/http/ports.ts'
import { type Activity, type CredentialLookup, type FoundCredential, hashSecret, type TokenKind, tokenKind } from './credentials.ts'
import { cookieJar, type Csrf, csrfFailed, isSameOrigin, readCookie } from './cookies.ts'
import { findSignIn } from './sign-ins.ts'

// Reads the `Authorization` header (RFC 9110 section 11.6.2, RFC 6750 section 2.1) from all the values that were sent: Node
// drops a second one silently, so the caller passes the distinct values.

export type Authorization =
  /** Nothing, or a scheme that is not ours: the bare challenge. */
  | { type: 'none' }
  /** More than one header: which of them counts would be a guess. */
  | { type: 'several' }
  /** `Bearer` with something that cannot be one of our tokens. */
  | { type: 'malformed' }
  | { type: 'bearer'; token: string; kind: TokenKind }

const usualScheme = 'Bearer '

/** Total: every list of values has a verdict. */
export function readAuthorization(values: readonly string[] | undefined): Authorization {
  const [value, second] = values ?? []
  if (value === undefined) return { type: 'none' }
  if (second !== undefined) return { type: 'several' }
  // As nearly everybody writes it: the pattern costs more than the rest of the reading.
  const usual = value.startsWith(usualScheme) ? tokenKind(value.slice(usualScheme.length)) : undefined
  if (usual !== undefined) return { type: 'bearer', token: value.slice(usualScheme.length), kind: usual }
  const credentials = withoutBlanks(value)
  const end = credentials.search(/[ \t]/)
  const scheme = end < 0 ? credentials : credentials.slice(0, end)
  const token = end < 0 ? '' : withoutBlanks(credentials.slice(end))
  if (scheme.toLowerCase() !== 'bearer') return { type: 'none' }
  const kind = tokenKind(token)
  return kind === undefined ? { type: 'malformed' } : { type: 'bearer', token, kind }
}

/** Without the spaces and tabs at both ends; a pattern that looks for those at the end would start anew at each of them. */
function withoutBlanks(value: string): string {
  const isBlank = (at: number) => value[at] === ' ' || value[at] === '\t'
  let start = 0
  let end = value.length
  while (start < end && isBlank(start)) start++
  while (end > start && isBlank(end - 1)) end--
  return value.slice(start, end)
}

// The `WWW-Authenticate` values of spec 5.3 and RFC 6750 section 3, byte for byte. A 401 without a credential carries the
// bare form, so that a client knows it has sent nothing wrong.

/** What a client may know us by (RFC 8707): the service, whose document every challenge names, and the MCP server at either address. */
export function resourcesOf(baseUrl: string): [service: string, mcp: string, mcpOfApi: string] {
  return [baseUrl, `${baseUrl}/mcp`, `${baseUrl}/api/v1/mcp`]
}

/** Whether `resource` names us; a client that writes addresses as URLs puts a slash behind the origin. */
export function isOwnResource(baseUrl: string, resource: string): boolean {
  return resource === `${baseUrl}/` || resourcesOf(baseUrl).includes(resource)
}

export function resourceMetadataUrl(baseUrl: string): string {
  return `${baseUrl}/.well-known/oauth-protected-resource`
}

/** No credential was sent. */
export function bareChallenge(baseUrl: string): string {
  return `Bearer resource_metadata="${resourceMetadataUrl(baseUrl)}"`
}

/** A credential was sent and is not alive. The words do not say why, and hold no quote or backslash. */
export function invalidTokenChallenge(baseUrl: string): string {
  return `${bareChallenge(baseUrl)}, error="invalid_token", error_description="${badCredential}"`
}

/** The credential is alive and lacks a scope; `scopes` are all that the operation needs. */
export function scopeChallenge(baseUrl: string, scopes: readonly string[]): string {
  return `Bearer error="insufficient_scope", scope="${scopes.join(' ')}", resource_metadata="${resourceMetadataUrl(baseUrl)}"`
}

const badCredential = 'The credential is malformed, expired or revoked: use another, or get a new one.'

/** The challenge that belongs on the response to `error`, if any. What the authenticator has put on the error itself wins. */
export function challengeFor(error: ServiceError, baseUrl: string): string | undefined {
  const own = error.extra.headers?.['WWW-Authenticate']
  if (own !== undefined) return own
  if (error.code === 'invalid_token') return bareChallenge(baseUrl)
  const needed = error.extra.members?.['scopes_required']
  return error.code === 'insufficient_scope' && Array.isArray(needed) ? scopeChallenge(baseUrl, needed.map(String)) : undefined
}

/** Where `path` is absent, none is special. */
export type Presented = Omit<WholePresented, 'path' | 'isOpen'> & Partial<WholePresented>

/** Finds the attendee of a token's SHA-256 (hex); `room/` keeps those rows. */
export type FindAttendee = (tokenHash: string, now: number) => Promise<AttendeePrincipal | undefined>

export interface AuthenticatorDeps {
  store: Store
  baseUrl: string
  csrf: Csrf
  activity: Activity
  findAttendee: FindAttendee
  findCredential: CredentialLookup
}

const nobody: Principal = { kind: 'nobody' }
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
/** A credential sent along is ignored: a new agent has none, and a dead token may still be revoked. */
const credentialIgnored: ReadonlySet<string> = new Set(['/api/v1/auth/register', '/api/v1/auth/revoke'])
/** Agents come here with bearer credentials alone; a browser's cookie must not make a page a tool caller. */
const cookieIgnored: ReadonlySet<string> = new Set(['/mcp', '/mcp/', '/api/v1/mcp', '/api/v1/mcp/'])

export function createAuthenticator({ store, baseUrl, csrf, activity, findAttendee, findCredential }: AuthenticatorDeps) {
  const jar = cookieJar(baseUrl)
  /** A remembered credential is the same principal at every call. */
  const principals = new WeakMap<FoundCredential, CredentialPrincipal>()

  function principalOf(row: FoundCredential): CredentialPrincipal {
    let principal = principals.get(row)
    if (principal === undefined) principals.set(row, (principal = credentialPrincipal(row)))
    return principal
  }

  async function byToken(token: string, kind: TokenKind, now: number): Promise<Principal | undefined> {
    if (kind === 'att') return findAttendee(hashSecret(token), now)
    if (kind === 'ort' || kind === 'clm') return undefined
    const row = await findCredential(hashSecret(token), now)
    if (row === undefined) return undefined
    activity.used('credential', row.id, row.last_used_at, now)
    return principalOf(row)
  }

  async function bearer(token: string, kind: TokenKind, now: number): Promise<Principal> {
    const principal = await byToken(token, kind, now)
    if (principal === undefined) throw badToken(baseUrl)
    return principal
  }

  async function byCookie(presented: Presented): Promise<Principal> {
    const cookie = readCookie(presented.header('cookie'), jar.signIn)
    if (cookie === undefined || (presented.path !== undefined && cookieIgnored.has(presented.path))) return nobody
    const found = await findSignIn(store.read, cookie, presented.now)
    if (found === undefined) return nobody
    if (!safeMethods.has(presented.method) && !isFromOurPage(presented, found.principal.signInId)) {
      if (presented.isOpen === true) return nobody
      throw csrfFailed()
    }
    activity.used('sign_in', found.principal.signInId, found.seenAt, presented.now)
    return found.principal
  }

  function isFromOurPage({ header }: Presented, signInId: string): boolean {
    return isSameOrigin(baseUrl, header('origin'), header('sec-fetch-site')) && csrf.checkSignIn(signInId, header('x-csrf-token'))
  }

  return {
    /** Throws `invalid_request` (400), `invalid_token` (401, with its challenge) or `csrf_failed` (403). */
    async authenticate(presented: Presented): Promise<Principal> {
      if (presented.path !== undefined && credentialIgnored.has(presented.path)) return nobody
      const sent = readAuthorization(presented.authorization)
      switch (sent.type) {
        case 'several':
          throw new ServiceError('invalid_request', 'Send one `Authorization` header.')
        case 'malformed':
          throw badToken(baseUrl)
        case 'bearer':
          return bearer(sent.token, sent.kind, presented.now)
        case 'none':
          if (presented.queryToken === undefined) return byCookie(presented)
          if (tokenKind(presented.queryToken) !== 'att') throw badToken(baseUrl)
          return bearer(presented.queryToken, 'att', presented.now)
      }
    },
    /** The principal of a bare token (MCP over stdio): undefined where it is not alive. */
    async authenticateToken(token: string, now: number): Promise<Principal | undefined> {
      const kind = tokenKind(token)
      return kind === undefined ? undefined : byToken(token, kind, now)
    },
  }
}

function badToken(baseUrl: string): ServiceError {
  return new ServiceError('invalid_token', `${badCredential} {base_url}/auth.md shows how.`, {
    headers: { 'WWW-Authenticate': invalidTokenChallenge(baseUrl) },
  })
}

const principalKinds = { live: 'api_key', agt: 'agent', oat: 'oauth' } as const

function credentialPrincipal(row: FoundCredential): CredentialPrincipal {
  return {
    kind: principalKinds[row.kind],
    accountId: row.account_id,
    credentialId: row.id,
    scopes: scopesOf(row),
    label: row.name,
    ...(row.user_id === null ? {} : { userId: row.user_id }),
    ...(row.registration_id === null ? {} : { registrationId: row.registration_id }),
    ...(row.account_kind === 'agent' && { isUnclaimed: true as const }),
  }
}
