// Shown in /docs/webhooks and run by its test, so that what readers copy is what works.
import { createHmac, timingSafeEqual } from 'node:crypto'

/** `headers` by lower-case name; `body` exactly as it came. */
export function isAuthentic(headers: Record<string, string>, body: string, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const expected = createHmac('sha256', key).update(signed).digest()
  const isRecent = Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp'])) < 300
  const signatures = (headers['webhook-signature'] ?? '').split(' ').filter((each) => each.startsWith('v1,'))
  const matches = signatures.some((each) => {
    const given = Buffer.from(each.slice(3), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  return isRecent && matches
}
