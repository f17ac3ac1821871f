// What an agent of the current auth.md generation holds beside its assertions: the claim token, which stands for the registration until
// it is claimed, and the refresh token, spent once and replaced.
import { z } from 'zod'
import { hashSecret, revokeCredentials, tokenKind } from '../../accounts/credentials.ts'
import type { AuthDeps } from '../deps.ts'
import { iso } from '@rostrum/base/clock'
import type { Tx } from '../../platform/db/store.ts'
import type { CredentialRow, RegistrationRow } from '../../accounts/tables.ts'
import { signedMaxMs } from '../signing-keys.ts'
import { issueToAgent, lockRegistration, revokeRegistration } from '../registration.ts'

// Identity assertions that this service signs for its agents (RFC 7523): an hour long, exchanged for access tokens as often as needed,
// and dead with their registration. A claim raises the generation, so what was handed out before it gives nothing afterwards.

/** A type of its own, so that nothing else we sign passes for it (RFC 8725 section 3.11). */
const type = 'agent-identity+jwt'
const algorithm = 'ES256'

type AssertionDeps = Pick<AuthDeps, 'settings' | 'signingKeys' | 'ids'>

/** `expires` on the wire. */
interface SignedIdentity {
  assertion: string
  expires: string
}

export async function signIdentity(
  { settings, signingKeys, ids }: AssertionDeps,
  row: RegistrationRow,
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
  return { assertion, expires: iso(expiresAt) }
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

export type IdentityDeps = Pick<AuthDeps, 'store' | 'ids' | 'settings' | 'signingKeys' | 'assertions' | 'limiter'>

/** On the wire. */
export interface Identity {
  assertion: string
  expires_at: string
  refresh_token: { value: string; expires_at: string }
}

/** A second use so soon is a repeat whose answer was lost or raced; later, somebody has copied the token. */
const repeatMs = 10_000

/** A fresh assertion with its refresh token. */
export async function issueIdentity(deps: IdentityDeps, row: RegistrationRow, now: number): Promise<Identity> {
  const signed = await signIdentity(deps, row, now)
  return identityOf(signed, row, await deps.store.write((tx) => issueHeld(tx, deps.ids, 'ort', row, now)))
}

function identityOf({ assertion, expires }: SignedIdentity, { expires_at }: RegistrationRow, value: string): Identity {
  return { assertion, expires_at: expires, refresh_token: { value, expires_at: iso(expires_at) } }
}

/** The claim token or the refresh token of a registration. Neither authenticates a call; scopes are those of the registration. */
export function issueHeld(
  tx: Tx,
  ids: AuthDeps['ids'],
  kind: HeldToken['credential']['kind'],
  row: RegistrationRow,
  now: number,
): Promise<string> {
  return issueToAgent(tx, ids, row, { kind, scopes: [], expiresAt: row.expires_at, now })
}

export interface HeldToken {
  credential: CredentialRow
  registration: RegistrationRow
}

/** The registration behind a token of this kind, alive or not; undefined for any other text. */
export async function findToken({ store }: IdentityDeps, kind: 'clm' | 'ort', token: string): Promise<HeldToken | undefined> {
  if (tokenKind(token) !== kind) return undefined
  const { read } = store
  const credential = await read.selectFrom('credentials').selectAll().where('hash', '=', hashSecret(token)).executeTakeFirst()
  if (credential === undefined || credential.registration_id === null) return undefined
  const registration = await read.selectFrom('registrations').selectAll().where('id', '=', credential.registration_id).executeTakeFirst()
  return registration && { credential, registration }
}

export function isAlive({ state, expires_at }: RegistrationRow, now: number): boolean {
  return (state === 'registered' || state === 'claimed') && expires_at > now
}

/**
 * A fresh identity for a refresh token, to exactly one of many at once; undefined where the token is spent, or its registration has ended
 * or was claimed since it was read. A later second use ends the registration: one of two holders is a thief.
 */
export async function refreshIdentity(
  deps: IdentityDeps,
  { credential, registration }: HeldToken,
  now: number,
): Promise<Identity | undefined> {
  const { id, generation } = registration
  // All that may fail comes before or with the end of the token: an agent without an answer repeats, and would pass for a thief.
  const signed = await signIdentity(deps, registration, now)
  const value = await deps.store.write(async (tx) => {
    const row = await lockRegistration(tx, id)
    if (row === undefined || !isAlive(row, now) || row.generation !== generation) return undefined
    const spent = await revokeCredentials(tx, { id: credential.id }, { reason: refreshed, now })
    if (spent > 0) return issueHeld(tx, deps.ids, 'ort', registration, now)
    await judgeRepeat(tx, credential.id, id, now)
    return undefined
  })
  return value === undefined ? undefined : identityOf(signed, registration, value)
}

const refreshed = 'refreshed'

async function judgeRepeat(tx: Tx, credentialId: string, registrationId: string, now: number): Promise<void> {
  const before = await tx
    .selectFrom('credentials')
    .select(['revoked_at', 'revoke_reason'])
    .where('id', '=', credentialId)
    .executeTakeFirst()
  const isCopied = before?.revoke_reason === refreshed && now - (before.revoked_at ?? now) > repeatMs
  if (isCopied) await revokeRegistration(tx, registrationId, { reason: 'refresh token used twice', now })
}
