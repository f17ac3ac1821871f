import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backoffMs } from '../../../../client/sse.ts'
import { settle } from '../../../../test/support/clock.ts'
import { manualWebClock } from '../../../test/manual-web-clock.ts'
import './long-poll.ts'
import { type Connection, openStream } from './stream.ts'

// At hand, so that the room waits for no file when it fetches it.

interface Asked {
  accept: string
  cursor: string | undefined
  /** Writes to the open stream; null ends it. */
  push: (text: string | null) => void
}

type Reply = 'stream' | 'network' | { status: number; retryAfter?: string } | { events: unknown[] }

function world(replies: readonly Reply[], chance = 0.5) {
  const clock = manualWebClock(chance)
  const asked: Asked[] = []
  const states: string[] = []
  const seen: string[] = []
  let cursor: string | null = null
  let online = true
  let last: Connection | undefined
  const stream = openStream({
    url: 'http://room/stream',
    token: 'secret',
    clock,
    isOnline: () => online,
    cursor: () => cursor,
    async fetch(_url, init) {
      const headers = new Headers(init?.headers)
      assert.equal(headers.get('Authorization'), 'Bearer secret')
      const reply = replies[Math.min(asked.length, replies.length - 1)] ?? 'stream'
      let push: Asked['push'] = () => undefined
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          push = (text) => (text === null ? controller.close() : controller.enqueue(new TextEncoder().encode(text)))
          init?.signal?.addEventListener('abort', () => controller.error(new DOMException('aborted', 'AbortError')))
        },
      })
      asked.push({ accept: headers.get('Accept') ?? '', cursor: headers.get('Last-Event-ID') ?? undefined, push: (text) => push(text) })
      if (reply === 'network') throw new TypeError('network')
      if (reply === 'stream') return new Response(body)
      if ('events' in reply) return Response.json({ events: reply.events, next: '1-9' })
      return new Response('{}', {
        status: reply.status,
        headers: reply.retryAfter === undefined ? {} : { 'Retry-After': reply.retryAfter },
      })
    },
    onMessage({ event, id }) {
      if (event === 'gap') return 'gap'
      seen.push(event)
      cursor = id ?? cursor
      return event === 'closed' ? 'closed' : 'applied'
    },
    onChange(connection) {
      last = connection
      states.push(connection.state)
    },
  })
  return { clock, asked, states, seen, stream, last: () => last, setOnline: (to: boolean) => (online = to) }
}

const event = (name: string, id: string) => `id: ${id}\nevent: ${name}\ndata: {"reason":"completed"}\n\n`

test('the first event makes it live; the end of the stream asks again from the last applied event', async () => {
  const room = world(['stream'])
  await settle()
  room.asked[0]?.push(event('snapshot', '1-4'))
  await settle()
  assert.deepEqual(room.states, ['connecting', 'live'])
  room.asked[0]?.push(event('beat', '1-5'))
  await settle()
  room.asked[0]?.push(null)
  await settle()
  assert.equal(room.states.at(-1), 'reconnecting')
  await room.clock.advance(300)
  assert.equal(room.asked[1]?.cursor, '1-5')
  room.asked[1]?.push(event('beat', '1-6'))
  await settle()
  assert.equal(room.states.at(-1), 'live')
  room.stream.stop()
})

test('35 s without a byte is a lost connection', async () => {
  const room = world(['stream'])
  await settle()
  room.asked[0]?.push(event('snapshot', '1-1'))
  await room.clock.advance(34_000)
  assert.equal(room.states.at(-1), 'live')
  await room.clock.advance(1_500)
  assert.equal(room.states.at(-1), 'reconnecting')
  room.stream.stop()
})

test('a closed event, 401, 404 and 410 end it for good; 503 waits as told', async () => {
  for (const status of [401, 404, 410]) {
    const room = world([{ status }])
    await settle()
    assert.deepEqual([room.last()?.state, room.last()?.reason], ['closed', 'invalid'])
  }
  const over = world(['stream'])
  await settle()
  over.asked[0]?.push(event('closed', '1-9'))
  await settle()
  assert.deepEqual([over.last()?.state, over.last()?.reason], ['closed', 'completed'])
  const busy = world([{ status: 503, retryAfter: '4' }, 'stream'])
  await busy.clock.advance(3_900)
  assert.equal(busy.asked.length, 1)
  await busy.clock.advance(200)
  assert.equal(busy.asked.length, 2)
  busy.stream.stop()
})

test('a gap asks again from the cursor', async () => {
  const room = world(['stream'])
  await settle()
  room.asked[0]?.push(event('beat', '1-2') + event('gap', '1-8'))
  await room.clock.advance(400)
  assert.equal(room.asked[1]?.cursor, '1-2')
  room.stream.stop()
})

test('headers without bytes, twice, turn to the long poll', async () => {
  const room = world(['stream', 'stream', { events: [{ id: '1-3', event: 'beat', data: {} }] }])
  await room.clock.advance(5_100)
  await room.clock.advance(5_600)
  await room.clock.advance(1_000)
  assert.equal(room.asked[2]?.accept, 'application/json')
  assert.ok(room.seen.includes('beat'))
  assert.equal(room.states.at(-1), 'live')
  room.stream.stop()
})

test('offline waits, and coming back tries at once', async () => {
  const room = world(['network', 'stream'])
  room.setOnline(false)
  await room.clock.advance(1_000)
  assert.equal(room.states.at(-1), 'offline')
  const tries = room.asked.length
  room.setOnline(true)
  room.stream.wake()
  await settle()
  assert.equal(room.asked.length, tries + 1)
  room.stream.stop()
})

test('retries spread with full jitter and stay under eight seconds', () => {
  assert.equal(backoffMs(0, 1), 300)
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 9].map((failures) => backoffMs(failures, 1)),
    [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000],
  )
  assert.equal(backoffMs(5, 0), 0)
  assert.equal(backoffMs(2, 0, 700), 700)
})
