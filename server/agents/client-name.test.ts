import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clientName } from './registration.ts'

test('a name is trimmed and normalised', () => {
  assert.equal(clientName.parse('  Cafe\u0301 Copilot '), 'Caf\u00e9 Copilot')
  assert.equal(clientName.parse('営業エージェント 🤝'), '営業エージェント 🤝')
})

test('hidden, reordering and empty names are refused', () => {
  for (const name of [
    '',
    '   ',
    'a\u0000b',
    'a\nb',
    '\u202Eevil',
    'a\u200bb',
    '\u2066x',
    'a\ufeffb',
    'x'.repeat(101),
    '\ud800',
    '\u3164',
  ]) {
    assert.equal(clientName.safeParse(name).success, false, JSON.stringify(name))
  }
})

test('every string has a verdict, and what passes is visible text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const parsed = clientName.safeParse(name)
      if (parsed.success) assert.doesNotMatch(parsed.data, /[\p{Cc}\p{Cf}]/u)
    }),
  )
})
