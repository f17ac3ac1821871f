import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRouter, patternOf } from './router.ts'
import { isPlainHost, pathOf, plainPath } from './target.ts'

function routerOf(...entries: readonly (readonly [string, string])[]) {
  const router = createRouter<string>()
  for (const [method, pattern] of entries) router.add(method, pattern, `${method} ${pattern}`)
  return router
}

test('a literal comes before a parameter and a parameter before the rest, in whatever order they were added', () => {
  const router = routerOf(['GET', '/a/*'], ['GET', '/a/:id'], ['GET', '/a/new'], ['GET', '/a/:id/b'])
  const found = (path: string) => router.find('GET', path)?.value
  assert.equal(found('/a/new'), 'GET /a/new')
  assert.equal(found('/a/1'), 'GET /a/:id')
  assert.equal(found('/a/1/b'), 'GET /a/:id/b')
  assert.equal(found('/a/new/b'), 'GET /a/:id/b')
  assert.equal(found('/a/1/c/d'), 'GET /a/*')
  for (const path of ['/a', '/', '/A/1', '/b', '/a/']) assert.equal(found(path), path === '/a/' ? 'GET /a/*' : undefined, path)
})

test('a more literal pattern that does not take the method falls through to the next', () => {
  const router = routerOf(['POST', '/a/search'], ['GET', '/a/:id'], ['ALL', '/mcp'])
  assert.equal(router.find('GET', '/a/search')?.value, 'GET /a/:id')
  assert.equal(router.find('HEAD', '/a/search')?.value, 'GET /a/:id')
  assert.equal(router.find('DELETE', '/a/search'), undefined)
  assert.equal(router.find('DELETE', '/mcp')?.value, 'ALL /mcp')
  assert.deepEqual(router.methodsOf('/a/search'), ['GET', 'HEAD', 'OPTIONS', 'POST'])
  assert.deepEqual(router.methodsOf('/a/1'), ['GET', 'HEAD', 'OPTIONS'])
  assert.deepEqual(router.methodsOf('/b'), [])
})

test('parameters are decoded once, and an encoded slash stays inside its part', () => {
  const router = routerOf(['GET', '/a/:id/:name'])
  assert.deepEqual(router.find('GET', '/a/x%2Fy/%C3%A4%2541')?.params, { id: 'x/y', name: 'ä%41' })
  assert.deepEqual(router.find('GET', '/a/%E0%A4%A/%')?.params, { id: '%E0%A4%A', name: '%' })
  assert.equal(router.find('GET', '/a//x'), undefined)
  assert.equal(patternOf('/a/{id}/{name}'), '/a/:id/:name')
})

test('any path finds what a list of patterns would find, and never throws', () => {
  const part = fc.constantFrom('a', 'b', ':x', '*')
  const pattern = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => {
    const rest = parts.indexOf('*')
    return `/${(rest === -1 ? parts : parts.slice(0, rest + 1)).join('/')}`
  })
  const matches = (from: string, path: string) =>
    new RegExp(
      `^${from
        .split('/')
        .map((each) => (each === ':x' ? '[^/]+' : each === '*' ? '.*' : each))
        .join('/')}$`,
    ).test(path)
  const path = fc.oneof(
    fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 5 }).map((parts) => `/${parts.join('/')}`),
    fc.webPath().map((text) => (text === '' ? '/' : text)),
  )
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 8 }), path, (patterns, asked) => {
      const router = createRouter<string>()
      for (const each of patterns) router.add('GET', each, each)
      const found = router.find('GET', asked)?.value
      const expected = patterns.filter((each) => matches(each, asked))
      if (found === undefined) assert.deepEqual(expected, [])
      else assert.ok(expected.includes(found), `${found} for ${asked}`)
    }),
  )
})

test('a plain target reads as the URL parser reads it, and every other is left to it', () => {
  const target = fc.oneof(
    fc.webPath().map((text) => `/${text.replace(/^\/+/, '')}`),
    fc.string({ maxLength: 20 }).map((text) => `/${text}`),
    fc.array(fc.constantFrom('/', '.', '%2e', '%2F', 'a', '?', '#', '\\', '@', ':'), { maxLength: 10 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(target, (text) => {
      const path = plainPath(text)
      if (path === undefined) return
      assert.equal(path, new URL(`http://localhost${text}`).pathname)
      assert.equal(path, pathOf(`http://localhost${text}`))
    }),
    { numRuns: 2_000 },
  )
  for (const odd of ['*', '', '//a', 'http://x/a', '/a/../b', '/a/%2E%2e/b', '/a\\b', '/a b', undefined])
    assert.equal(plainPath(odd), undefined)
})

test('an unusual host is left to the URL parser', () => {
  for (const host of ['localhost:4400', 'talks.example.com', '10.0.0.1', undefined]) assert.ok(isPlainHost(host))
  for (const host of ['a b', '[::1]', 'a@b', 'A.example', 'a/b', '']) assert.ok(!isPlainHost(host), host)
})
