// Identity assertions of agents (ID-JAG, `urn:ietf:params:oauth:token-type:id-jag`; spec 5.2): every check in the order of the
// cheapest first, nothing fetched for an issuer that is not trusted. The one-time use of the id is checked by the caller, last.
import { z } from 'zod'
import type { ErrorCode } from '../../kernel/errors.ts'
import type { AuthSettings, TrustedIssuer } from '../settings.ts'
import type { IssuerKeys } from './issuer-keys.ts'

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

type Refusal = Extract<
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

export type AssertionVerdict = { ok: true; assertion: Assertion } | { ok: false; code: Refusal; words: string }

export interface Assertions {
  verify(text: string, now: number): Promise<AssertionVerdict>
}

const algorithms = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA']
const sizeMax = 8 * 1_024
const lifeMaxSeconds = 600
const skewSeconds = 60
export const signInMaxSeconds = 3_600

const text = z.string().min(1).max(1_024)
const wireClaims = z.object({
  iss: text,
  sub: text,
  jti: text,
  client_id: text,
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
): Assertions {
  const audiences = [baseUrl, `${baseUrl}/`, `${baseUrl}/mcp`]
  return {
    async verify(assertion, now) {
      const read = await readUnverified(assertion)
      if (read === undefined) return refused('invalid_assertion', 'Send a signed ID-JAG of at most 8 KiB.')
      const trusted = trustedIssuers?.find(({ issuer }) => issuer === read.iss)
      if (trusted === undefined || keys === undefined)
        return refused('issuer_not_enabled', 'The issuer of the assertion is not trusted here.')
      const signed = await checkSignature(assertion, trusted, read.kid, keys, now)
      if (!signed.ok) return signed
      return checkClaims(signed.payload, trusted, audiences, now)
    },
  }
}

function refused(code: Refusal, words: string): { ok: false; code: Refusal; words: string } {
  return { ok: false, code, words }
}

interface Unverified {
  iss: string
  kid: string | undefined
}

/** Size, shape, type, algorithm and the issuer it names; nothing here is believed yet. */
async function readUnverified(assertion: string): Promise<Unverified | undefined> {
  const [, payload, , more] = assertion.split('.')
  if (Buffer.byteLength(assertion) > sizeMax || payload === undefined || more !== undefined) return undefined
  // The library is loaded with the first assertion: most deployments never see one.
  const { decodeProtectedHeader } = await import('jose')
  try {
    const header = decodeProtectedHeader(assertion)
    const isOurs = header.typ === 'oauth-id-jag+jwt' && header.alg !== undefined && algorithms.includes(header.alg)
    // An extension that must be understood is one we do not understand.
    if (!isOurs || 'crit' in header) return undefined
    const { iss } = z.object({ iss: text }).parse(JSON.parse(Buffer.from(payload, 'base64url').toString()))
    return { iss, kid: header.kid }
  } catch {
    return undefined
  }
}

type Signed = { ok: true; payload: unknown } | { ok: false; code: Refusal; words: string }

async function checkSignature(
  assertion: string,
  issuer: TrustedIssuer,
  kid: string | undefined,
  keys: IssuerKeys,
  now: number,
): Promise<Signed> {
  const set = await keys.get(issuer, kid, now)
  if (set === undefined) return refused('temporarily_unavailable', 'The keys of the issuer cannot be read right now.')
  const { compactVerify, createLocalJWKSet } = await import('jose')
  try {
    // `jku`, `x5u` and `jwk` of the header are never read: keys come from the pinned address alone.
    const { payload } = await compactVerify(assertion, createLocalJWKSet(set), { algorithms })
    return { ok: true, payload: JSON.parse(new TextDecoder().decode(payload)) }
  } catch {
    return refused('invalid_signature', 'The signature is not of a key of the issuer.')
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
  if (email === undefined || isVerified !== true) return refused('email_not_verified', 'The issuer must have verified the e-mail address.')
  if (cnf !== undefined) return refused('invalid_assertion', 'Assertions bound to a key (`cnf`) are not supported.')
  if ([resource ?? []].flat().some((each) => !audiences.includes(each)))
    return refused('invalid_assertion', 'resource names another service.')
  if (typeof authTime !== 'number' || authTime < now - signInMaxSeconds) {
    return refused('login_required', 'The person must have signed in at the issuer within the last hour.')
  }
  return { ok: true, assertion: { issuer: iss, subject: sub, jti, email, scope, expiresAt: Math.ceil(exp * 1_000) } }
}
