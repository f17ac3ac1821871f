import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { safeReturn } from './cookies.ts'

test('a path of this service is kept as it is', () => {
  for (const path of ['/', '/dashboard', '/claim/abc', '/dashboard/sessions/1?tab=live#x']) assert.equal(safeReturn(path), path)
})

test('every spelling of another site leads to the dashboard', () => {
  const elsewhere = [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'javascript:alert(1)',
    '',
    ' /x',
    'dashboard',
    '/..//evil.example',
    '/.//evil.example',
    '/%0d%0aSet-Cookie:x\r\n',
    undefined,
    `/${'x'.repeat(3_000)}`,
  ]
  for (const path of elsewhere) assert.equal(safeReturn(path), '/dashboard')
})

test('whatever comes in, what goes out stays on the origin', () => {
  const piece = fc.constantFrom('/', '\\', '..', '.', '%2f', '@', ':', 'evil.example', '\t', '?', '#', 'x')
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(piece).map((pieces) => `/${pieces.join('')}`),
      ),
      (path) => {
        assert.equal(new URL(safeReturn(path), 'https://talks.example.com').origin, 'https://talks.example.com')
      },
    ),
  )
})
