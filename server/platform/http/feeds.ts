// Long-lived `text/event-stream` answers. Where the connection can be had they are written straight to the socket: the body ends with
// the connection, so no chunk is framed, one Buffer serves every reader, and a reader costs half the memory (detach.ts). A line that was silent for 15 s gets a comment, so that proxies and readers see it live.
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Clock } from '@rostrum/base/clock'
import type { EventFeed, FeedSink, OpenFeed } from '../operation.ts'
import type { Exchange } from './exchange.ts'

const tickMs = 5_000
/** Ticks without a byte after which a line is told to be alive. */
const quietTicks = 3
const heartbeat = Buffer.from(':\n\n')
/** A reader further behind is cut; it resumes by `Last-Event-ID`. */
const lagMaxBytes = 256 * 1024
/** Heartbeats written before other work gets its turn. */
const slice = 250

export const feedHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
}

export type Feeds = ReturnType<typeof feedServer>

/** A stream, for the ticks. */
interface Beaten extends FeedSink {
  /** Ticks since the last byte. */
  quiet: number
}

export function feedServer(clock: Clock) {
  const sinks = new Set<Beaten>()
  /** Connections that are not closed yet, those whose last bytes are on the way included. */
  const lines = new Map<Socket, Line>()
  let drained: (() => void) | undefined
  let timer: (() => void) | undefined

  function track(sink: Beaten): void {
    sinks.add(sink)
    timer ??= clock.after(tickMs, tick)
  }

  function tick(): void {
    timer = sinks.size > 0 ? clock.after(tickMs, tick) : undefined
    const silent: Beaten[] = []
    for (const sink of sinks) if (++sink.quiet >= quietTicks) silent.push(sink)
    beat(silent, 0)
  }

  function beat(silent: readonly Beaten[], from: number): void {
    for (const sink of silent.slice(from, from + slice)) if (sinks.has(sink) && !sink.write(heartbeat)) sink.close()
    if (from + slice < silent.length) setImmediate(beat, silent, from + slice)
  }

  function closed(this: Socket): void {
    gone(this)
  }

  function gone(socket: Socket): void {
    const line = lines.get(socket)
    if (line === undefined) return
    lines.delete(socket)
    line.forget()
    line.opened?.stop()
    if (lines.size === 0) drained?.()
  }

  return {
    /** Answers the exchange with the feed, on its connection or by the response that is returned. */
    open(exchange: Exchange, feed: EventFeed, headers: Record<string, string>): Response {
      const { outgoing } = exchange.context.env
      const socket = outgoing === undefined ? undefined : detached(outgoing)
      if (socket === undefined) return openOnWeb(feed, headers, track, sinks)
      socket.write(rawHead({ ...headers, ...feedHeaders }, exchange.now), 'latin1')
      // What a reader sends is nothing to us; reading it shows when it goes.
      socket.resume().on('error', destroyed)
      const line = new Line(socket, sinks)
      lines.set(socket, line)
      socket.on('close', closed)
      track(line)
      line.opened = feed.open(line)
      if (socket.destroyed) gone(socket)
      return RESPONSE_ALREADY_SENT
    },
    /** Ends every stream, so that its reader resumes on another process; resolves when the last byte is out. */
    async closeAll(): Promise<void> {
      timer?.()
      timer = undefined
      for (const sink of sinks) sink.close()
      if (lines.size > 0) await new Promise<void>((resolve) => void (drained = resolve))
    },
    /** Drops the readers that `closeAll` still waits for. */
    destroyAll(): void {
      for (const socket of lines.keys()) socket.destroy()
    },
    count: () => sinks.size,
  }
}

function destroyed(this: Socket): void {
  this.destroy()
}

/**
 * A stream on a connection. A class, because it has identity and a life, and because a process holds ten thousand of them: nothing
 * of the request is held here, a stream outlives it by hours.
 */
class Line implements Beaten {
  quiet = 0
  /** Set once the feed has begun. */
  opened: OpenFeed | undefined
  readonly #socket: Socket
  readonly #sinks: Set<Beaten>
  #isOpen = true

  constructor(socket: Socket, sinks: Set<Beaten>) {
    this.opened = undefined
    this.#socket = socket
    this.#sinks = sinks
  }

  write(chunk: Uint8Array): boolean {
    if (!this.#isOpen) return false
    this.quiet = 0
    this.#socket.write(chunk)
    return this.#socket.writableLength <= lagMaxBytes
  }

  /** Sends what is written and closes, without waiting for the reader to close its side. */
  close(): void {
    if (!this.#isOpen) return
    this.forget()
    this.#socket.destroySoon()
  }

  /** Nothing more is written. */
  forget(): void {
    this.#isOpen = false
    this.#sinks.delete(this)
  }
}

/** The same as a body: for callers of the app in the same process, and where the connection is not this response's alone. */
function openOnWeb(feed: EventFeed, headers: Record<string, string>, track: (sink: Beaten) => void, sinks: Set<Beaten>): Response {
  let started: OpenFeed | undefined
  let sink: Beaten | undefined
  const end = () => {
    if (sink !== undefined && sinks.delete(sink)) started?.stop()
  }
  const source = {
    start(controller: ReadableStreamDefaultController<Uint8Array>) {
      const opened: Beaten = {
        quiet: 0,
        write(chunk) {
          if (!sinks.has(opened)) return false
          opened.quiet = 0
          controller.enqueue(chunk)
          return (controller.desiredSize ?? 0) > 0
        },
        close() {
          if (sinks.has(opened)) controller.close()
          end()
        },
      }
      sink = opened
      track(opened)
      started = feed.open(opened)
      if (!sinks.has(opened)) started.stop()
    },
    cancel: end,
  }
  const body = new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: lagMaxBytes }))
  return new Response(body, { headers: { ...headers, ...feedHeaders } })
}

// Takes the connection of a request out of node:http, so that a stream of hours holds a bare socket instead of a parser, a
// request and a response: half the memory of a reader, a third of it on the heap.

/**
 * A socket on the connection of `response`, on which nothing has been written; node:http then forgets the request as if its
 * caller had gone. Undefined where the connection is not this response's alone (a pipelined request, a TLS or test socket):
 * the caller then writes to the response.
 */
function detached(response: ServerResponse): Socket | undefined {
  const { socket } = response
  if (socket === null || socket.constructor !== Socket || response.headersSent || socket.writableLength > 0) return undefined
  // Node's own fields: the handle of the connection, and the parser that reads it natively until it is told not to.
  const handle: unknown = Reflect.get(socket, '_handle')
  const parser: unknown = Reflect.get(socket, 'parser')
  if (typeof handle !== 'object' || handle === null || typeof parser !== 'object' || parser === null) return undefined
  const unconsume: unknown = Reflect.get(parser, 'unconsume')
  if (typeof unconsume !== 'function') return undefined
  Reflect.apply(unconsume, parser, [])
  Reflect.set(socket, '_handle', null)
  socket.destroy()
  // `handle` is an option that the types leave out; Node's server makes its own sockets by it.
  const options: object = { handle, readable: true, writable: true }
  return new Socket(options)
}

/** The head of an answer whose body ends with the connection. */
function rawHead(headers: Readonly<Record<string, string>>, now: number): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value.replace(/[\r\n]/g, ' ')}`)
  return ['HTTP/1.1 200 OK', ...lines, `Date: ${new Date(now).toUTCString()}`, 'Connection: close', '', ''].join('\r\n')
}
