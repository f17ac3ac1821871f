import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isHostName } from './fields.ts'

test('a host is a name of letters, digits and hyphens, or an address', () => {
  for (const host of ['example.com', 'localhost', 'a-b.example', 'xn--bcher-kva.example', '203.0.113.7', '[2001:db8::1]', 'a'.repeat(63)])
    assert.equal(isHostName(host), true, host)
  const bad = [
    '',
    '.',
    'a..b',
    'a.',
    '-a.example',
    'a-.example',
    '*',
    '*.example',
    'a_b',
    '[x]',
    '[::1',
    'a'.repeat(64),
    'ä.example',
    'a b',
  ]
  for (const host of bad) assert.equal(isHostName(host), false, host)
})

test('no host of any address that a URL parser takes holds a sign that means something in a policy', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
      const host = URL.parse(`https://${text}`)?.hostname
      if (host !== undefined && isHostName(host)) assert.match(host, /^[a-z0-9.:[\]-]+$/)
    }),
  )
})
