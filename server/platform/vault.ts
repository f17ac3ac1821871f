// Secrets at rest: AES-256-GCM under a key derived from `ROSTRUM_SECRET` (HKDF, RFC 5869), bound to their row by the additional data, so
// that a copied one opens nothing elsewhere.
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import type { Ids } from '@rostrum/base/clock'

const nonceBytes = 12
const tagBytes = 16

export type Vault = ReturnType<typeof createVault>

/** The first secret seals; older ones still open. */
export function createVault(secrets: readonly string[], ids: Ids) {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'rostrum secrets at rest', 32)))
  const [first] = keys
  if (first === undefined) throw new Error('ROSTRUM_SECRET is needed to keep secrets.')
  return {
    seal(plain: Uint8Array, rowId: string): Uint8Array {
      const nonce = ids.bytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', first, nonce).setAAD(Buffer.from(rowId))
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    /** Undefined where none of the secrets of this process sealed it. */
    open(sealed: Uint8Array, rowId: string): Buffer | undefined {
      if (sealed.length < nonceBytes + tagBytes) return undefined
      for (const key of keys) {
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
        decipher.setAAD(Buffer.from(rowId)).setAuthTag(sealed.subarray(-tagBytes))
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
