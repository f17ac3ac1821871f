// Threat class "parsing": whatever is sent to the routes of credentials is refused in the words of its protocol, and never a 5xx.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { z } from 'zod'
import { registerAnonymous } from '../auth/identity.ts'
import { authWorld } from '../auth/support.ts'
import { openTestStore } from '../support/stores.ts'

const refusal = z.object({ error: z.string() })
const runs = 150

const word = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('anonymous', 'service_auth', 'refresh', 'identity_assertion', '__proto__', '\u0000', '\ud800'),
)
const value = fc.oneof(word, fc.jsonValue())
const names = [
  'type',
  'claim_token',
  'user_code',
  'login_hint',
  'assertion',
  'assertion_type',
  'refresh_token',
  'client_name',
  'constructor',
] as const
const members = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value)

test('any body at the routes of the current generation gets a problem document with a word', async () => {
  const world = authWorld(await openTestStore())
  const paths = fc.constantFrom('/agent/identity', '/agent/identity/claim', '/agent/identity/claim/complete')
  const body = fc.oneof(
    fc.string(),
    fc.json(),
    members.map((each) => JSON.stringify(each)),
  )
  await fc.assert(
    fc.asyncProperty(paths, body, async (path, text) => {
      const shown = await world.browser().raw(path, 'application/json', text)
      if (shown.status === 200) return
      assert.ok(shown.status >= 400 && shown.status < 500, `${shown.status} for ${text}`)
      refusal.parse(JSON.parse(shown.text))
    }),
    { numRuns: runs },
  )
  await world.close()
  await world.store.close()
})

test('any grant of an agent gets the members of RFC 6749, also with a live assertion that was changed', async () => {
  const world = authWorld(await openTestStore())
  const { identity, claim } = await registerAnonymous(world)
  const grants = fc.constantFrom('urn:ietf:params:oauth:grant-type:jwt-bearer', 'urn:workos:agent-auth:grant-type:claim')
  const changed = fc
    .tuple(fc.nat(identity.assertion.length - 1), fc.string({ minLength: 1, maxLength: 1 }))
    .map(([at, by]) => identity.assertion.slice(0, at) + by + identity.assertion.slice(at + 1))
  const fields = fc.record({
    grant_type: grants,
    assertion: fc.oneof(word, changed),
    claim_token: fc.oneof(word, fc.constant(`${claim.token}x`)),
    scope: word,
    resource: word,
  })
  await fc.assert(
    fc.asyncProperty(fields, async (sent) => {
      const shown = await world.browser().post('/oauth2/token', sent)
      if (sent.assertion === identity.assertion) return
      assert.equal(shown.status, 400, shown.text)
      assert.deepEqual(Object.keys(z.object({ error: z.string(), error_description: z.string() }).parse(JSON.parse(shown.text))), [
        'error',
        'error_description',
      ])
    }),
    { numRuns: runs },
  )
  await world.close()
  await world.store.close()
})

test('any event gets the words of RFC 8935', async () => {
  const world = authWorld(await openTestStore())
  const token = fc.oneof(
    word,
    fc
      .tuple(members, members)
      .map((parts) => `${parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.x`),
  )
  await fc.assert(
    fc.asyncProperty(token, async (text) => {
      const shown = await world.browser().raw('/agent/event/notify', 'application/secevent+jwt', text)
      assert.equal(shown.status, 400, shown.text)
      z.union([z.object({ err: z.string(), description: z.string() }), refusal]).parse(JSON.parse(shown.text))
    }),
    { numRuns: runs },
  )
  await world.close()
  await world.store.close()
})
