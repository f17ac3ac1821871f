// The one format of every bearer secret: `rst_<kind>_<32 base62><6 base62 of CRC-32>` (spec 5). Opaque, kept only as its
// SHA-256, and recognisable to secret scanners by `tokenPattern`.
import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Ids, randomBase62 } from '../platform/ids.ts'

/** API key, agent token, attendee token, claim token of an agent, OAuth access token, refresh token. */
export const tokenKinds = ['live', 'agt', 'att', 'clm', 'oat', 'ort'] as const
export type TokenKind = (typeof tokenKinds)[number]

/** What /docs publishes for secret scanners. */
export const tokenPattern = String.raw`\brst_[a-z]{3,4}_[0-9A-Za-z]{38}\b`

const shape = /^rst_([a-z]{3,4})_[0-9A-Za-z]{38}$/
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A new token with 190 random bits. */
export function mint(kind: TokenKind, ids: Ids): string {
  const body = `rst_${kind}_${randomBase62(ids, 32)}`
  return body + checksum(body)
}

/** The kind of a well-formed token, by shape and checksum alone; undefined for anything else. Never throws. */
export function tokenKind(text: string): TokenKind | undefined {
  const named = shape.exec(text)?.[1]
  const kind = tokenKinds.find((candidate) => candidate === named)
  return kind !== undefined && checksum(text.slice(0, -6)) === text.slice(-6) ? kind : undefined
}

/** What the store keeps in place of a secret: its SHA-256 in hex. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** An unguessable part of an address (130 bits): set-up, reset, invitation and claim pages. */
export function mintPageToken(ids: Ids): string {
  return randomBase62(ids, 22)
}

/** The same of bytes that nobody can guess. */
export function pageTokenFrom(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (; text.length < 22; rest /= 62n) text += base62.charAt(Number(rest % 62n))
  return text
}

export function isPageToken(text: string): boolean {
  return /^[0-9A-Za-z]{22}$/.test(text)
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let i = 0; i < 6; i++) {
    text = base62.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}

// MACs under keys derived from `ROSTRUM_SECRET` (HKDF, RFC 5869), one key per purpose, so that a value of one kind is never
// valid as another. The first secret signs; older ones still verify.

export interface Signer {
  sign(text: string): string
  verify(text: string, mac: string): boolean
}

export function createSigner(secrets: readonly string[], purpose: string): Signer {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', `rostrum ${purpose}`, 32)))
  const [first] = keys
  if (first === undefined) throw new Error('ROSTRUM_SECRET is needed to sign.')
  const macOf = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  return {
    sign: (text) => macOf(first, text).toString('base64url'),
    verify(text, mac) {
      const given = Buffer.from(mac, 'base64url')
      return keys.some((key) => given.length === 32 && timingSafeEqual(given, macOf(key, text)))
    },
  }
}
