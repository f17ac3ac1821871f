// Streams, media and the probes of operators, called without a socket.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { TestHttp } from '../support/http.ts'
import { bearer, openHttp, problem } from '../support/http.ts'

let surface: TestHttp
beforeEach(async () => {
  surface = await openHttp()
})
afterEach(async () => {
  await surface.store.close()
})

describe('streams', () => {
  test('a reader gets what the feed writes, and the feed learns once that it has gone', async () => {
    let stops = 0
    const open = await openHttp({
      feed: {
        open(sink) {
          sink.write(Buffer.from('data: 1\n\n'))
          return { stop: () => void stops++ }
        },
      },
    })
    const response = await open.request('/api/v1/watch?token=attendee')
    assert.equal(response.headers.get('content-type'), 'text/event-stream')
    assert.equal(response.headers.get('cache-control'), 'no-store, no-transform')
    assert.equal(response.headers.get('x-accel-buffering'), 'no')
    assert.ok(response.body)
    const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader()
    const next = async () => new TextDecoder().decode((await reader.read()).value)
    assert.equal(await next(), 'data: 1\n\n')
    await open.clock.advance(15_000)
    assert.equal(await next(), ':\n\n')
    await reader.cancel()
    assert.equal(stops, 1)
    await open.store.close()
  })

  test('Accept: application/json gets the view instead', async () => {
    const response = await surface.request('/api/v1/watch?token=attendee', { headers: { Accept: 'application/json' } })
    assert.deepEqual(await response.json(), { kind: 'attendee' })
  })
})

describe('files and probes', () => {
  test('media is kept for an hour, typed, harmless and answers in parts', async () => {
    const response = await surface.request('/media/abc.png')
    assert.equal(response.headers.get('cache-control'), 'public, max-age=3600, immutable')
    assert.equal(response.headers.get('content-length'), '10')
    assert.equal(response.headers.get('content-security-policy'), "default-src 'none'; sandbox")
    assert.equal(await response.text(), '0123456789')
    for (const [range, status, body] of [
      ['bytes=2-4', 206, '234'],
      ['bytes=-3', 206, '789'],
      ['bytes=8-', 206, '89'],
      ['bytes=20-', 416, ''],
      ['bytes=0-1,3-4', 200, '0123456789'],
      ['Bytes=0-0', 206, '0'],
      ['bytes=-20', 206, '0123456789'],
      ['bytes=-0', 416, ''],
      ['bytes=9-1000000000000000000000', 206, '9'],
      ['pages=1-2', 200, '0123456789'],
    ] as const) {
      const part = await surface.request('/media/abc.png', { headers: { Range: range } })
      assert.equal(part.status, status, range)
      assert.equal(await part.text(), body, range)
    }
    await problem(await surface.request('/media/..%2fsecret'), 404, 'not_found')
  })

  test('a part is of the bytes that its caller has begun with, and a question without a body has none', async () => {
    const asked = (headers: Record<string, string>, method = 'GET') => surface.request('/media/abc.png', { method, headers })
    const part = await asked({ Range: 'bytes=2-4', 'If-Range': '"abc.png"' })
    assert.deepEqual([part.status, part.headers.get('content-range'), await part.text()], [206, 'bytes 2-4/10', '234'])
    for (const other of ['"abd.png"', 'W/"abc.png"', 'Sat, 28 Nov 2026 12:00:00 GMT'])
      assert.equal((await asked({ Range: 'bytes=2-4', 'If-Range': other })).status, 200, other)
    // RFC 9110 section 14.2: a range is of a GET alone.
    const head = await asked({ Range: 'bytes=2-4' }, 'HEAD')
    assert.deepEqual([head.status, head.headers.get('content-length'), await head.text()], [200, '10', ''])
    for (const known of ['"abc.png"', 'W/"abc.png"', '"x", "abc.png"', '*'])
      assert.equal((await asked({ 'If-None-Match': known })).status, 304, known)
    assert.equal((await asked({ 'If-None-Match': '"abc.pngx"' })).status, 200)
  })

  test('what its owner has deleted is gone, for whoever has a copy too', async () => {
    const gone = await surface.request('/media/gone.png', { headers: { 'If-None-Match': '"gone.png"' } })
    assert.equal(gone.headers.get('cache-control'), 'no-store')
    await problem(gone, 410, 'gone')
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
