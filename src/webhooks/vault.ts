// Signing secrets at rest: AES-256-GCM under a key derived from `ROSTRUM_SECRET` (HKDF, RFC 5869), bound to the subscription by
// the additional data, so that a copied row opens nothing elsewhere.
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import type { Ids } from '../kernel/ids.ts'

const nonceBytes = 12
const tagBytes = 16

export interface Vault {
  seal(plain: Uint8Array, subscriptionId: string): Uint8Array
  /** Undefined where none of the secrets of this process sealed it. */
  open(sealed: Uint8Array, subscriptionId: string): Buffer | undefined
}

/** The first secret seals; older ones still open. */
export function createVault(secrets: readonly string[], ids: Ids): Vault {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'rostrum webhook secrets', 32)))
  const [first] = keys
  if (first === undefined) throw new Error('ROSTRUM_SECRET is needed to keep signing secrets.')
  return {
    seal(plain, subscriptionId) {
      const nonce = ids.bytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', first, nonce).setAAD(Buffer.from(subscriptionId))
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, subscriptionId) {
      if (sealed.length < nonceBytes + tagBytes) return undefined
      for (const key of keys) {
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
        decipher.setAAD(Buffer.from(subscriptionId)).setAuthTag(sealed.subarray(-tagBytes))
        try {
          return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()])
        } catch {
          // Not this key; the next one.
        }
      }
      return undefined
    },
  }
}
