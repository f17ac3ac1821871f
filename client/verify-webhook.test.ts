import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { verifyWebhook } from './verify-webhook.ts'

// The reference message of Standard Webhooks, and the same under RFC 8032 test key 1.
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const publicKey = 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='
const body = '{"test": 2432232314}'
const now = 1614265330
const headers = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': String(now),
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}
const ed25519 = 'v1a,fldxM4gAKugP6nnt1hdz3sgGfZ6d99nzrMFnZOELIxbzEHoVmAb2ADpkJK7zgPePmPsle0zV9jSeGlHFG2NVAw=='

test('the reference message is authentic under both schemes', async () => {
  const accepted = { ok: true, id: headers['webhook-id'], timestamp: now }
  assert.deepEqual(await verifyWebhook(body, headers, secret, { now }), accepted)
  assert.deepEqual(await verifyWebhook(new TextEncoder().encode(body), new Headers(headers), [secret], { now }), accepted)
  assert.deepEqual(await verifyWebhook(body, { ...headers, 'webhook-signature': ed25519 }, publicKey, { now }), accepted)
})

test('during a rotation either secret is enough, whichever signature comes first', async () => {
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const both = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']} ${ed25519}` }
  assert.equal((await verifyWebhook(body, both, [other, secret], { now })).ok, true)
  assert.deepEqual(await verifyWebhook(body, both, other, { now }), { ok: false, reason: 'no_match' })
})

test('a changed byte, id or time is refused, and so is a message out of its time', async () => {
  const refused = async (changed: Record<string, string>, text = body, at = now) => {
    const verdict = await verifyWebhook(text, { ...headers, ...changed }, secret, { now: at })
    return verdict.ok ? 'ok' : verdict.reason
  }
  assert.equal(await refused({}, `${body} `), 'no_match')
  assert.equal(await refused({ 'webhook-id': 'msg_other' }), 'no_match')
  assert.equal(await refused({ 'webhook-timestamp': String(now + 1) }), 'no_match')
  assert.equal(await refused({ 'webhook-timestamp': 'soon' }), 'bad_timestamp')
  assert.equal(await refused({ 'webhook-signature': '' }), 'missing_header')
  assert.equal(await refused({}, body, now + 301), 'too_old')
  assert.equal(await refused({}, body, now - 301), 'too_new')
  assert.equal(await refused({}, body, now + 300), 'ok')
})

test('whatever a sender writes into the headers, the verdict is a value', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string(), async (signature, key) => {
      const verdict = await verifyWebhook(body, { ...headers, 'webhook-signature': signature }, `whsec_${key}`, { now })
      assert.equal(verdict.ok, false)
    }),
  )
})

test('every body signed with the secret is accepted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
      const bytes = Buffer.from(text)
      const key = Buffer.from(secret.slice(6), 'base64')
      const mac = createHmac('sha256', key).update(`id.${now}.`).update(bytes).digest('base64')
      const signed = { 'webhook-id': 'id', 'webhook-timestamp': String(now), 'webhook-signature': `v1,${mac}` }
      assert.equal((await verifyWebhook(bytes, signed, secret, { now })).ok, true)
    }),
  )
})
