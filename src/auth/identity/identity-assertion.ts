// Identity assertions that this service signs for its agents (RFC 7523): an hour long, exchanged for access tokens as often as needed,
// and dead with their registration. A claim raises the generation, so what was handed out before it gives nothing afterwards.
import { z } from 'zod'
import type { RegistrationRow } from '../../storage/tables/auth.ts'
import type { AuthDeps } from '../deps.ts'
import { signedMaxMs } from '../oauth/signing-keys.ts'

/** A type of its own, so that nothing else we sign passes for it (RFC 8725 section 3.11). */
const type = 'agent-identity+jwt'
const algorithm = 'ES256'

type AssertionDeps = Pick<AuthDeps, 'settings' | 'signingKeys' | 'ids'>

export interface SignedIdentity {
  assertion: string
  /** Epoch ms. */
  expiresAt: number
}

export async function signIdentity(
  { settings, signingKeys, ids }: AssertionDeps,
  row: Pick<RegistrationRow, 'id' | 'generation' | 'expires_at'>,
  now: number,
): Promise<SignedIdentity> {
  const { SignJWT } = await import('jose')
  const { kid, key } = await signingKeys.current(now)
  const expiresAt = Math.min(now + signedMaxMs, row.expires_at)
  const assertion = await new SignJWT({ generation: row.generation })
    .setProtectedHeader({ alg: algorithm, typ: type, kid })
    .setIssuer(settings.baseUrl)
    .setAudience(settings.baseUrl)
    .setSubject(row.id)
    .setJti(ids.uuid())
    .setIssuedAt(Math.floor(now / 1_000))
    .setExpirationTime(Math.floor(expiresAt / 1_000))
    .sign(key)
  return { assertion, expiresAt }
}

const claims = z.object({ sub: z.uuid(), generation: z.int() })

/** Whom a live assertion names; undefined for everything else. Never throws. */
export async function readIdentity(
  { settings, signingKeys }: AssertionDeps,
  assertion: string,
  now: number,
): Promise<{ registrationId: string; generation: number } | undefined> {
  const { createLocalJWKSet, jwtVerify } = await import('jose')
  const keys = createLocalJWKSet({ keys: await signingKeys.published(now) })
  const { baseUrl } = settings
  const options = {
    algorithms: [algorithm],
    typ: type,
    issuer: baseUrl,
    audience: baseUrl,
    currentDate: new Date(now),
    requiredClaims: ['exp'],
  }
  try {
    const { payload } = await jwtVerify(assertion, keys, options)
    const { sub, generation } = claims.parse(payload)
    return { registrationId: sub, generation }
  } catch {
    return undefined
  }
}
