// Over a real connection: what readers cost while they do not read.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, test } from 'node:test'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { eventually, manualClock } from '../../../test/support/clock.ts'
import { tmpdir } from 'node:os'
import { systemIds as ids } from '@rostrum/base/clock'
import { clientAddress, Exchange, type HttpContext } from './exchange.ts'
import { createSpool } from './spool.ts'
import { PieceMissing, pieceServer, type PieceServer } from './pieces.ts'

const bounds = {
  pieceBytes: 1_048_576,
  heldBytes: 8_388_608,
  heldBytesOfOne: 4_194_304,
  waitingMost: 2,
  waitMs: 5_000,
  takenWithinMs: 30_000,
  pressedMs: 2_000,
}
const sizeBytes = 64 * bounds.pieceBytes
const clock = manualClock()
const log = { error: () => assert.fail('a fault') }
const spool = createSpool({ directory: tmpdir(), clock, ids, onFailure: (error) => assert.fail(String(error)) })
let server: PieceServer
/** What was read, as `start length`. */
let asked: string[] = []
let port = 0
let close: () => Promise<void>
const sockets = new Set<Socket>()
const read = async (start: number, into: Uint8Array) => {
  asked.push(`${start} ${into.length}`)
  into.fill(start / bounds.pieceBytes)
  return into.length
}

beforeEach(async () => {
  server = pieceServer(clock, log, bounds)
  asked = []
  const app = new Hono()
  app.get('/:network/:start/:end', async (context: HttpContext) => {
    const [, network = '', start, end] = context.req.path.split('/')
    const exchange = new Exchange(context, { clock, ids, spool, addressOf: clientAddress([]), tracesAll: false })
    const span = { start: Number(start), end: Number(end) }
    const pieces = await server.open({ name: 'film', read }, span, network).catch(() => undefined)
    if (pieces === undefined) return new Response(null, { status: 503 })
    return server.send(exchange, new Response(null, { headers: { 'Content-Length': String(span.end - span.start) } }), pieces)
  })
  const listener = getRequestListener(app.fetch)
  const listening = createServer((request, response) => void listener(request, response))
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  port = (listening.address() as AddressInfo).port
  close = async () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    listening.close()
    await once(listening, 'close')
  }
})
afterEach(() => close())

const inFlight = () => server.gauges().rostrum_file_bytes_in_flight.value
const fetched = (start: number, end: number, network = 'one') => fetch(`http://127.0.0.1:${port}/${network}/${start}/${end}`)

/** Asks for all from `start` on and reads nothing. */
async function unread(start: number, network = 'one'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  sockets.add(socket)
  await once(socket, 'connect')
  socket.on('error', () => undefined).pause()
  socket.write(`GET /${network}/${start}/${sizeBytes} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  return socket
}

/** No piece more is read for anybody. */
async function still(): Promise<void> {
  for (let quiet = 0, before = -1; quiet < 20; before = asked.length) {
    await new Promise((resolve) => void setImmediate(resolve))
    quiet = asked.length === before ? quiet + 1 : 0
  }
}

test('a range of one byte reads one byte: it read the whole film', async () => {
  const answer = await fetched(5_242_880, 5_242_881)
  assert.deepEqual([...new Uint8Array(await answer.arrayBuffer())], [5])
  assert.deepEqual(asked, ['5242880 1'])
  await eventually(async () => inFlight() === 0)
})

test('a whole file comes in pieces, each when the one before has left', async () => {
  const bytes = new Uint8Array(await (await fetched(0, sizeBytes)).arrayBuffer())
  assert.deepEqual(
    Array.from({ length: 64 }, (_, at) => bytes[at * bounds.pieceBytes]),
    Array.from({ length: 64 }, (_, at) => at),
  )
  assert.equal(asked.length, 64)
  await eventually(async () => inFlight() === 0)
})

test('a room that asks for its next slide at once has it read once', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let reads = 0
  const slide = {
    name: 'slide',
    async read(_: number, into: Uint8Array) {
      await promise
      into.fill(++reads)
      return into.length
    },
  }
  const room = Promise.all(Array.from({ length: 300 }, () => server.open(slide, { start: 0, end: 100 }, 'one')))
  await still()
  assert.equal(inFlight(), 100)
  resolve()
  for (const pieces of await room) assert.equal((await Array.fromAsync(pieces))[0]?.[0], 1)
  assert.deepEqual([reads, inFlight()], [1, 0])
})

test('readers that want different pieces hold no more than their share, and others are served meanwhile', async () => {
  for (let reader = 0; reader < 40; reader++) await unread(reader * 17)
  await still()
  assert.ok(inFlight() <= bounds.heldBytesOfOne, `${inFlight()} bytes`)
  assert.equal((await (await fetched(0, 100, 'other')).arrayBuffer()).byteLength, 100)
})

test('no reader keeps its place without reading: it is cut after half a minute', async () => {
  const readers = [await unread(1), await unread(2)]
  await still()
  assert.ok(inFlight() > 0)
  await clock.advance(bounds.takenWithinMs)
  await eventually(async () => inFlight() === 0)
  for (const reader of readers) {
    reader.resume()
    if (!reader.closed) await once(reader, 'close')
  }
})

test('where others wait for room, who reads nothing is cut sooner, and they are served: a few lines could have kept everybody out', async () => {
  const all = bounds.heldBytes / bounds.pieceBytes
  for (let reader = 0; reader < all; reader++) await unread(reader, `network-${reader}`)
  await eventually(async () => inFlight() === bounds.heldBytes)
  const late = fetched(0, 10)
  await eventually(async () => clock.nextDue() === clock.now() + bounds.pressedMs)
  await clock.advance(bounds.pressedMs)
  assert.equal((await (await late).arrayBuffer()).byteLength, 10)
  assert.ok(inFlight() <= bounds.heldBytes)
})

test('beyond what the process may hold callers are told to come again', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = (name: string) => ({ name, read: (_: number, into: Uint8Array) => promise.then(() => into.length) })
  const span = { start: 0, end: bounds.pieceBytes }
  const held = Array.from({ length: bounds.heldBytesOfOne / bounds.pieceBytes }, (_, at) => server.open(slow(`film ${at}`), span, 'one'))
  const [late, later] = [fetched(0, 10), fetched(0, 10)]
  await eventually(async () => clock.nextDue() !== undefined)
  await still()
  assert.equal((await fetched(0, 10)).status, 503, 'as many wait as may')
  await clock.advance(bounds.waitMs)
  assert.deepEqual([(await late).status, (await later).status], [503, 503])
  resolve()
  for (const pieces of await Promise.all(held)) await pieces.return()
  assert.equal(inFlight(), 0)
  assert.equal((await fetched(0, 10)).status, 200)
})

test('a file that went meanwhile is missing before anything is answered', async () => {
  const gone = { name: 'gone', read: async () => 0 }
  await assert.rejects(server.open(gone, { start: 0, end: 10 }, 'one'), PieceMissing)
  assert.equal(inFlight(), 0)
  const pieces = await server.open({ name: 'film', read }, { start: 0, end: 10 }, 'one')
  await pieces.return()
  assert.equal(inFlight(), 0)
})
