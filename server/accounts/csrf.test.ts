import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCsrf, isSameOrigin } from './cookies.ts'

const base = 'https://talks.example.com'
const secret = 'a test secret of at least thirty-two characters'

test('a named origin decides; without one the fetch site does; without either the token alone', () => {
  assert.equal(isSameOrigin(base, base, undefined), true)
  assert.equal(isSameOrigin(base, base, 'cross-site'), true)
  assert.equal(isSameOrigin(base, undefined, 'same-origin'), true)
  assert.equal(isSameOrigin(base, undefined, 'none'), true)
  assert.equal(isSameOrigin(base, undefined, undefined), true)
  for (const origin of ['https://evil.example', 'http://talks.example.com', 'https://talks.example.com.evil.example', '']) {
    assert.equal(isSameOrigin(base, origin, 'same-origin'), false)
  }
  for (const site of ['cross-site', 'same-site', '']) assert.equal(isSameOrigin(base, undefined, site), false)
})

test('the null origin that our own forms have passes as same-origin only', () => {
  assert.equal(isSameOrigin(base, 'null', 'same-origin'), true)
  assert.equal(isSameOrigin(base, 'null', 'cross-site'), false)
  assert.equal(isSameOrigin(base, 'null', undefined), false)
  assert.equal(isSameOrigin('http://rostrum.lan:4400', 'null', undefined), true)
})

test('a token belongs to one sign-in, and survives a new secret that keeps the old one', () => {
  const csrf = createCsrf([secret])
  const token = csrf.forSignIn('a')
  assert.equal(csrf.checkSignIn('a', token), true)
  assert.equal(csrf.checkSignIn('b', token), false)
  assert.equal(csrf.checkVisitor('a', token), false)
  assert.equal(csrf.checkSignIn('a', undefined), false)
  assert.equal(createCsrf([secret.toUpperCase(), secret]).checkSignIn('a', token), true)
  assert.equal(createCsrf([secret.toUpperCase()]).checkSignIn('a', token), false)
})
