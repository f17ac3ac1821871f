import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientAddress, preferred } from './exchange.ts'

test('without trusted proxies a forwarded address changes nothing', () => {
  assert.equal(clientAddress([])('::ffff:203.0.113.7', '198.51.100.1'), '203.0.113.7')
})

test('a forwarded address is read from right to left through trusted proxies only', () => {
  const read = clientAddress(['10.0.0.0/8', 'fd00::/8'])
  assert.equal(read('10.0.0.1', '198.51.100.1, 203.0.113.7, 10.9.9.9'), '203.0.113.7')
  assert.equal(read('198.51.100.9', '203.0.113.7'), '198.51.100.9')
  assert.equal(read('fd00::1', '[2001:db8::1]:4711'), '2001:db8::1')
})

test('a forwarded value that is no address ends the reading', () => {
  assert.equal(clientAddress(['10.0.0.0/8'])('10.0.0.1', '203.0.113.7, unknown'), '10.0.0.1')
})

const offered = ['application/json', 'text/csv'] as const

test('the usual form answers when nothing, anything or nothing we have is asked for', () => {
  for (const accept of [undefined, '*/*', '', 'image/png', 'text/*;q=0', 'application/json']) {
    assert.equal(preferred(accept, offered), 'application/json', String(accept))
  }
})

test('the caller chooses by name, by family and by quality', () => {
  for (const accept of [
    'text/csv',
    'text/*',
    'application/json;q=0.5, text/csv',
    'application/json;q=0, */*;q=0.1',
    'TEXT/CSV; charset=utf-8',
  ]) {
    assert.equal(preferred(accept, offered), 'text/csv', accept)
  }
  assert.equal(preferred('text/csv;q=0.8, */*', offered), 'application/json')
})
