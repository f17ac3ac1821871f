import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { systemIds } from '@rostrum/base/clock'
import { hashSecret, isPageToken, mint, mintPageToken, tokenKind, tokenKinds } from './credentials.ts'

test('a minted token has its kind, matches the published pattern and differs from every other', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/text/authentication.md'), 'utf8')
  const published = new RegExp(/`(\\brst_.*?)`/.exec(page)?.[1] ?? assert.fail('no pattern'))
  const seen = new Set<string>()
  for (const kind of tokenKinds) {
    for (let i = 0; i < 200; i++) {
      const token = mint(kind, systemIds)
      assert.equal(tokenKind(token), kind)
      assert.match(token, published)
      seen.add(token)
    }
  }
  assert.equal(seen.size, tokenKinds.length * 200)
})

test('a token with one character changed is refused without a look at the store', () => {
  const token = mint('live', systemIds)
  fc.assert(
    fc.property(fc.integer({ min: 9, max: token.length - 1 }), fc.constantFrom('0', 'A', 'z'), (at, character) => {
      fc.pre(token[at] !== character)
      assert.equal(tokenKind(token.slice(0, at) + character + token.slice(at + 1)), undefined)
    }),
  )
})

test('no text at all makes the shape check throw', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => assert.equal(tokenKind(text), undefined)))
  assert.equal(tokenKind(`${mint('live', systemIds)}\n`), undefined)
})

test('a secret is kept as SHA-256 in hex', () => {
  assert.equal(hashSecret('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('a page token is 22 characters of base62', () => {
  assert.ok(isPageToken(mintPageToken(systemIds)))
  assert.ok(!isPageToken('../../etc/passwd000000'))
})
