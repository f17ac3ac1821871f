import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cleanText, withoutContacts } from './attendees.ts'
import { shownName } from '@rostrum/stage/run-state'

test('control and bidirectional characters never reach a room', () => {
  assert.equal(cleanText('a\u202Eb\u0007c\u200Bd'), 'abcd')
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', ' ', '\u0007', '\u202E', '\u2066', '\u200B', '\u200D', '\n', '\r', 'é')).map((parts) => parts.join('')),
      (text) => !/[\u202A-\u202E\u2066-\u2069]|(?!\n)\p{Cc}/u.test(cleanText(text)),
    ),
  )
})

test('cleaning twice changes nothing more', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => cleanText(cleanText(text)) === cleanText(text)))
})

test('a broadcast shows the given name alone', () => {
  assert.equal(shownName('Ada Lovelace', 'broadcast'), 'Ada')
  assert.equal(shownName('ada@example.com', 'broadcast'), null)
  assert.equal(shownName('Ada Lovelace', 'isolated'), 'Ada Lovelace')
})

test('contact details are cut from a question, figures are not', () => {
  assert.deepEqual(withoutContacts('Mail me at ada@example.com or +44 20 7946 0958'), {
    text: 'Mail me at [e-mail] or [phone]',
    found: true,
    email: 'ada@example.com',
    phone: '+44 20 7946 0958',
  })
  const plain = 'Is it 18,500 or 12.5 in 2026?'
  assert.deepEqual(withoutContacts(plain), { text: plain, found: false, email: null, phone: null })
})
