// MACs under keys derived from `ROSTRUM_SECRET` (HKDF, RFC 5869), one key per purpose, so that a value of one kind is never
// valid as another. The first secret signs; older ones still verify.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

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
