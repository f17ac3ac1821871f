// What a hostile or broken receiver can do to one exchange: nothing but end it with a reason.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { selfSigned } from '../../../test/support/certificate.ts'
import { manualClock, settle } from '../../../test/support/clock.ts'
import { type DnsServer, startDnsServer } from '../../../test/support/dns-server.ts'
import { listenLocally, loopbackConfig, startReceiver } from '../../../test/support/outbound.ts'
import { patienceMs } from '../../../test/support/patience.ts'
import { systemClock } from '@rostrum/base/clock'
import { type Outbound, createOutbound } from './outbound.ts'

let dns: DnsServer
let outbound: Outbound
before(async () => {
  dns = await startDnsServer(() => ({ addresses: ['127.0.0.1'] }))
  outbound = createOutbound(loopbackConfig(dns.address), { clock: systemClock, userAgent: 'Rostrum-Test', hosts: '' })
})
after(async () => {
  await outbound.close()
  await dns.close()
})
const limits = { maxBytes: 1_000, timeoutMs: patienceMs }

/** A TCP server that reads a request and then does as told. */
function rawServer(act: (socket: Socket) => void) {
  return listenLocally(
    createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => act(socket))
    }),
  )
}

test('a body over the cap ends the exchange, whether announced or not', async () => {
  const announced = await startReceiver((_, response) => response.writeHead(200, { 'content-length': 5_000 }).end('x'.repeat(5_000)))
  const endless = await startReceiver((_, response) => {
    const write = () => {
      while (response.write('x'.repeat(10_000)));
    }
    response.on('drain', write)
    write()
  })
  for (const receiver of [announced, endless]) {
    const outcome = await outbound.request({ url: receiver.url, ...limits })
    assert.equal(outcome.ok ? '' : outcome.reason, 'too_large')
    const excerpt = await outbound.request({ url: receiver.url, ...limits, overflow: 'truncate' })
    assert.ok(excerpt.ok && excerpt.truncated && excerpt.body.length === 1_000)
  }
  await Promise.all([announced.close(), endless.close()])
})

test('an endless head ends as `protocol`', async () => {
  const server = await rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const write = () => {
      while (!socket.destroyed && socket.write(`x-filler: ${'y'.repeat(1_000)}\r\n`));
    }
    socket.on('drain', write)
    write()
  })
  const outcome = await outbound.request({ url: server.url, ...limits })
  assert.equal(outcome.ok ? '' : outcome.reason, 'protocol')
  await server.close()
})

test('heads of 1xx without end are cut at ten, and ten before an answer are let pass', async () => {
  const early = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
  const endless = await rawServer((socket) => {
    const write = () => {
      while (!socket.destroyed && socket.write(early.repeat(100)));
    }
    socket.on('drain', write)
    write()
  })
  const outcome = await outbound.request({ url: endless.url, ...limits })
  assert.deepEqual(outcome.ok ? '' : [outcome.reason, outcome.detail], ['protocol', 'more than 10 informational heads'])
  const polite = await rawServer((socket) => socket.end(`${early.repeat(10)}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`))
  const answer = await outbound.request({ url: polite.url, ...limits })
  assert.ok(answer.ok && answer.status === 200 && Buffer.from(answer.body).toString() === 'ok')
  await Promise.all([endless.close(), polite.close()])
})

test('malformed answers end as `protocol`, a reset before the head as `connect`', async () => {
  for (const [bytes, reason] of [
    ['SSH-2.0-OpenSSH\r\n', 'protocol'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello', 'protocol'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 'protocol'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello', 'protocol'],
    ['', 'connect'],
  ] as const) {
    const server = await rawServer((socket) => socket.end(bytes))
    const outcome = await outbound.request({ url: server.url, ...limits })
    assert.equal(outcome.ok ? `answered ${bytes}` : outcome.reason, reason, bytes)
    await server.close()
  }
})

test('with `truncate` the head decides, though the body breaks off', async () => {
  const server = await rawServer((socket) => socket.end('HTTP/1.1 204 No\r\nContent-Length: 50\r\n\r\nhello'))
  const broken = await rawServer((socket) => socket.end('HTTP/1.1 201 OK\r\nContent-Length: 50\r\n\r\nhello'))
  const outcome = await outbound.request({ url: broken.url, ...limits, overflow: 'truncate' })
  assert.ok(outcome.ok && outcome.status === 201 && outcome.truncated)
  const empty = await outbound.request({ url: server.url, ...limits, overflow: 'truncate' })
  assert.ok(empty.ok && empty.status === 204)
  await Promise.all([server.close(), broken.close()])
})

test('an encoded body is refused, not inflated', async () => {
  const bomb = gzipSync(Buffer.alloc(1_000_000))
  const receiver = await startReceiver((request, response) => {
    assert.equal(request.headers['accept-encoding'], 'identity')
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  })
  const outcome = await outbound.request({ url: receiver.url, ...limits, maxBytes: 100_000 })
  assert.equal(outcome.ok ? '' : outcome.reason, 'protocol')
  await receiver.close()
})

test('a receiver that hangs is left at the deadline: before the head, in the head, in the body, in endless 1xx', async () => {
  for (const bytes of ['', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhell', 'HTTP/1.1 103 Early Hints\r\n\r\n']) {
    const asked = Promise.withResolvers<Socket>()
    const server = await rawServer((socket) => {
      socket.write(bytes)
      asked.resolve(socket)
    })
    const clock = manualClock()
    const client = createOutbound(loopbackConfig(dns.address), { clock, userAgent: 'Rostrum-Test', hosts: '' })
    const outcome = client.request({ url: server.url, maxBytes: 1_000, timeoutMs: 20_000 })
    const socket = await asked.promise
    const closed = once(socket, 'close')
    await settle()
    await clock.advance(19_999)
    await clock.advance(1)
    const ended = await outcome
    assert.equal(ended.ok ? '' : ended.reason, 'timeout', bytes)
    await closed
    await client.close()
    await server.close()
  }
})

test('a slow body after a good head costs a webhook two seconds at most', async () => {
  const asked = Promise.withResolvers<void>()
  const server = await rawServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhell')
    asked.resolve()
  })
  const clock = manualClock()
  const client = createOutbound(loopbackConfig(dns.address), { clock, userAgent: 'Rostrum-Test', hosts: '' })
  const outcome = client.request({
    method: 'POST',
    body: '{}',
    url: server.url,
    ...limits,
    timeoutMs: 20_000,
    overflow: 'truncate',
    bodyTimeoutMs: 2_000,
  })
  await asked.promise
  while (clock.nextDue() !== clock.now() + 2_000) await settle(1)
  await clock.advance(2_000)
  const ended = await outcome
  assert.ok(ended.ok && ended.status === 200 && ended.truncated)
  await client.close()
  await server.close()
})

test('a refused connection is `connect`', async () => {
  const server = await listenLocally(createTcpServer())
  await server.close()
  const outcome = await outbound.request({ url: server.url, ...limits })
  assert.equal(outcome.ok ? '' : outcome.reason, 'connect')
})

test('a caller that gives up ends the exchange', async () => {
  const giveUp = new AbortController()
  const server = await rawServer(() => giveUp.abort())
  const outcome = await outbound.request({ url: server.url, ...limits, signal: giveUp.signal })
  assert.equal(outcome.ok ? '' : outcome.reason, 'timeout')
  await server.close()
})

test('certificates are checked against the name, which also travels as SNI and Host', async () => {
  const good = selfSigned('good.test')
  const trusted = getCACertificates('default')
  const names: (string | undefined)[] = []
  const server = createTlsServer(
    { key: good.key, cert: good.cert, SNICallback: (name, done) => (names.push(name), done(null)) },
    (request, response) => response.end(request.headers.host),
  )
  const receiver = await listenLocally(server, 'https')
  const untrusted = await outbound.request({ url: `https://good.test:${receiver.port}/`, ...limits })
  assert.equal(untrusted.ok ? '' : untrusted.reason, 'tls')
  setDefaultCACertificates([...trusted, good.cert])
  const client = createOutbound(loopbackConfig(dns.address), { clock: systemClock, userAgent: 'Rostrum-Test', hosts: '' })
  const answered = await client.request({ url: `https://good.test:${receiver.port}/`, ...limits })
  assert.ok(answered.ok, JSON.stringify(answered))
  assert.equal(Buffer.from(answered.body).toString(), `good.test:${receiver.port}`)
  const wrong = await client.request({ url: `https://other.test:${receiver.port}/`, ...limits })
  assert.equal(wrong.ok ? '' : wrong.reason, 'tls')
  assert.ok(names.includes('good.test') && names.includes('other.test'))
  setDefaultCACertificates(trusted)
  await client.close()
  await receiver.close()
})
