// Identity assertions of agents (ID-JAG, `urn:ietf:params:oauth:token-type:id-jag`; spec 5.2): every check in the order of the
// cheapest first, nothing fetched for an issuer that is not trusted. The one-time use of the id is checked by the caller, last.
import { z } from 'zod'
import { resourcesOf } from '../../accounts/authenticate.ts'
import type { AuthSettings, TrustedIssuer } from '../../accounts/deps.ts'
import { type EventVerdict, readSecurityEvent } from './security-event.ts'
import { claimText, type IssuerKeys, readSigned, type Refused, refused, skewSeconds } from './signed.ts'

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

export type AssertionVerdict = { ok: true; assertion: Assertion } | Refused

export interface Assertions {
  verify(text: string, now: number): Promise<AssertionVerdict>
  /** A security event token. Its one-time use is checked by the caller too. */
  verifyEvent(text: string, now: number): Promise<EventVerdict>
}

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
): Assertions {
  const audiences = [...resourcesOf(baseUrl), `${baseUrl}/`]
  const path = { trusted: trustedIssuers ?? [], keys }
  return {
    async verify(assertion, now) {
      const signed = await readSigned(assertion, 'oauth-id-jag+jwt', path, now)
      return signed.ok ? checkClaims(signed.payload, signed.issuer, audiences, now) : signed
    },
    async verifyEvent(token, now) {
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
  if (email === undefined || isVerified !== true) return refused('email_not_verified', 'The issuer must have verified the e-mail address.')
  if (cnf !== undefined) return refused('invalid_assertion', 'Assertions bound to a key (`cnf`) are not supported.')
  if ([resource ?? []].flat().some((each) => !audiences.includes(each)))
    return refused('invalid_assertion', 'resource names another service.')
  if (typeof authTime !== 'number' || authTime < now - signInMaxSeconds) {
    return refused('login_required', 'The person must have signed in at the issuer within the last hour.')
  }
  return { ok: true, assertion: { issuer: iss, subject: sub, jti, email, scope, expiresAt: Math.ceil(exp * 1_000) } }
}
