import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { systemIds } from '@rostrum/base/clock'
import { hashCode, mintClaimCode, normalCode } from './registration.ts'

test('a code is two groups of four consonants, each as likely as the others', () => {
  const counts = new Map<string, number>()
  for (let i = 0; i < 2_000; i++) {
    const code = mintClaimCode(systemIds)
    assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    for (const letter of code.replace('-', '')) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  }
  assert.equal(counts.size, 20)
  for (const count of counts.values()) assert.ok(Math.abs(count - 800) < 200, String(count))
})

test('case, spaces and dashes do not matter', () => {
  for (const text of ['BDFK-RTWX', 'bdfkrtwx', ' bdfk rtwx ', 'B-D-F-K-R-T-W-X', 'BDFK\u2013RTWX']) {
    assert.equal(normalCode(text), 'BDFK-RTWX')
  }
  assert.notEqual(normalCode('BDFK-RTWY'), 'BDFK-RTWX')
})

test('no text makes it throw, and the same code of another registration is another hash', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void normalCode(text)))
  assert.notEqual(hashCode('a', 'BDFK-RTWX'), hashCode('b', 'BDFK-RTWX'))
  assert.equal(hashCode('a', 'bdfk rtwx'), hashCode('a', 'BDFK-RTWX'))
})
