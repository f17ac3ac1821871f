// Long-lived `text/event-stream` answers, written straight to the socket: the body ends with the connection, so no chunk is
// framed and one Buffer serves every reader. A comment goes out every 15 s, so that proxies and readers see a live line.
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Clock } from '../kernel/clock.ts'
import type { EventFeed, FeedSink } from '../kernel/operation.ts'
import { detached, rawHead } from './detach.ts'
import type { Exchange } from './exchange.ts'

const heartbeatMs = 15_000
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

export interface Feeds {
  /** Answers the exchange with the feed. */
  open(exchange: Exchange, feed: EventFeed, headers: Record<string, string>): Response
  /** Ends every stream, so that its reader resumes on another process; resolves when the last byte is out. */
  closeAll(): Promise<void>
  /** Drops the readers that `closeAll` still waits for. */
  destroyAll(): void
  count(): number
}

export function feedServer(clock: Clock): Feeds {
  const sinks = new Set<FeedSink>()
  /** Connections that are not closed yet, those whose last bytes are on the way included. */
  const lines = new Set<Writable>()
  let drained: (() => void) | undefined
  let timer: (() => void) | undefined

  function track(sink: FeedSink): void {
    sinks.add(sink)
    timer ??= clock.after(heartbeatMs, beat)
  }

  function beat(): void {
    timer = sinks.size > 0 ? clock.after(heartbeatMs, beat) : undefined
    beatSlice([...sinks], 0)
  }

  function beatSlice(all: readonly FeedSink[], from: number): void {
    for (const sink of all.slice(from, from + slice)) if (sinks.has(sink) && !sink.write(heartbeat)) sink.close()
    if (from + slice < all.length) setImmediate(beatSlice, all, from + slice)
  }

  return {
    open(exchange, feed, headers) {
      const { outgoing } = exchange.context.env ?? {}
      if (outgoing === undefined || !('socket' in outgoing) || !('shouldKeepAlive' in outgoing))
        return openOnWeb(feed, headers, track, sinks)
      exchange.isHandedOver = true
      const socket = detached(outgoing)
      if (socket === undefined) {
        outgoing.shouldKeepAlive = false
        outgoing.useChunkedEncodingByDefault = false
        outgoing.writeHead(200, { ...headers, ...feedHeaders, Connection: 'close' })
        outgoing.flushHeaders()
      } else {
        socket.write(rawHead({ ...headers, ...feedHeaders }, exchange.now), 'latin1')
        // What a reader sends is nothing to us; reading it shows when it goes.
        socket.resume().on('error', () => socket.destroy())
      }
      const line = socket ?? outgoing
      lines.add(line)
      line.once('close', () => {
        lines.delete(line)
        if (lines.size === 0) drained?.()
      })
      openOnLine(line, feed, track, sinks)
      return RESPONSE_ALREADY_SENT
    },
    async closeAll() {
      timer?.()
      timer = undefined
      for (const sink of sinks) sink.close()
      if (lines.size > 0) await new Promise<void>((resolve) => void (drained = resolve))
    },
    destroyAll() {
      for (const line of lines) line.destroy()
    },
    count: () => sinks.size,
  }
}

/** Sends what is written and closes, without waiting for the reader to close its side. */
function finish(line: Writable): void {
  if (line instanceof Socket) line.destroySoon()
  else line.end()
}

/** Nothing of the request is held here: a stream outlives it by hours. */
function openOnLine(line: Writable, feed: EventFeed, track: (sink: FeedSink) => void, sinks: Set<FeedSink>): void {
  const sink: FeedSink = {
    write(chunk) {
      if (!sinks.has(sink)) return false
      line.write(chunk)
      return line.writableLength <= lagMaxBytes
    },
    close() {
      if (sinks.delete(sink)) finish(line)
    },
  }
  track(sink)
  const stop = feed.open(sink)
  const leave = () => {
    sinks.delete(sink)
    stop()
  }
  if (line.destroyed) leave()
  else line.once('close', leave)
}

/** The same without a socket: for callers of the app in the same process. */
function openOnWeb(feed: EventFeed, headers: Record<string, string>, track: (sink: FeedSink) => void, sinks: Set<FeedSink>): Response {
  let stop: (() => void) | undefined
  let sink: FeedSink | undefined
  const end = () => {
    if (sink !== undefined && sinks.delete(sink)) stop?.()
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const opened: FeedSink = {
        write(chunk) {
          if (!sinks.has(opened)) return false
          controller.enqueue(chunk)
          return true
        },
        close() {
          if (sinks.has(opened)) controller.close()
          end()
        },
      }
      sink = opened
      track(opened)
      stop = feed.open(opened)
      if (!sinks.has(opened)) stop()
    },
    cancel: end,
  })
  return new Response(body, { headers: { ...headers, ...feedHeaders } })
}
