// From the facts of a request to its principal (spec 5): the bearer credential where an `Authorization` header was sent, else
// the sign-in cookie, else nobody. Shape and checksum come before any look at the store.
import { ServiceError } from '../kernel/errors.ts'
import type { AttendeePrincipal, CredentialPrincipal, Principal } from '../kernel/principal.ts'
import { isScope } from '../kernel/principal.ts'
import type { Store } from '../storage/store.ts'
import type { Activity } from './activity.ts'
import { readAuthorization } from './authorization.ts'
import { badCredential, invalidTokenChallenge } from './challenge.ts'
import { cookieJar, readCookie } from './cookies.ts'
import type { Csrf } from './csrf.ts'
import { csrfFailed, isSameOrigin } from './csrf.ts'
import type { CredentialLookup, FoundCredential } from './lookup.ts'
import { findSignIn } from './sign-ins.ts'
import type { TokenKind } from './token.ts'
import { hashSecret, tokenKind } from './token.ts'

/** What a caller presented, before anything of the request is parsed. */
export interface Presented {
  method: string
  /** Every `Authorization` header as it came: Node keeps only the first in `headers`. */
  authorization: readonly string[]
  /** `?token=`, only where the operation takes the attendee's token there. */
  queryToken?: string
  /** A header by its lower-case name. */
  header(name: string): string | undefined
  address: string
  now: number
  /** Without the query. Where absent, no path is special. */
  path?: string
  /** The operation is open to anybody: a cookie without proof of its page counts as nobody instead of failing. */
  isOpen?: boolean
}

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

export interface Authenticator {
  /** Throws `invalid_request` (400), `invalid_token` (401, with its challenge) or `csrf_failed` (403). */
  authenticate(presented: Presented): Promise<Principal>
  /** The principal of a bare token (MCP over stdio): undefined where it is not alive. */
  authenticateToken(token: string, now: number): Promise<Principal | undefined>
}

const nobody: Principal = { kind: 'nobody' }
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
/** A credential sent along is ignored: a new agent has none, and a dead token may still be revoked. */
const credentialIgnored: ReadonlySet<string> = new Set(['/api/v1/auth/register', '/api/v1/auth/revoke'])
/** Agents come here with bearer credentials alone; a browser's cookie must not make a page a tool caller. */
const cookieIgnored: ReadonlySet<string> = new Set(['/mcp', '/mcp/', '/api/v1/mcp', '/api/v1/mcp/'])

export function createAuthenticator({ store, baseUrl, csrf, activity, findAttendee, findCredential }: AuthenticatorDeps): Authenticator {
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
    async authenticate(presented) {
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
    async authenticateToken(token, now) {
      const kind = tokenKind(token)
      return kind === undefined ? undefined : byToken(token, kind, now)
    },
  }
}

function badToken(baseUrl: string): ServiceError {
  return new ServiceError('invalid_token', badCredential, { headers: { 'WWW-Authenticate': invalidTokenChallenge(baseUrl) } })
}

const principalKinds = { live: 'api_key', agt: 'agent', oat: 'oauth' } as const

function credentialPrincipal(row: FoundCredential): CredentialPrincipal {
  return {
    kind: principalKinds[row.kind],
    accountId: row.account_id,
    credentialId: row.id,
    scopes: row.scopes.split(' ').filter(isScope),
    label: row.name,
    ...(row.user_id === null ? {} : { userId: row.user_id }),
    ...(row.registration_id === null ? {} : { registrationId: row.registration_id }),
    ...(row.account_kind === 'agent' && { isUnclaimed: true as const }),
  }
}
