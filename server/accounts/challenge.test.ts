import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '@rostrum/base/errors'
import { bareChallenge, challengeFor, invalidTokenChallenge, scopeChallenge } from './authenticate.ts'

const base = 'https://talks.example.com'

test('the three challenges are byte for byte what the contract says', () => {
  assert.equal(bareChallenge(base), 'Bearer resource_metadata="https://talks.example.com/.well-known/oauth-protected-resource"')
  assert.equal(
    invalidTokenChallenge(base),
    'Bearer resource_metadata="https://talks.example.com/.well-known/oauth-protected-resource", error="invalid_token", error_description="The credential is malformed, expired or revoked: use another, or get a new one."',
  )
  assert.equal(
    scopeChallenge(base, ['leads:read', 'sessions:write']),
    'Bearer error="insufficient_scope", scope="leads:read sessions:write", resource_metadata="https://talks.example.com/.well-known/oauth-protected-resource"',
  )
})

test('an error gets the challenge of its kind, and a failed sign-in gets none', () => {
  assert.equal(challengeFor(new ServiceError('invalid_token', 'x'), base), bareChallenge(base))
  const own = new ServiceError('invalid_token', 'x', { headers: { 'WWW-Authenticate': invalidTokenChallenge(base) } })
  assert.equal(challengeFor(own, base), invalidTokenChallenge(base))
  const scope = new ServiceError('insufficient_scope', 'x', { members: { scopes_required: ['leads:read'] } })
  assert.equal(challengeFor(scope, base), scopeChallenge(base, ['leads:read']))
  assert.equal(challengeFor(new ServiceError('sign_in_failed', 'x'), base), undefined)
  assert.equal(challengeFor(new ServiceError('not_found', 'x'), base), undefined)
})
