// The ES256 key of the OAuth server, made at its first use and kept encrypted under `ROSTRUM_SECRET` (AES-256-GCM, key by HKDF).
// Tokens are opaque, so it signs nothing yet that outlives an answer; one key serves.
import { createCipheriv, createDecipheriv, createPrivateKey, createPublicKey, generateKeyPairSync, hkdfSync } from 'node:crypto'
import type { JWK } from 'oidc-provider'
import type { Ids } from '../../kernel/ids.ts'
import type { Store } from '../../storage/store.ts'

/** The private key as JWK. Of two processes that make one at once, both use the one that is older by its id. */
export async function signingKey(store: Store, ids: Ids, secrets: readonly string[], now: number): Promise<JWK> {
  const find = () => store.read.selectFrom('signing_keys').selectAll().orderBy('use_from').orderBy('kid').executeTakeFirst()
  let row = await find()
  if (row === undefined) {
    const fresh = makeKey(ids, secrets[0] ?? '', now)
    await store.write((tx) => tx.insertInto('signing_keys').values(fresh).execute())
    row = await find()
  }
  if (row === undefined) throw new Error('the signing key could not be kept')
  const pkcs8 = decrypt(row.private, secrets)
  const { kty, crv, x, y, d } = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }).export({ format: 'jwk' })
  return { kty, crv, x, y, d, kid: row.kid, alg: row.alg, use: 'sig' }
}

function makeKey(ids: Ids, secret: string, now: number) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty, crv, x, y } = createPublicKey(privateKey).export({ format: 'jwk' })
  const nonce = ids.bytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), nonce)
  const sealed = Buffer.concat([cipher.update(privateKey.export({ format: 'der', type: 'pkcs8' })), cipher.final()])
  return {
    kid: ids.uuid(),
    alg: 'ES256',
    private: Buffer.concat([nonce, cipher.getAuthTag(), sealed]),
    public: JSON.stringify({ kty, crv, x, y }),
    use_from: now,
    retire_at: null,
  }
}

function decrypt(sealed: Uint8Array, secrets: readonly string[]): Buffer {
  for (const secret of secrets) {
    try {
      const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), sealed.subarray(0, 12))
      decipher.setAuthTag(sealed.subarray(12, 28))
      return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()])
    } catch {
      // Another secret may be the one it was sealed with.
    }
  }
  throw new Error('The signing key was made with another ROSTRUM_SECRET. Put the old one after the new one, separated by a comma.')
}

function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'rostrum signing keys', 32))
}
