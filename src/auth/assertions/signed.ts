// The trust path of everything an outside issuer signs: bounded, of the expected type, with an algorithm we take, from a listed
// issuer, signed by a key from its pinned address. Nothing is fetched for an issuer that is not trusted.
import { z } from 'zod'
import type { ErrorCode } from '../../kernel/errors.ts'
import type { TrustedIssuer } from '../settings.ts'
import type { IssuerKeys } from './issuer-keys.ts'

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

export interface Refused {
  ok: false
  code: Refusal
  words: string
}

export type Signed = { ok: true; payload: unknown; issuer: TrustedIssuer } | Refused

export interface TrustPath {
  trusted: readonly TrustedIssuer[]
  keys: IssuerKeys | undefined
}

const algorithms = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA']
const sizeMax = 8 * 1_024
export const skewSeconds = 60

export const claimText = z.string().min(1).max(1_024)

export function refused(code: Refusal, words: string): Refused {
  return { ok: false, code, words }
}

/** The payload of `token`, whose header must say `type`; its claims are still to be checked. */
export async function readSigned(token: string, type: string, { trusted, keys }: TrustPath, now: number): Promise<Signed> {
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
