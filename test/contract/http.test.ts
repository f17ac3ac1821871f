// The HTTP surface (Spec 4, 5, 7): what every operation gets from it.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { openApi } from '../../server/docs/openapi.ts'
import { operationSection } from '../../server/docs/operation-section.ts'
import { errorCodes, errorTable } from '@rostrum/base/errors'
import type { TestHttp } from '../support/http.ts'
import { baseUrl, bearer, deleteThing, openHttp, post, problem } from '../support/http.ts'

let surface: TestHttp
beforeEach(async () => {
  surface = await openHttp()
})
afterEach(async () => {
  await surface.store.close()
})

const pointers = (document: Record<string, unknown>) => (document['errors'] as { pointer: string }[]).map(({ pointer }) => pointer)

describe('order', () => {
  test('a call without a credential is 401 before its body is read', async () => {
    const response = await surface.request('/api/v1/things', { method: 'POST', body: '{' })
    assert.equal(response.headers.get('www-authenticate'), 'Bearer resource_metadata="here"')
    await problem(response, 401, 'invalid_token')
  })

  test('[5.5-1] a credential without the scope is 403 before its body is read', async () => {
    const response = await surface.request('/api/v1/things', { method: 'POST', body: '{', headers: { Authorization: 'Bearer narrow' } })
    const document = await problem(response, 403, 'insufficient_scope')
    assert.deepEqual(document['scopes_required'], ['sessions:write'])
  })

  test('the headers of the limit are on answers and on errors alike', async () => {
    for (const body of [{ title: 'a' }, {}]) {
      const response = await surface.request('/api/v1/things', post(body))
      assert.equal(response.headers.get('ratelimit-policy'), '"api";q=120;w=60')
      assert.equal(response.headers.get('ratelimit'), '"api";r=119;t=1')
    }
  })

  test('[7-3] a refused limit is 429 with Retry-After, and nothing runs', async () => {
    const limited = await openHttp({ options: { limiter: { consume: async () => ({ allowed: false, headers: { 'Retry-After': '7' } }) } } })
    const response = await limited.request('/api/v1/things', post({ title: 'a' }))
    assert.equal(response.headers.get('retry-after'), '7')
    await problem(response, 429, 'rate_limited')
    assert.equal(limited.samples.created, 0)
    await limited.store.close()
  })
})

describe('answers', () => {
  test('a success is JSON with a request id', async () => {
    const response = await surface.request('/api/v1/things', post({ title: 'a', unknown: 1 }))
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'application/json')
    assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    const { warnings, ...body } = (await response.json()) as { warnings: { pointer: string }[] }
    assert.deepEqual([body, warnings.map(({ pointer }) => pointer)], [{ id: 1, title: 'a' }, ['#/unknown']])
  })

  test('an operation without a view answers 204', async () => {
    const response = await surface.request('/api/v1/things?id=1', { method: 'DELETE', headers: bearer })
    assert.equal(response.status, 204)
    assert.equal(await response.text(), '')
  })

  test('an operation that is to go says so with every answer, and in the description', async () => {
    for (const headers of [bearer, {}]) {
      const answer = await surface.request('/api/v1/things?id=1', { method: 'DELETE', headers })
      assert.deepEqual([answer.headers.get('deprecation'), answer.headers.get('sunset')], ['@1798761600', 'Sun, 02 Jan 2028 00:00:00 GMT'])
    }
    const kept = await surface.request('/api/v1/things', { headers: bearer })
    assert.deepEqual([kept.headers.get('deprecation'), kept.headers.get('sunset')], [null, null])
    const goes = deleteThing.bind(surface.samples)
    const { paths } = openApi({ operations: [goes], baseUrl, title: '', areas: {} })
    const words = 'Deprecated since 2027-01-01: Send `DELETE /api/v1/things/{id}`. It works until 2028-01-02.'
    const { deprecated, description } =
      (paths as Record<string, Record<string, Record<string, unknown>>>)['/api/v1/things']?.['delete'] ?? {}
    assert.deepEqual([deprecated, description], [true, words])
    assert.ok(operationSection(goes, [goes], baseUrl).includes(words))
  })

  test('a read is revalidated by its ETag', async () => {
    const first = await surface.request('/api/v1/things', { headers: bearer })
    const tag = first.headers.get('etag') ?? ''
    const again = await surface.request('/api/v1/things', { headers: { ...bearer, 'If-None-Match': `W/${tag}` } })
    assert.equal(again.status, 304)
    assert.equal(await again.text(), '')
    const other = await surface.request('/api/v1/things?limit=2', { headers: { ...bearer, 'If-None-Match': tag } })
    assert.equal(other.status, 200)
  })

  test('another representation answers to Accept', async () => {
    const response = await surface.request('/api/v1/things', { headers: { ...bearer, Accept: 'text/csv' } })
    assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.equal(response.headers.get('vary'), 'Accept')
    assert.equal(await response.text(), 'limit\r\n10\r\n')
  })

  test('HEAD answers as GET without the body', async () => {
    const response = await surface.request('/api/v1/things', { method: 'HEAD', headers: bearer })
    assert.equal(response.status, 200)
    assert.ok(response.headers.get('etag'))
    assert.equal(await response.text(), '')
  })

  test('a secret is never cached', async () => {
    const response = await surface.request('/api/v1/secrets', post({}))
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(response.headers.get('etag'), null)
  })

  test('a caller’s request id and trace are kept', async () => {
    const id = '11111111-2222-4333-8444-555555555555'
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const response = await surface.request('/api/v1/things', { headers: { ...bearer, 'X-Request-Id': id, traceparent } })
    assert.equal(response.headers.get('x-request-id'), id)
    assert.match(response.headers.get('traceparent') ?? '', /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/)
  })
})

describe('input', () => {
  test('the query is read as the types of the schema', async () => {
    const response = await surface.request('/api/v1/things?limit=5&live=true&tags=a,b&tags=c&query=1', { headers: bearer })
    assert.deepEqual(await response.json(), { limit: 5, live: true, tags: ['a', 'b', 'c'], query: '1' })
  })

  test('a query member sent twice, or of another type, is named', async () => {
    assert.deepEqual(
      pointers(await problem(await surface.request('/api/v1/things?limit=1&limit=2', { headers: bearer }), 400, 'invalid_request')),
      ['#/limit'],
    )
    assert.deepEqual(
      pointers(await problem(await surface.request('/api/v1/things?limit=ten', { headers: bearer }), 400, 'invalid_request')),
      ['#/limit'],
    )
  })

  test('an address with something that can be no id is 404 as one with an unknown id is, and says what an id is', async () => {
    for (const thing of ['nope', '%00', '..%2f..', 'a'.repeat(3_000)]) {
      const document = await problem(await surface.request(`/api/v1/things/${thing}`, { headers: bearer }), 404, 'not_found')
      assert.equal(document['detail'], 'Nothing has this `thingId`: send a UUID.')
    }
    await problem(await surface.request('/api/v1/things/nope'), 401, 'invalid_token')
  })

  test('U+0000 in an address is never a fault of ours', async () => {
    for (const path of ['/api/v1/things/a%00b/file', '/api/v1/th%00ings', '/%00'])
      assert.ok((await surface.request(path, { method: 'PUT', headers: bearer })).status < 500, path)
    const refused = await problem(await surface.request('/api/v1/things?query=a%00b', { headers: bearer }), 400, 'invalid_request')
    assert.deepEqual(pointers(refused), ['#/query'])
  })

  test('an address with a slash too much is 404 and told to leave it out', async () => {
    const document = await problem(await surface.request('/api/v1/things/', { headers: bearer }), 404, 'not_found')
    assert.match(String(document['detail']), /Leave the slash/)
    assert.match(
      String((await problem(await surface.request('/api/v1/nothing/'), 404, 'not_found'))['detail']),
      /see https:\/\/[a-z.]+\/docs/,
    )
  })

  test('an invalid body names every member and what to send', async () => {
    const document = await problem(await surface.request('/api/v1/things', post({ title: '', size: 'big' })), 400, 'invalid_request')
    assert.deepEqual(pointers(document), ['#/title', '#/size'])
  })

  test('a body that is no JSON object is refused', async () => {
    for (const body of ['[]', '"a"', 'null', '{', '{"title":"a","title":"b"}']) {
      await problem(await surface.request('/api/v1/things', { ...post({}), body }), 400, 'invalid_request')
    }
  })

  test('another media type, charset or coding is 415', async () => {
    for (const headers of [
      { 'Content-Type': 'text/plain' },
      { 'Content-Type': 'application/json; charset=latin1' },
      { 'Content-Encoding': 'gzip' },
    ]) {
      await problem(await surface.request('/api/v1/things', post({ title: 'a' }, headers)), 415, 'unsupported_media_type')
    }
    const fine = await surface.request(
      '/api/v1/things',
      post({ title: 'a' }, { 'Content-Type': 'application/vnd.api+json; charset="UTF-8"' }),
    )
    assert.equal(fine.status, 200)
  })

  test('a body above the limit is 413', async () => {
    const response = await surface.request('/api/v1/things', post({ title: 'a'.repeat(1_048_576) }))
    assert.match(String((await problem(response, 413, 'payload_too_large'))['detail']), /1 MiB/)
  })

  test('an upload has its own types and limit', async () => {
    const headers = { ...bearer, 'Content-Type': 'application/pdf' }
    const path = '/api/v1/things/7/file'
    const fine = await surface.request(`${path}?name=deck`, { method: 'PUT', headers, body: 'x'.repeat(64) })
    assert.deepEqual(await fine.json(), { thingId: '7', size: 64, name: 'deck' })
    await problem(await surface.request(path, { method: 'PUT', headers, body: 'x'.repeat(65) }), 413, 'payload_too_large')
    await problem(await surface.request(path, { ...post({}), method: 'PUT' }), 415, 'unsupported_media_type')
  })

  test('a credential in the address is refused', async () => {
    await problem(await surface.request('/api/v1/things?access_token=good', { headers: bearer }), 400, 'invalid_request')
    await problem(await surface.request('/api/v1/things?token=attendee'), 401, 'invalid_token')
  })
})

describe('errors', () => {
  test('every code answers with its own status', async () => {
    for (const code of errorCodes) await problem(await surface.request(`/api/v1/fail/${code}`), errorTable[code].status, code)
  })

  test('a bug is 500 without any detail, and is logged with the request id', async () => {
    const response = await surface.request('/api/v1/things', post({ title: 'bug' }))
    const id = response.headers.get('x-request-id')
    assert.ok(!JSON.stringify(await problem(response, 500, 'internal_error')).includes('secret'))
    assert.ok(surface.logged.some(({ level, fields }) => level === 'error' && Reflect.get(fields, 'requestId') === id))
  })

  test('an unknown address is 404 and a wrong method 405 with Allow', async () => {
    await problem(await surface.request('/api/v1/nothing'), 404, 'not_found')
    const wrong = await surface.request('/api/v1/things', { method: 'PATCH' })
    assert.equal(wrong.headers.get('allow'), 'DELETE, GET, HEAD, OPTIONS, POST')
    await problem(wrong, 405, 'method_not_allowed')
  })

  test('a browser gets a page for an unknown address outside the API', async () => {
    const response = await surface.request('/nothing', { headers: { Accept: 'text/html,*/*;q=0.8' } })
    assert.equal(response.status, 404)
    assert.match(await response.text(), /<h1>404 Not found/)
    assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self' 'nonce-[\w-]{22}'/)
    await problem(await surface.request('/api/nothing', { headers: { Accept: 'text/html' } }), 404, 'not_found')
  })
})

describe('other origins', () => {
  test('allowed origins may read answers and errors, others may not, and cookies never count', async () => {
    for (const [origin, allowed] of [
      ['https://app.example.com', true],
      [baseUrl, true],
      ['http://localhost:5173', true],
      ['https://evil.example', false],
      ['null', false],
    ] as const) {
      for (const path of ['/api/v1/things', '/api/v1/nothing']) {
        const response = await surface.request(path, { headers: { Origin: origin, ...bearer } })
        assert.equal(response.headers.get('access-control-allow-origin'), allowed ? origin : null)
        assert.equal(response.headers.get('access-control-allow-credentials'), null)
      }
    }
  })

  test('a preflight names the methods of the address', async () => {
    const response = await surface.request('/api/v1/things', { method: 'OPTIONS', headers: { Origin: 'https://app.example.com' } })
    assert.equal(response.status, 204)
    assert.equal(response.headers.get('access-control-allow-methods'), 'DELETE, GET, HEAD, OPTIONS, POST')
    assert.match(response.headers.get('access-control-allow-headers') ?? '', /authorization.*idempotency-key.*mcp-protocol-version/)
    assert.equal(response.headers.get('vary'), 'Origin')
  })

  test('a document that any site may read is not closed to it by its preflight', async () => {
    const ask = (path: string) => surface.request(path, { method: 'OPTIONS', headers: { Origin: 'https://evil.example' } })
    assert.equal((await ask('/healthz')).headers.get('access-control-allow-origin'), '*')
    assert.equal((await ask('/api/v1/things')).headers.get('access-control-allow-origin'), null)
  })
})
