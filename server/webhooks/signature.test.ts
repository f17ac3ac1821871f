// Signing against published vectors and an independent verifier (Spec 6.2, 6.3).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { verifyWebhook } from '../../client/verify-webhook.ts'
import { ed25519Key, readSecret, showPublicKey, showSecret, signDelivery } from './subscription.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
const timestamp = 1_614_265_330
const body = '{"test": 2432232314}'
const key = readSecret(secret) ?? assert.fail()
/** RFC 8032, section 7.1, test 1. */
const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex')
const publicKey = 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='
const v1 = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
const v1a = 'v1a,fldxM4gAKugP6nnt1hdz3sgGfZ6d99nzrMFnZOELIxbzEHoVmAb2ADpkJK7zgPePmPsle0zV9jSeGlHFG2NVAw=='

test('the vectors of both schemes are met to the byte', () => {
  assert.equal(signDelivery({ hmac: [key] }, id, timestamp, body)['webhook-signature'], v1)
  const ed25519 = ed25519Key(seed)
  assert.equal(showPublicKey(ed25519), publicKey)
  assert.equal(signDelivery({ hmac: [key], ed25519 }, id, timestamp, body)['webhook-signature'], `${v1} ${v1a}`)
})

test('one key makes exactly one signature, so a verifier that compares the whole header accepts it', () => {
  assert.match(signDelivery({ hmac: [key] }, id, timestamp, body)['webhook-signature'], /^v1,[A-Za-z0-9+/]{43}=$/)
})

test('any body and any key are accepted by standardwebhooks and by our own verifier', async () => {
  const now = Math.floor(Date.now() / 1000)
  const anyKey = fc.uint8Array({ minLength: 24, maxLength: 64 })
  await fc.assert(
    fc.asyncProperty(anyKey, anyKey, fc.json(), async (fresh, old, text) => {
      const headers = { ...signDelivery({ hmac: [fresh, old], ed25519: ed25519Key(seed) }, id, now, text) }
      for (const each of [fresh, old]) {
        new Webhook(showSecret(each)).verify(text, headers)
        assert.equal((await verifyWebhook(text, headers, showSecret(each))).ok, true)
      }
      assert.equal((await verifyWebhook(text, headers, publicKey)).ok, true)
      assert.equal((await verifyWebhook(`${text} `, headers, [showSecret(fresh), publicKey])).ok, false)
    }),
    { numRuns: 100 },
  )
})

test('a secret is strict base64 of 24 to 64 bytes behind whsec_', () => {
  for (const length of [24, 32, 64]) assert.equal(readSecret(showSecret(new Uint8Array(length)))?.length, length)
  const refused = [
    '',
    'whsec_',
    secret.slice(6),
    showSecret(new Uint8Array(23)),
    showSecret(new Uint8Array(65)),
    showSecret(new Uint8Array(25)).replace(/=+$/, ''),
    `${secret}\n`,
    secret.replace('M', '-'),
  ]
  for (const text of refused) assert.equal(readSecret(text), undefined, text)
})
