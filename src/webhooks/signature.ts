// Signatures of deliveries (Spec 6.2, 6.3; Standard Webhooks 1.0): `v1` is HMAC-SHA-256 under the decoded bytes of the secret,
// `v1a` Ed25519, both over `<id>.<timestamp>.<body>`.
import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'

const prefix = 'whsec_'
export const secretBytes = 32
const keyMin = 24
const keyMax = 64

/** As it is shown once: `whsec_` and padded base64. */
export function showSecret(key: Uint8Array): string {
  return prefix + Buffer.from(key).toString('base64')
}

/** The key of a secret that a caller brings: `whsec_` and strict base64 of 24 to 64 bytes; undefined for anything else. */
export function readSecret(text: string): Buffer | undefined {
  if (!text.startsWith(prefix)) return undefined
  const encoded = text.slice(prefix.length)
  const key = Buffer.from(encoded, 'base64')
  if (key.length < keyMin || key.length > keyMax || key.toString('base64') !== encoded) return undefined
  return key
}

/** What a subscription signs with; `hmac` newest first. */
export interface SigningKeys {
  hmac: readonly (KeyObject | Uint8Array)[]
  ed25519?: KeyObject
}

export interface SignedHeaders {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

/** One signature per key, separated by spaces. `seconds` is the time of the attempt, so every attempt is signed anew. */
export function signDelivery(keys: SigningKeys, id: string, seconds: number, body: string | Uint8Array): SignedHeaders {
  const timestamp = String(seconds)
  const head = `${id}.${timestamp}.`
  let signature = ''
  for (const key of keys.hmac) {
    const mac = createHmac('sha256', key).update(head).update(body).digest('base64')
    signature += signature === '' ? `v1,${mac}` : ` v1,${mac}`
  }
  if (keys.ed25519 !== undefined)
    signature += ` v1a,${sign(null, Buffer.concat([Buffer.from(head), Buffer.from(body)]), keys.ed25519).toString('base64')}`
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

/** PKCS #8 of an Ed25519 key is this head and the 32 bytes of the seed (RFC 8410). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')
const spkiHeadBytes = 12

export function ed25519Key(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' })
}

/** As verifiers take it: `whpk_` and the base64 of the raw public key. */
export function showPublicKey(privateKey: KeyObject): string {
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return `whpk_${spki.subarray(spkiHeadBytes).toString('base64')}`
}
