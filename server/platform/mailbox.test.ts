import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailboxOf, readerOf } from './mailbox.ts'

test('spellings that a provider is known to take as one are one mailbox; elsewhere they may be two people', () => {
  const one = ['maya.okafor@gmail.com', 'MayaOkafor@GMAIL.com', 'm.a.y.a.okafor+talks@googlemail.com', ' mayaokafor@gmail.com. ']
  assert.deepEqual(new Set(one.map(mailboxOf)), new Set(['mayaokafor@gmail.com']))
  assert.equal(mailboxOf('Maya+a@proton.me'), mailboxOf('maya@pm.me'))
  assert.notEqual(mailboxOf('m.aya@outlook.com'), mailboxOf('maya@outlook.com'))
  assert.notEqual(mailboxOf('maya+a@acme.example'), mailboxOf('maya@acme.example'))
  assert.equal(mailboxOf('Maya@Acme.Example'), 'maya@acme.example')
})

test('what must not come again passes over a tag everywhere, and never a whole name', () => {
  assert.equal(readerOf('Maya+talks@acme.example'), 'maya@acme.example')
  assert.equal(readerOf('m.aya@acme.example'), 'm.aya@acme.example')
  assert.equal(readerOf('+@acme.example'), '+@acme.example')
  assert.equal(readerOf('m.aya+x@gmail.com'), mailboxOf('maya@gmail.com'))
})
