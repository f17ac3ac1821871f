// The HTTP surface on a real socket: what only the wire can show.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { FeedSink } from '../../server/platform/operation.ts'
import type { TestHttp } from '../support/http.ts'
import { bearer, openHttp } from '../support/http.ts'

let surface: TestHttp
let port: number
let sinks: FeedSink[]
let stops: number
const sockets = new Set<Socket>()

beforeEach(async () => {
  sinks = []
  stops = 0
  surface = await openHttp({
    feed: {
      open(sink) {
        sinks.push(sink)
        return { stop: () => void stops++ }
      },
    },
  })
  port = await surface.http.listen()
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  const closed = surface.http.close(1)
  await surface.clock.advance(1)
  await closed
  await surface.store.close()
})

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  sockets.add(socket)
  await once(socket, 'connect')
  return socket
}

/** Sends raw bytes and gives everything that comes back until the server closes. */
async function exchange(bytes: string | Buffer): Promise<string> {
  const socket = await open()
  let answer = ''
  socket.on('data', (chunk: Buffer) => void (answer += chunk.toString('latin1')))
  socket.write(bytes)
  await once(socket, 'close')
  return answer
}

/** The same for a sender that stops half-way: it has its answer at once, and a moment later the connection ends. */
async function answerThenEnd(bytes: string): Promise<string> {
  const socket = await open()
  let answer = ''
  socket.on('data', (chunk: Buffer) => void (answer += chunk.toString('latin1')))
  socket.write(bytes)
  await until(() => answer.includes('"status":'))
  assert.equal(socket.destroyed, false)
  await once(socket, 'close')
  return answer
}

const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
const close = 'Connection: close'
const json = 'Content-Type: application/json'
const auth = `Authorization: ${bearer.Authorization}`

async function until(met: () => boolean): Promise<void> {
  while (!met()) await new Promise((resolve) => setImmediate(resolve))
}

describe('requests', () => {
  test('two Authorization headers both reach the check', async () => {
    const answer = await exchange(head('GET /api/v1/things HTTP/1.1', 'Host: x', 'Authorization: Bearer bad', auth, close))
    assert.match(answer, /^HTTP\/1\.1 401 /)
  })

  test('a chunked body is counted while it comes, and the connection ends', async () => {
    const chunk = `${(65_536).toString(16)}\r\n${'a'.repeat(65_536)}\r\n`
    const start = head('POST /api/v1/things HTTP/1.1', 'Host: x', auth, json, 'Transfer-Encoding: chunked')
    const answer = await answerThenEnd(start + chunk.repeat(17))
    assert.match(answer, /^HTTP\/1\.1 413 /)
    assert.equal(surface.samples.created, 0)
  })

  test('a declared length above the limit is refused before a byte of it is read', async () => {
    const answer = await answerThenEnd(head('POST /api/v1/things HTTP/1.1', 'Host: x', auth, json, 'Content-Length: 99999999'))
    assert.match(answer, /^HTTP\/1\.1 413 /)
  })

  test('a sender of a body far above the limit reads the 413 instead of a broken pipe', async () => {
    const body = Buffer.alloc(16_777_216, 'a')
    for (const framing of [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked']) {
      const isChunked = framing.startsWith('Transfer')
      const parts = isChunked ? [`${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n'] : [body]
      const bytes = Buffer.concat(
        [head('POST /api/v1/things HTTP/1.1', 'Host: x', auth, json, framing), ...parts].map((part) => Buffer.from(part)),
      )
      const socket = await open()
      let answer = ''
      let failure: Error | undefined
      socket.on('error', (error) => void (failure = error))
      socket.on('data', (chunk: Buffer) => void (answer += chunk.toString('latin1')))
      socket.write(bytes)
      await until(() => failure !== undefined || (answer.includes('"status":') && socket.bytesWritten === bytes.length))
      socket.destroy()
      assert.equal(failure, undefined, framing)
      assert.equal(socket.bytesWritten, bytes.length, framing)
      assert.match(answer, /^HTTP\/1\.1 413 /, framing)
    }
  })

  test('bytes that are no HTTP, a head without its host and an unknown expectation get a problem document', async () => {
    for (const bytes of [
      'hello\r\n\r\n',
      head('GET /healthz HTTP/1.1', close),
      head('GET /healthz HTTP/1.1', 'Host: x', 'Expect: the-unexpected', close),
      head('GET /healthz HTTP/1.1', 'Host: a b', close),
      head('GET /a\\b HTTP/1.1', 'Host: x', close),
      head('POST /api/v1/things HTTP/1.1', 'Host: x', 'Content-Length: 1', 'Transfer-Encoding: chunked'),
    ]) {
      const answer = await exchange(bytes)
      assert.match(answer, /^HTTP\/1\.1 400 /, bytes.slice(0, 60))
      assert.match(answer, /content-type: application\/problem\+json/i)
      assert.match(answer, /"code":"invalid_request"/)
    }
  })

  test('headers that are too long are told to be, with the status of their own; HTTP/1.0 needs no Host', async () => {
    const answer = await exchange(head('GET / HTTP/1.1', 'Host: x', `X-Large: ${'a'.repeat(40_000)}`))
    assert.match(answer, /^HTTP\/1\.1 431 [^]*application\/problem\+json[^]*"status":431[^]*"code":"headers_too_large"/)
    assert.match(await exchange(head('GET /healthz HTTP/1.0', close)), /^HTTP\/1\.1 200 /)
  })

  test('an address written in an odd way reaches the same operation, and none by a detour', async () => {
    const get = async (target: string, host = 'x') =>
      (await exchange(head(`GET ${target} HTTP/1.1`, `Host: ${host}`, auth, close))).slice(9, 12)
    const id = '0b0e7a52-3a51-4f2a-9c1b-2b0a3f7d9c11'
    for (const target of [
      `/api/v1/things/${id}`,
      `/api/v1/things/%30${id.slice(1)}`,
      `/api/v1/x/../things/${id}`,
      `/api/v1/./things/${id}#part`,
    ]) {
      assert.equal(await get(target), '200', target)
    }
    assert.equal(await get(`/api/v1/things/${id}`, '[::1]:4400'), '200')
    for (const target of [`//api/v1/things/${id}`, `/api/v1/things/${id}/`, `/api/v1/things%2F${id}`])
      assert.equal(await get(target), '404', target)
    assert.equal(await get(`/api/v1/things/${id}`, 'a:b@c'), '400')
  })

  test('an answer has its length, also an empty one and one to HEAD', async () => {
    const empty = await exchange(head('DELETE /api/v1/things?id=1 HTTP/1.1', 'Host: x', auth, close))
    assert.match(empty, /^HTTP\/1\.1 204 /)
    assert.doesNotMatch(empty, /content-length|transfer-encoding/i)
    const full = await exchange(head('GET /api/v1/things HTTP/1.1', 'Host: x', auth, close))
    const none = await exchange(head('HEAD /api/v1/things HTTP/1.1', 'Host: x', auth, close))
    const length = /content-length: (\d+)/i.exec(full)?.[1]
    assert.equal(/content-length: (\d+)/i.exec(none)?.[1], length)
    assert.equal(full.split('\r\n\r\n')[1]?.length, Number(length))
    assert.equal(none.split('\r\n\r\n')[1], '')
  })

  test('a header of an answer that cannot be sent is a fault of ours, not of the connection', async () => {
    const answer = await exchange(head('GET /api/v1/things/bad-header HTTP/1.1', 'Host: x', auth, close))
    assert.match(answer, /^HTTP\/1\.1 500 /)
    assert.match(answer, /"code":"internal_error"/)
    assert.doesNotMatch(answer, /injected/i)
  })

  test('the rest of a body that nobody reads ends the connection after a moment', async () => {
    const socket = await open()
    let answer = ''
    socket.on('data', (chunk: Buffer) => void (answer += chunk.toString('latin1')))
    socket.write(head('POST /api/v1/things HTTP/1.1', 'Host: x', 'Authorization: Bearer bad', json, 'Content-Length: 1000000'))
    await until(() => answer.includes('"code":"invalid_token"'))
    socket.write('a'.repeat(1_000))
    await once(socket, 'close')
  })

  test('a refused call whose body came whole leaves the connection open for the next', async () => {
    const refused = head('POST /api/v1/things HTTP/1.1', 'Host: x', 'Authorization: Bearer bad', json, 'Content-Length: 2') + '{}'
    const answer = await exchange(refused + head('GET /api/v1/things HTTP/1.1', 'Host: x', auth, close))
    assert.match(answer, /^HTTP\/1\.1 401 [^]*HTTP\/1\.1 200 /)
  })

  test('HEAD of a stream opens nothing', async () => {
    const answer = await exchange(head('HEAD /api/v1/watch HTTP/1.1', 'Host: x', close))
    assert.match(answer, /^HTTP\/1\.1 200 /)
    assert.equal(sinks.length, 0)
  })

  test('a request without Host is answered', async () => {
    assert.match(await exchange(head('GET /healthz HTTP/1.0')), /^HTTP\/1\.1 200 /)
  })
})

describe('streams', () => {
  const watch = head('GET /api/v1/watch HTTP/1.1', 'Host: x')

  test('messages arrive as they were written, without a frame around them', async () => {
    const socket = await open()
    let answer = ''
    socket.on('data', (chunk: Buffer) => void (answer += chunk.toString()))
    socket.write(watch)
    await until(() => sinks.length === 1)
    sinks[0]?.write(Buffer.from('id: 1-1\ndata: {}\n\n'))
    await until(() => answer.endsWith('\n\n') && answer.includes('id: 1-1'))
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
    assert.match(answer, /\r\nContent-Type: text\/event-stream\r\n/)
    assert.match(answer, /\r\nConnection: close\r\n/)
    assert.doesNotMatch(answer, /Transfer-Encoding/i)
    assert.ok(answer.endsWith('\r\n\r\nid: 1-1\ndata: {}\n\n'))
  })

  test('a quiet stream gets a comment every 15 s', async () => {
    const socket = await open()
    let answer = ''
    socket.on('data', (chunk: Buffer) => void (answer += chunk.toString()))
    socket.write(watch)
    await until(() => sinks.length === 1)
    await surface.clock.advance(30_000)
    await until(() => answer.endsWith('\r\n\r\n:\n\n:\n\n'))
  })

  test('a stream that carries messages gets no comment beside them', async () => {
    const socket = await open()
    let answer = ''
    socket.on('data', (chunk: Buffer) => void (answer += chunk.toString()))
    socket.write(watch)
    await until(() => sinks.length === 1)
    await surface.clock.advance(14_000)
    sinks[0]?.write(Buffer.from('data: 1\n\n'))
    await surface.clock.advance(9_000)
    sinks[0]?.write(Buffer.from('data: 2\n\n'))
    await surface.clock.advance(15_000)
    await until(() => answer.endsWith('\r\n\r\ndata: 1\n\ndata: 2\n\n:\n\n'))
  })

  test('a reader that goes is told of once, and its sink takes nothing more', async () => {
    const socket = await open()
    socket.write(watch)
    await until(() => sinks.length === 1)
    socket.destroy()
    await until(() => stops === 1)
    assert.equal(sinks[0]?.write(Buffer.from('late')), false)
    sinks[0]?.close()
    assert.equal(stops, 1)
  })

  test('a reader that lags is reported once 256 KiB wait for it', async () => {
    const socket = await open()
    socket.pause()
    socket.write(watch)
    await until(() => sinks.length === 1)
    const chunk = Buffer.alloc(65_536, 'a')
    let written = 0
    while (sinks[0]?.write(chunk) === true && written < 1_000) written++
    assert.ok(written < 1_000, 'never reported')
  })

  test('a stream asked for behind another request is answered after it', async () => {
    const socket = await open()
    let answer = ''
    socket.on('data', (chunk: Buffer) => void (answer += chunk.toString()))
    socket.write(head('GET /healthz HTTP/1.1', 'Host: x') + watch)
    await until(() => sinks.length === 1)
    sinks[0]?.write(Buffer.from('data: {}\n\n'))
    await until(() => answer.includes('data: {}\n\n'))
    assert.match(answer, /\{"status":"ok"\}HTTP\/1\.1 200 OK\r\n/)
    socket.destroy()
    await until(() => stops === 1)
  })

  test('a reader that never reads does not hold up the end', async () => {
    const socket = await open()
    socket.pause()
    socket.write(watch)
    await until(() => sinks.length === 1)
    while (sinks[0]?.write(Buffer.alloc(1_048_576)) === true);
    const closed = surface.http.close(1_000)
    await surface.clock.advance(1_000)
    await closed
    assert.equal(stops, 1)
  })

  test('closing ends every stream and waits for nothing else', async () => {
    const streams = [await open(), await open()]
    for (const socket of streams) socket.write(watch)
    await until(() => sinks.length === 2)
    const ended = Promise.all(streams.map((socket) => once(socket.resume(), 'end')))
    await surface.http.close()
    await ended
    assert.equal(stops, 2)
  })
})
