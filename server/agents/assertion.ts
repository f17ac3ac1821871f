// What outside issuers sign: identity assertions of agents (ID-JAG, spec 5.2), and security event tokens by which an issuer says that
// an approval has ended. One trust path for both, every check in the order of the cheapest first, nothing fetched for an issuer that is
// not trusted. The one-time use of the id is checked by the caller, last.
import type { JSONWebKeySet } from 'jose'
import { z } from 'zod'
import { resourcesOf } from '../accounts/authenticate.ts'
import type { AuthSettings, TrustedIssuer } from '../accounts/deps.ts'
import type { ErrorCode } from '@rostrum/base/errors'
import type { Outbound } from '../platform/egress/outbound.ts'

export type Refusal = Extract<
  ErrorCode,
  | 'invalid_assertion'
  | 'issuer_not_enabled'
  | 'invalid_signature'
  | 'audience_mismatch'
  | 'credential_expired'
  | 'client_not_allowed'
  | 'email_not_verified'
  | 'login_required'
  | 'temporarily_unavailable'
>

interface Refused {
  ok: false
  code: Refusal
  words: string
}

type Signed = { ok: true; payload: unknown; issuer: TrustedIssuer } | Refused

interface TrustPath {
  trusted: readonly TrustedIssuer[]
  keys: IssuerKeys | undefined
}

const algorithms = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA']
const sizeMax = 8 * 1_024
const skewSeconds = 60

const claimText = z.string().min(1).max(1_024)

function refused(code: Refusal, words: string): Refused {
  return { ok: false, code, words }
}

/** The payload of `token`, whose header must say `type`; its claims are still to be checked. */
async function readSigned(token: string, type: string, { trusted, keys }: TrustPath, now: number): Promise<Signed> {
  const read = await readUnverified(token, type)
  if (read === undefined) return refused('invalid_assertion', `Send a signed ${type} of at most 8 KiB.`)
  const issuer = trusted.find((candidate) => candidate.issuer === read.iss)
  if (issuer === undefined || keys === undefined) return refused('issuer_not_enabled', 'The issuer is not trusted here.')
  const set = await keys.get(issuer, read.kid, now)
  if (set === undefined) return refused('temporarily_unavailable', 'The keys of the issuer cannot be read right now.')
  const { compactVerify, createLocalJWKSet } = await import('jose')
  try {
    // `jku`, `x5u` and `jwk` of the header are never read: keys come from the pinned address alone.
    const { payload } = await compactVerify(token, createLocalJWKSet(set), { algorithms })
    return { ok: true, payload: JSON.parse(new TextDecoder().decode(payload)), issuer }
  } catch {
    return refused('invalid_signature', 'The signature is not of a key of the issuer.')
  }
}

/** Size, shape, type, algorithm and the issuer it names; nothing here is believed yet. */
async function readUnverified(token: string, type: string): Promise<{ iss: string; kid: string | undefined } | undefined> {
  const [, payload, , more] = token.split('.')
  if (Buffer.byteLength(token) > sizeMax || payload === undefined || more !== undefined) return undefined
  // The library is loaded with the first assertion: most deployments never see one.
  const { decodeProtectedHeader } = await import('jose')
  try {
    const header = decodeProtectedHeader(token)
    // An extension that must be understood is one we do not understand.
    if (header.typ !== type || header.alg === undefined || !algorithms.includes(header.alg) || 'crit' in header) return undefined
    const { iss } = z.object({ iss: claimText }).parse(JSON.parse(Buffer.from(payload, 'base64url').toString()))
    return { iss, kid: header.kid }
  } catch {
    return undefined
  }
}

// The keys of trusted issuers, from their pinned addresses through the outbound guard: kept ten minutes, used for a day while the
// issuer cannot be reached, and asked for again at most once a minute when a key id is new.

type IssuerKeys = ReturnType<typeof createIssuerKeys>

const freshMs = 10 * 60_000
const staleMs = 24 * 60 * 60_000
const againMs = 60_000
const bytesMax = 64 * 1_024
const timeoutMs = 5_000

/** Public members alone: private and symmetric keys have no place in a published set. */
const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.enum(['EC', 'RSA', 'OKP']) })).max(100) })

interface Kept {
  keys: JSONWebKeySet
  at: number
}

export function createIssuerKeys(outbound: Pick<Outbound, 'request'>) {
  const kept = new Map<string, Kept>()
  const askedAt = new Map<string, number>()
  const asking = new Map<string, Promise<void>>()

  async function ask(url: string, now: number): Promise<void> {
    askedAt.set(url, now)
    const answer = await outbound.request({ url, headers: { accept: 'application/json' }, maxBytes: bytesMax, timeoutMs, redirects: 0 })
    if (!answer.ok || answer.status !== 200) return
    const parsed = parseKeys(answer.body)
    if (parsed !== undefined) kept.set(url, { keys: parsed, at: now })
  }

  return {
    /** The key set, with the key `kid` in it if the issuer has one; undefined while it cannot be had. */
    async get({ jwks_uri: url }: TrustedIssuer, kid: string | undefined, now: number): Promise<JSONWebKeySet | undefined> {
      const have = kept.get(url)
      const isNew = have !== undefined && kid !== undefined && !have.keys.keys.some((key) => key.kid === kid)
      const isOld = have === undefined || now - have.at > freshMs
      const mayAsk = now - (askedAt.get(url) ?? 0) >= againMs
      if ((isNew || isOld) && mayAsk) {
        const running = asking.get(url) ?? ask(url, now).finally(() => asking.delete(url))
        asking.set(url, running)
      }
      await asking.get(url)
      const found = kept.get(url)
      return found !== undefined && now - found.at <= staleMs ? found.keys : undefined
    },
  }
}

function parseKeys(body: Uint8Array): JSONWebKeySet | undefined {
  try {
    const parsed = keySet.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

// Identity assertions (`urn:ietf:params:oauth:token-type:id-jag`).

export interface Assertion {
  issuer: string
  subject: string
  jti: string
  email: string
  /** Narrows, where the issuer says so. */
  scope: string | undefined
  /** Epoch ms. */
  expiresAt: number
}

type AssertionVerdict = { ok: true; assertion: Assertion } | Refused

export type Assertions = ReturnType<typeof createAssertions>

const lifeMaxSeconds = 600
export const signInMaxSeconds = 3_600

const wireClaims = z.object({
  iss: claimText,
  sub: claimText,
  jti: claimText,
  client_id: claimText,
  aud: z.union([z.string(), z.array(z.string()).length(1)]),
  exp: z.number(),
  iat: z.number(),
})
const furtherClaims = z.object({
  email: z.string().optional(),
  email_verified: z.unknown().optional(),
  resource: z.union([z.string(), z.array(z.string())]).optional(),
  scope: z.string().optional(),
  cnf: z.unknown().optional(),
  auth_time: z.unknown().optional(),
})

export function createAssertions(
  { baseUrl, trustedIssuers }: Pick<AuthSettings, 'baseUrl' | 'trustedIssuers'>,
  keys: IssuerKeys | undefined,
) {
  const audiences = [...resourcesOf(baseUrl), `${baseUrl}/`]
  const path = { trusted: trustedIssuers ?? [], keys }
  return {
    async verify(assertion: string, now: number): Promise<AssertionVerdict> {
      const signed = await readSigned(assertion, 'oauth-id-jag+jwt', path, now)
      return signed.ok ? checkClaims(signed.payload, signed.issuer, audiences, now) : signed
    },
    /** A security event token. Its one-time use is checked by the caller too. */
    async verifyEvent(token: string, now: number): Promise<EventVerdict> {
      const signed = await readSigned(token, 'secevent+jwt', path, now)
      return signed.ok ? readSecurityEvent(signed.payload, signed.issuer.issuer, audiences, now) : signed
    },
  }
}

function checkClaims(payload: unknown, issuer: TrustedIssuer, audiences: readonly string[], nowMs: number): AssertionVerdict {
  const now = nowMs / 1_000
  const wire = wireClaims.safeParse(payload)
  const further = furtherClaims.safeParse(payload)
  if (!wire.success || !further.success) return refused('invalid_assertion', 'iss, sub, jti, client_id, aud, exp and iat are needed.')
  const { iss, sub, jti, client_id: client, exp, iat } = wire.data
  const [audience] = [wire.data.aud].flat()
  if (iss !== issuer.issuer) return refused('invalid_assertion', 'The issuer is not the one that signed.')
  if (audience === undefined || !audiences.includes(audience))
    return refused('audience_mismatch', `aud: ask for an assertion for ${audiences[0]}.`)
  if (exp <= now || exp - iat > lifeMaxSeconds || iat > now + skewSeconds) {
    return refused('credential_expired', 'The assertion has expired, lives longer than ten minutes, or is of the future.')
  }
  if (issuer.client_ids !== undefined && !issuer.client_ids.includes(client)) {
    return refused('client_not_allowed', 'This client of the issuer is not allowed here.')
  }
  const { email, email_verified: isVerified, resource, scope, cnf, auth_time: authTime } = further.data
  if (email === undefined || isVerified !== true) return refused('email_not_verified', 'The issuer must have verified the email address.')
  if (cnf !== undefined) return refused('invalid_assertion', 'Assertions bound to a key (`cnf`) are not supported.')
  if ([resource ?? []].flat().some((each) => !audiences.includes(each)))
    return refused('invalid_assertion', 'resource names another service.')
  if (typeof authTime !== 'number' || authTime < now - signInMaxSeconds) {
    return refused('login_required', 'The person must have signed in at the issuer within the last hour.')
  }
  return { ok: true, assertion: { issuer: iss, subject: sub, jti, email, scope, expiresAt: Math.ceil(exp * 1_000) } }
}

// Security event tokens (RFC 8417). Events we do not know are ignored (section 2.2).

/** The provider no longer vouches for agents of this subject. */
export const identityRevoked = 'https://schemas.workos.com/events/agent/auth/identity/assertion/revoked'

/** A transmitter repeats what was not acknowledged; older than this it is no news. */
const ageMaxSeconds = 24 * 3_600

export interface SecurityEvent extends Pick<Assertion, 'issuer' | 'subject' | 'jti' | 'expiresAt'> {
  /** Whether it ends the approval of its subject. */
  revokes: boolean
}

type EventVerdict = { ok: true; event: SecurityEvent } | Refused

const subjectId = z.union([
  z.object({ format: z.literal('iss_sub'), iss: claimText, sub: claimText }),
  z.object({ format: z.literal('opaque'), id: claimText }),
])
const eventClaims = z.object({
  iss: claimText,
  jti: claimText,
  iat: z.number(),
  aud: z.union([z.string(), z.array(z.string()).min(1)]),
  sub: claimText.optional(),
  sub_id: subjectId.optional(),
  events: z.record(z.string(), z.unknown()).refine((events) => Object.keys(events).length > 0),
})

/** Judges what the issuer `issuer` has signed. */
function readSecurityEvent(payload: unknown, issuer: string, audiences: readonly string[], nowMs: number): EventVerdict {
  const parsed = eventClaims.safeParse(payload)
  if (!parsed.success) return refused('invalid_assertion', 'iss, jti, iat, aud, events and sub or sub_id are needed.')
  const { iss, jti, iat, aud, sub, sub_id: subId, events } = parsed.data
  const now = nowMs / 1_000
  if (iss !== issuer) return refused('invalid_assertion', 'The issuer is not the one that signed.')
  if (![aud].flat().some((each) => audiences.includes(each))) return refused('audience_mismatch', `aud: send events for ${audiences[0]}.`)
  if (iat > now + skewSeconds || iat < now - ageMaxSeconds)
    return refused('credential_expired', 'The event is older than a day, or of the future.')
  const subject = sub ?? subjectOf(subId, issuer)
  if (subject === undefined) return refused('invalid_assertion', 'sub or sub_id must name a subject of this issuer.')
  const expiresAt = (iat + ageMaxSeconds + 1) * 1_000
  return { ok: true, event: { issuer, subject, jti, revokes: identityRevoked in events, expiresAt: Math.ceil(expiresAt) } }
}

/** RFC 9493. */
function subjectOf(id: z.output<typeof subjectId> | undefined, issuer: string): string | undefined {
  if (id === undefined) return undefined
  if (id.format === 'opaque') return id.id
  return id.iss === issuer ? id.sub : undefined
}
