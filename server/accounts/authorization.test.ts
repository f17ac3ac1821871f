import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { systemIds } from '@rostrum/base/clock'
import { readAuthorization } from './authenticate.ts'
import { mint } from './credentials.ts'

const token = mint('live', systemIds)

test('the scheme is read in any case, with any white space around the token', () => {
  for (const value of [`Bearer ${token}`, `bearer ${token}`, `BEARER  \t${token} `]) {
    assert.deepEqual(readAuthorization([value]), { type: 'bearer', token, kind: 'live' })
  }
})

test('another scheme, or none, is no credential at all', () => {
  for (const values of [undefined, [], [''], ['Basic abc'], [token], [`Bearer${token}`]]) {
    assert.deepEqual(readAuthorization(values), { type: 'none' })
  }
})

test('Bearer with anything that is not one token is malformed', () => {
  for (const rest of ['', ' ', ` ${token} ${token}`, ' eyJh.eyJi.c', ` ${token}\0`, ` "${token}"`, ` ${token},`, ` ${token}\n`]) {
    assert.deepEqual(readAuthorization([`Bearer${rest}`]), { type: 'malformed' })
  }
})

test('two headers are refused even when they are equal', () => {
  assert.deepEqual(readAuthorization([`Bearer ${token}`, `Bearer ${token}`]), { type: 'several' })
})

test('every header value has a verdict', () => {
  const piece = fc.oneof(fc.constant('Bearer '), fc.constant(token), fc.string({ unit: 'binary' }))
  const value = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''))
  fc.assert(fc.property(fc.array(value, { maxLength: 3 }), (values) => void readAuthorization(values)))
})
