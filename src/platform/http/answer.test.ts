import assert from 'node:assert/strict'
import { test } from 'node:test'
import { preferred } from './answer.ts'

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
