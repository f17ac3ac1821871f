// Every requirement of spec/contract.md is held by a test that names its number, and no test names a number that is not there.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const numbersIn = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([, number = '']) => number))

test('the contract and the tests name the same requirements', () => {
  const contract = numbersIn(readFileSync(join(root, 'spec/contract.md'), 'utf8'), /^- \*\*([\w.-]+)\*\*/gm)
  const files = globSync(['test/**/*.test.ts', '{server,packages}/**/*.test.ts', 'web/**/*.test.ts'], {
    cwd: root,
    exclude: ['**/node_modules/**'],
  })
  const named = numbersIn(files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n'), /\[((?:\d+(?:\.\d+)?|R)-\d+)\] /g)
  assert.deepEqual(
    [...contract].filter((number) => !named.has(number)),
    [],
    'without a test',
  )
  assert.deepEqual(
    [...named].filter((number) => !contract.has(number)),
    [],
    'not in the contract',
  )
})
