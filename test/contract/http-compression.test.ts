// Which answers travel compressed, and which never do because their length could tell a secret.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { gunzipSync, inflateSync } from 'node:zlib'
import type { Route } from '../../server/platform/http/ports.ts'
import type { TestHttp } from '../support/http.ts'
import { bearer, openHttp } from '../support/http.ts'

const long = `<p>${'The talk begins. '.repeat(400)}</p>`
const page = (path: string, headers: Record<string, string>, body = long): Route => ({
  method: 'GET',
  path,
  kind: 'page',
  handle: () => new Response(body, { headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers } }),
})
const routes: readonly Route[] = [
  page('/long', { 'Cache-Control': 'private, no-cache', ETag: '"1"', Vary: 'Accept' }),
  page('/secret', { 'Cache-Control': 'no-store' }),
  page('/signs-in', { 'Set-Cookie': 'a=b' }),
  page('/picture', { 'Content-Type': 'image/png' }),
  { ...page('/protocol', {}), kind: 'protocol' },
]
const both = { 'Accept-Encoding': 'gzip, deflate, br' }
const tags = Array.from({ length: 600 }, (_, index) => `tags=word${String(index)}`).join('&')

let surface: TestHttp
beforeEach(async () => {
  surface = await openHttp({ options: { routes } })
})
afterEach(async () => {
  await surface.store.close()
})

const codingOf = async (path: string, headers: Record<string, string> = both) =>
  (await surface.request(path, { headers })).headers.get('content-encoding')

describe('pages and documents', () => {
  test('a long page is sent in the best coding that the caller takes, whole and a fraction of its size', async () => {
    for (const [headers, coding, decode] of [
      [both, 'gzip', gunzipSync],
      [{ 'Accept-Encoding': 'br;q=0, gzip;q=0, deflate' }, 'deflate', inflateSync],
      [{ 'Accept-Encoding': 'br;q=0, gzip;q=0.5' }, 'gzip', gunzipSync],
    ] as const) {
      const response = await surface.request('/long', { headers })
      assert.equal(response.headers.get('content-encoding'), coding)
      assert.equal(response.headers.get('etag'), 'W/"1"', 'another coding is other bytes')
      assert.match(response.headers.get('vary') ?? '', /^Accept, Accept-Encoding/)
      const bytes = Buffer.from(await response.arrayBuffer())
      assert.ok(bytes.length < long.length / 10)
      assert.equal(decode(bytes).toString(), long)
    }
  })

  test('who takes no coding gets the page as it is, and caches are told that it varies', async () => {
    for (const headers of [{}, { 'Accept-Encoding': 'identity' }, { 'Accept-Encoding': 'br;q=0, gzip;q=0' }]) {
      const response = await surface.request('/long', { headers })
      assert.equal(response.headers.get('content-encoding'), null)
      assert.match(response.headers.get('vary') ?? '', /Accept-Encoding/)
      assert.equal(response.headers.get('etag'), '"1"')
      assert.equal(await response.text(), long)
    }
  })

  test('a page that holds a secret, sets a cookie, is no text or is of a protocol is never compressed', async () => {
    for (const path of ['/secret', '/signs-in', '/picture', '/protocol']) assert.equal(await codingOf(path), null, path)
  })
})

describe('answers of operations', () => {
  const path = `/api/v1/things?${tags}`

  test('a long answer to a bearer token is compressed and still revalidates', async () => {
    const response = await surface.request(path, { headers: { ...bearer, ...both } })
    assert.equal(response.headers.get('content-encoding'), 'gzip')
    const value: unknown = JSON.parse(gunzipSync(Buffer.from(await response.arrayBuffer())).toString())
    assert.ok(typeof value === 'object' && value !== null && 'tags' in value && Array.isArray(value.tags) && value.tags.length === 600)
    const again = await surface.request(path, { headers: { ...bearer, ...both, 'If-None-Match': response.headers.get('etag') ?? '' } })
    assert.equal(again.status, 304)
  })

  test('one asked for with a cookie, a short one, a secret and a stream go as they are', async () => {
    assert.equal(await codingOf(path, { ...bearer, ...both, Cookie: 'a=b' }), null, 'another site could make a browser ask for it')
    assert.equal(await codingOf('/api/v1/things', { ...bearer, ...both }), null)
    const secret = await surface.request('/api/v1/secrets', {
      method: 'POST',
      headers: { ...bearer, ...both, 'Content-Type': 'application/json' },
      body: '{}',
    })
    assert.equal(secret.headers.get('content-encoding'), null)
    const stream = await surface.request('/api/v1/watch?token=attendee', { headers: both })
    assert.equal(stream.headers.get('content-encoding'), null)
    await stream.body?.cancel()
  })
})
