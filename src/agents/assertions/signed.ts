// The trust path of everything an outside issuer signs: bounded, of the expected type, with an algorithm we take, from a listed
// issuer, signed by a key from its pinned address. Nothing is fetched for an issuer that is not trusted.
import type { JSONWebKeySet } from 'jose'
import { z } from 'zod'
import type { TrustedIssuer } from '../../accounts/deps.ts'
import type { ErrorCode } from '../../platform/errors.ts'
import type { Outbound } from '../../platform/egress/outbound.ts'

// The keys of trusted issuers, from their pinned addresses through the outbound guard: kept ten minutes, used for a day while the
// issuer cannot be reached, and asked for again at most once a minute when a key id is new.

export interface IssuerKeys {
  /** The key set, with the key `kid` in it if the issuer has one; undefined while it cannot be had. */
  get(issuer: TrustedIssuer, kid: string | undefined, now: number): Promise<JSONWebKeySet | undefined>
}

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

export function createIssuerKeys(outbound: Pick<Outbound, 'request'>): IssuerKeys {
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
    async get({ jwks_uri: url }, kid, now) {
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
