// The HTTP surface (Spec 4, 5, 7): what every operation gets from it.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { errorCodes, errorTable } from '../../src/kernel/errors.ts'
import type { TestHttp } from '../support/http.ts'
import { baseUrl, bearer, openHttp, post } from '../support/http.ts'

let surface: TestHttp
beforeEach(async () => {
  surface = await openHttp()
})
afterEach(async () => {
  await surface.store.close()
})

async function problem(response: Response, status: number, code: string): Promise<Record<string, unknown>> {
  const body: unknown = await response.json()
  assert.equal(response.status, status, JSON.stringify(body))
  assert.equal(response.headers.get('content-type'), 'application/problem+json')
  assert.ok(typeof body === 'object' && body !== null)
  const document = body as Record<string, unknown>
  assert.equal(document['code'], code)
  assert.equal(document['status'], status)
  assert.equal(document['type'], `${baseUrl}/docs/errors#${code}`)
  assert.equal(document['instance'], `urn:uuid:${response.headers.get('x-request-id')}`)
  assert.equal(document['error_description'], document['detail'])
  return document
}

const pointers = (document: Record<string, unknown>) => (document['errors'] as { pointer: string }[]).map(({ pointer }) => pointer)

describe('order', () => {
  test('a call without a credential is 401 before its body is read', async () => {
    const response = await surface.request('/api/v1/things', { method: 'POST', body: '{' })
    assert.equal(response.headers.get('www-authenticate'), 'Bearer resource_metadata="here"')
    await problem(response, 401, 'invalid_token')
  })

  test('a credential without the scope is 403 before its body is read', async () => {
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

  test('a refused limit is 429 with Retry-After, and nothing runs', async () => {
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
    assert.deepEqual(await response.json(), { id: 1, title: 'a' })
  })

  test('an operation without a view answers 204', async () => {
    const response = await surface.request('/api/v1/things?id=1', { method: 'DELETE', headers: bearer })
    assert.equal(response.status, 204)
    assert.equal(await response.text(), '')
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

  test('a path member that is not valid is named', async () => {
    const response = await surface.request('/api/v1/things/nope', { headers: bearer })
    assert.deepEqual(pointers(await problem(response, 400, 'invalid_request')), ['#/thingId'])
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
    assert.match(response.headers.get('access-control-allow-headers') ?? '', /authorization.*idempotency-key/)
  })
})

describe('Idempotency-Key', () => {
  const key = { 'Idempotency-Key': 'k1' }

  test('a repeat gets the same answer and runs nothing', async () => {
    const first = await surface.request('/api/v1/things', post({ title: 'a' }, key))
    const again = await surface.request('/api/v1/things', post({ title: 'a' }, key))
    assert.equal(await again.text(), await first.text())
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.equal(surface.samples.created, 1)
  })

  test('the same key with another body is 409', async () => {
    await surface.request('/api/v1/things', post({ title: 'a' }, key))
    await problem(await surface.request('/api/v1/things', post({ title: 'b' }, key)), 409, 'idempotency_conflict')
  })

  test('of ten at once one runs and all get its answer', async () => {
    const calls = Array.from({ length: 10 }, () => surface.request('/api/v1/things', post({ title: 'a' }, key)))
    const done = Promise.all(calls)
    for (let turn = 0; turn < 20; turn++) await surface.clock.advance(50)
    const bodies = await Promise.all((await done).map((response) => response.text()))
    assert.equal(surface.samples.created, 1)
    assert.deepEqual(new Set(bodies), new Set(['{"id":1,"title":"a"}']))
  })

  test('a failure is not kept', async () => {
    await problem(await surface.request('/api/v1/things', post({ title: 'taken' }, key)), 409, 'conflict')
    const response = await surface.request('/api/v1/things', post({ title: 'free' }, key))
    assert.equal(response.status, 200)
  })

  test('keys belong to their credential, and end after a day', async () => {
    await surface.request('/api/v1/things', post({ title: 'a' }, key))
    await surface.clock.advance(86_400_001)
    const response = await surface.request('/api/v1/things', post({ title: 'b' }, key))
    assert.equal(response.status, 200)
  })

  test('an answer with a secret is never kept', async () => {
    const secrets = [await surface.request('/api/v1/secrets', post({}, key)), await surface.request('/api/v1/secrets', post({}, key))]
    assert.deepEqual(await Promise.all(secrets.map((response) => response.text())), ['{"secret":"s1"}', '{"secret":"s2"}'])
    const kept = await surface.store.read.selectFrom('idempotency').selectAll().execute()
    assert.deepEqual(kept, [])
  })

  test('a key that is not visible ASCII is refused', async () => {
    await problem(
      await surface.request('/api/v1/things', post({ title: 'a' }, { 'Idempotency-Key': 'k'.repeat(256) })),
      400,
      'invalid_request',
    )
  })
})

describe('streams', () => {
  test('a reader gets what the feed writes, and the feed learns once that it has gone', async () => {
    let stops = 0
    const open = await openHttp({
      feed: {
        open(sink) {
          sink.write(Buffer.from('data: 1\n\n'))
          return () => void stops++
        },
      },
    })
    const response = await open.request('/api/v1/watch?token=attendee')
    assert.equal(response.headers.get('content-type'), 'text/event-stream')
    assert.equal(response.headers.get('cache-control'), 'no-store, no-transform')
    assert.equal(response.headers.get('x-accel-buffering'), 'no')
    const reader = response.body?.getReader()
    assert.equal(new TextDecoder().decode((await reader?.read())?.value), 'data: 1\n\n')
    await open.clock.advance(15_000)
    assert.equal(new TextDecoder().decode((await reader?.read())?.value), ':\n\n')
    await reader?.cancel()
    assert.equal(stops, 1)
    await open.store.close()
  })

  test('Accept: application/json gets the view instead', async () => {
    const response = await surface.request('/api/v1/watch?token=attendee', { headers: { Accept: 'application/json' } })
    assert.deepEqual(await response.json(), { kind: 'attendee' })
  })
})

describe('files and probes', () => {
  test('media is immutable, typed, harmless and answers in parts', async () => {
    const response = await surface.request('/media/abc.png')
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(response.headers.get('content-security-policy'), "default-src 'none'; sandbox")
    assert.equal(await response.text(), '0123456789')
    for (const [range, status, body] of [
      ['bytes=2-4', 206, '234'],
      ['bytes=-3', 206, '789'],
      ['bytes=8-', 206, '89'],
      ['bytes=20-', 416, ''],
      ['bytes=0-1,3-4', 200, '0123456789'],
    ] as const) {
      const part = await surface.request('/media/abc.png', { headers: { Range: range } })
      assert.equal(part.status, status, range)
      assert.equal(await part.text(), body, range)
    }
    await problem(await surface.request('/media/..%2fsecret'), 404, 'not_found')
  })

  test('live, ready and metrics answer, the last to its token only', async () => {
    assert.equal((await surface.request('/healthz')).status, 200)
    assert.equal((await surface.request('/readyz')).status, 200)
    await problem(await surface.request('/metrics'), 404, 'not_found')
    await surface.request('/api/v1/things', { headers: bearer })
    const text = await (await surface.request('/metrics', { headers: { Authorization: 'Bearer metrics' } })).text()
    assert.match(text, /rostrum_http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/things",status="2xx"\} 1\n/)
    assert.match(text, /rostrum_streams_open 0\n/)
  })

  test('a process whose store is away is not ready', async () => {
    const away = await openHttp({ options: { ready: async () => Promise.reject(new Error('refused')) } })
    const response = await away.request('/readyz')
    assert.equal(response.status, 503)
    assert.equal(await response.text(), '{"status":"not ready","reason":"The store cannot be reached."}')
    await away.store.close()
  })
})
