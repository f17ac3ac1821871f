// What the HTTP surface gives to whom: figures to this machine alone, and no more time than a request needs to arrive.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { FeedSink } from '../../server/platform/operation.ts'
import { eventually } from '../support/clock.ts'
import type { TestHttp } from '../support/http.ts'
import { baseUrl, bearer, openHttp } from '../support/http.ts'

let surface: TestHttp
let port: number
const sinks: FeedSink[] = []
const webRoot = mkdtempSync(join(tmpdir(), 'rostrum-edges-'))
const sizeBytes = 64 * 1_048_576
mkdirSync(join(webRoot, 'assets'))
writeFileSync(join(webRoot, 'assets/large.js'), Buffer.alloc(sizeBytes, 'a'))

before(async () => {
  surface = await openHttp({
    feed: {
      open(sink) {
        sinks.push(sink)
        return { stop: () => undefined }
      },
    },
    options: {
      config: {
        host: '127.0.0.1',
        port: 0,
        baseUrl,
        corsOrigins: [],
        assetOrigin: null,
        metricsToken: null,
        trustProxy: ['127.0.0.0/8'],
        otlpEndpoint: null,
      },
      arrival: { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 20, unreadMs: 200 },
      webRoot,
    },
  })
  port = await surface.http.listen()
})
after(async () => {
  const closed = surface.http.close(1)
  await surface.clock.advance(1)
  await closed
  await surface.store.close()
  rmSync(webRoot, { recursive: true, force: true })
})

const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
const auth = `Authorization: ${bearer.Authorization}`

async function sent(bytes: string): Promise<{ socket: Socket; answer: () => string; closed: Promise<unknown> }> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => void (text += chunk.toString('latin1'))).on('error', () => undefined)
  await once(socket, 'connect')
  const closed = once(socket, 'close')
  socket.write(bytes)
  return { socket, answer: () => text, closed }
}

async function statusOf(...lines: string[]): Promise<string> {
  const { answer, closed } = await sent(head('GET /metrics HTTP/1.1', ...lines, 'Connection: close'))
  await closed
  return answer().slice(9, 12)
}

describe('/metrics without a token', () => {
  test('answers on this machine, by any of its names', async () => {
    for (const host of ['localhost', `localhost:${port}`, '127.0.0.1:4400', '127.8.9.10', '[::1]:4400', 'LOCALHOST'])
      assert.equal(await statusOf(`Host: ${host}`), '200', host)
  })

  test('does not exist for a stranger behind a proxy of this machine: the proxy has a loopback address', async () => {
    for (const host of ['talks.example.com', 'evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'localhost@evil.example'])
      assert.equal(await statusOf(`Host: ${host}`), host.includes('@') ? '400' : '404', host)
    for (const line of [
      'X-Forwarded-For: 127.0.0.1',
      'X-Forwarded-Host: localhost',
      'X-Forwarded-Proto: https',
      'X-Real-IP: 127.0.0.1',
      'Forwarded: for=127.0.0.1',
      'Via: 1.1 proxy',
    ])
      assert.equal(await statusOf('Host: localhost', line), '404', line)
  })
})

describe('a request that does not arrive', () => {
  test('ends, and neither a stream nor an upload ends with it', async () => {
    const stream = await sent(head('GET /api/v1/watch HTTP/1.1', 'Host: x'))
    const [half, silent, slow] = await Promise.all([
      sent('GET /healthz HTTP/1.1\r\nHost: x\r\n'),
      sent(''),
      sent(`${head('POST /api/v1/things HTTP/1.1', 'Host: x', auth, 'Content-Type: application/json', 'Content-Length: 99')}{`),
    ])
    // The parts of an upload come one after the other, each in a packet of its own.
    const upload = await sent(
      head('PUT /api/v1/things/a/file HTTP/1.1', 'Host: x', auth, 'Content-Type: application/pdf', 'Content-Length: 60'),
    )
    for (let part = 0; part < 6; part++) {
      upload.socket.write('0123456789')
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all([half.closed, silent.closed, slow.closed])
    assert.match(half.answer(), /^HTTP\/1\.1 408 [^]*took too long to arrive/)
    assert.match(upload.answer(), /^HTTP\/1\.1 200 [^]*"size":60/)
    assert.equal(stream.socket.destroyed, false)
    const data = once(stream.socket, 'data')
    sinks[0]?.write(Buffer.from('data: still here\n\n'))
    await data
    assert.match(stream.answer(), /still here/)
    stream.socket.destroy()
    upload.socket.destroy()
  })
})

describe('an answer that nobody reads', () => {
  /** Files of `webRoot` that this process has open. */
  const opened = () => {
    const folder = '/proc/self/fd'
    return readdirSync(folder).filter((fd) => existsSync(join(folder, fd)) && readlinkSync(join(folder, fd)).startsWith(webRoot))
  }

  test('ends with its connection, whatever it is of', { skip: !existsSync('/proc/self/fd') }, async () => {
    const { socket } = await sent(head('GET /assets/large.js HTTP/1.1', 'Host: x'))
    socket.pause()
    await eventually(async () => opened().length > 0)
    await eventually(async () => opened().length === 0)
    socket.resume()
    await once(socket, 'close')
    assert.ok(socket.bytesRead < sizeBytes, `${socket.bytesRead} bytes`)
  })
})
