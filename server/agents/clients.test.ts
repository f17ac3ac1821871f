import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { judgeClient, redirectKind } from './clients.ts'

// Hosts that a URL parser takes, and that would write into the policy of the consent page.
const hostile = ["x;script-src'unsafe-inline'", 'x,default-src', "'none'", 'x;sandbox', 'a!b', 'x$y', 'a(b)', 'x=y', '%3B', '{x}']

test('redirects are https anywhere, http to this machine, or a scheme of an app', () => {
  assert.equal(redirectKind('https://client.example/callback?x=1'), 'web')
  for (const uri of ['http://127.0.0.1/cb', 'http://localhost:8123/cb', 'http://[::1]:9/cb']) assert.equal(redirectKind(uri), 'loopback')
  for (const uri of ['com.example.app:/cb', 'cursor://anysphere/callback']) assert.equal(redirectKind(uri), 'private')
})

test('every other redirect is refused', () => {
  const bad = [
    'http://client.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://u:p@client.example/',
    'https://client.example/#x',
    'https://*.example/cb',
    '//client.example',
    'cb',
    '',
    'https://client.example/\n',
    'about:blank',
    'https:\\\\x',
    ...hostile.map((host) => `https://${host}/cb`),
    ...hostile.map((host) => `cursor://${host}/cb`),
  ]
  for (const uri of bad) assert.equal(redirectKind(uri), 'refused', uri)
  fc.assert(fc.property(fc.oneof(fc.string(), fc.webUrl()), (uri) => void redirectKind(uri)))
})

test('what is stored is a public client; unknown members and scopes are left out', () => {
  const verdict = judgeClient({
    redirect_uris: ['http://localhost:1/cb'],
    client_name: 'X',
    scope: 'a b',
    token_endpoint_auth_method: 'client_secret_post',
    jwks_uri: 'x',
  })
  assert.deepEqual(verdict, {
    ok: true,
    metadata: {
      redirect_uris: ['http://localhost:1/cb'],
      client_name: 'X',
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      response_types: ['code'],
      grant_types: ['authorization_code', 'refresh_token'],
    },
  })
  for (const sent of [
    null,
    7,
    {},
    { redirect_uris: [] },
    { redirect_uris: ['https://a.example/', 'http://b.example/'] },
    { redirect_uris: ['https://a.example'], client_name: '\u202e' },
  ]) {
    assert.equal(judgeClient(sent).ok, false)
  }
})
