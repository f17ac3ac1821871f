// The HTTP surface on a real socket: what only the wire can show.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { FeedSink } from '../../src/kernel/operation.ts'
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
        return () => void stops++
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
    const answer = await exchange(start + chunk.repeat(17))
    assert.match(answer, /^HTTP\/1\.1 413 /)
    assert.match(answer, /connection: close/i)
    assert.equal(surface.samples.created, 0)
  })

  test('a declared length above the limit is refused before a byte of it is read', async () => {
    const answer = await exchange(head('POST /api/v1/things HTTP/1.1', 'Host: x', auth, json, 'Content-Length: 99999999'))
    assert.match(answer, /^HTTP\/1\.1 413 /)
  })

  test('bytes that are no HTTP, a head that is too large and an unknown expectation get a problem document', async () => {
    for (const bytes of [
      'hello\r\n\r\n',
      head('GET / HTTP/1.1', 'Host: x', `X-Large: ${'a'.repeat(40_000)}`),
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
    await until(() => answer.endsWith('\r\n\r\ndata: {}\n\n'))
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
