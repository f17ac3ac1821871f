// Stored bytes on their way to readers: read piece by piece, the next one when the one before has left, so that a reader costs one piece
// however large the file is and however slowly they read. Readers that want the same piece share it, as a room does that asks for its
// next slide. A process holds so many bytes at once, and so many for one network; who comes beyond that waits a little, and is then told
// to come again. A reader that does not take a piece in its time is cut, and sooner where others wait: a player asks anew from where it was.
import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Clock } from '@rostrum/base/clock'
import { ServiceError } from '@rostrum/base/errors'
import type { Exchange } from './exchange.ts'
import type { Log } from './ports.ts'

export interface PieceBounds {
  pieceBytes: number
  heldBytes: number
  heldBytesOfOne: number
  waitingMost: number
  /** Before the first piece; the later ones may take as long as a reader. */
  waitMs: number
  takenWithinMs: number
  /** The same while others wait for room. */
  pressedMs: number
}

export const usualBounds: PieceBounds = {
  pieceBytes: 128 * 1024,
  heldBytes: 24 * 1024 * 1024,
  heldBytesOfOne: 6 * 1024 * 1024,
  waitingMost: 2_000,
  waitMs: 5_000,
  takenWithinMs: 30_000,
  pressedMs: 2_000,
}

/** The head of a stored file, its length included, and what follows it. */
export interface FileAnswer {
  response: Response
  pieces: Pieces
}

export interface Span {
  start: number
  /** The first byte that is not of it. */
  end: number
}

/** A file that never changes under its name. */
export interface PiecedFile {
  name: string
  /** Fills `into` from `start` on; returns how many bytes it read, 0 where there is no such file any more. */
  read(start: number, into: Uint8Array): Promise<number>
}

/** Begun with the first piece; whoever has it reads it to its end or returns it. */
export interface Pieces extends AsyncIterableIterator<Uint8Array, void> {
  /** Who reads. */
  network: string
  return(): Promise<IteratorResult<Uint8Array, void>>
}

interface Held {
  name: string
  sizeBytes: number
  /** Whose share it counts in: the first that wanted it. */
  network: string
  readers: number
  buffer: Uint8Array
  bytes: Promise<Uint8Array>
  /** A connection that was cut may still hold it. */
  isLost: boolean
}

interface Wanted {
  name: string
  sizeBytes: number
  network: string
  read(into: Uint8Array): Promise<number>
}

export function pieceServer(clock: Clock, log: Pick<Log, 'error'>, bounds: PieceBounds = usualBounds) {
  const held = new Map<string, Held>()
  const heldOf = new Map<string, number>()
  const waiting = new Set<{ wanted: Wanted; go(held: Held): void }>()
  /** Readers that have not taken their piece yet, the oldest first. */
  const slow = new Set<{ network: string; since: number; cut(): void }>()
  /** Buffers of the size of a piece, no more of them than were ever held at once. */
  const free: Uint8Array[] = []
  let heldBytes = 0

  function count(network: string, bytes: number): void {
    heldBytes += bytes
    const now = (heldOf.get(network) ?? 0) + bytes
    if (now > 0) heldOf.set(network, now)
    else heldOf.delete(network)
  }

  const isFull = (network: string, sizeBytes: number) => (heldOf.get(network) ?? 0) + sizeBytes > bounds.heldBytesOfOne

  /** Cuts the reader that has been slow for longest: of the network that has all it may have, or of any. */
  function press({ network, sizeBytes }: Wanted): void {
    const before = clock.elapsed() - bounds.pressedMs
    const isOwn = isFull(network, sizeBytes)
    for (const each of slow) {
      if (each.since > before) return
      if (!isOwn || each.network === network) return each.cut()
    }
  }

  /** Undefined where there is no room for it. */
  function taken(wanted: Wanted): Held | undefined {
    const { name, sizeBytes, network } = wanted
    const shared = held.get(name)
    if (shared !== undefined) {
      shared.readers++
      return shared
    }
    if (heldBytes + sizeBytes > bounds.heldBytes || isFull(network, sizeBytes)) return undefined
    count(network, sizeBytes)
    // Used again: what is left to the collector of garbage stays for as long as the machine has other things to do.
    const buffer = (sizeBytes === bounds.pieceBytes ? free.pop() : undefined) ?? Buffer.allocUnsafeSlow(sizeBytes)
    const bytes = wanted.read(buffer).then((lengthBytes) => buffer.subarray(0, lengthBytes))
    const piece: Held = { name, sizeBytes, network, readers: 1, buffer, bytes, isLost: false }
    held.set(name, piece)
    return piece
  }

  function give(piece: Held, isSent: boolean): void {
    piece.isLost ||= !isSent
    if (--piece.readers > 0) return
    held.delete(piece.name)
    if (piece.sizeBytes === bounds.pieceBytes && !piece.isLost) free.push(piece.buffer)
    count(piece.network, -piece.sizeBytes)
    for (const each of waiting) {
      const next = taken(each.wanted)
      if (next === undefined) continue
      waiting.delete(each)
      each.go(next)
    }
  }

  async function take(wanted: Wanted, waitMs: number): Promise<Held> {
    const now = taken(wanted)
    if (now !== undefined) return now
    if (waiting.size >= bounds.waitingMost) throw busy()
    return new Promise((resolve, reject) => {
      const place = { wanted, go }
      press(wanted)
      const stops = [
        // Whoever was slow by now has been for so long then.
        clock.after(bounds.pressedMs, () => press(wanted)),
        clock.after(waitMs, () => {
          if (waiting.delete(place)) reject(busy())
        }),
      ]
      function go(piece: Held): void {
        for (const stop of stops) stop()
        resolve(piece)
      }
      waiting.add(place)
    })
  }

  async function* read({ name, read: readFile }: PiecedFile, { start, end }: Span, network: string): AsyncGenerator<Uint8Array, void> {
    for (let at = start; at < end;) {
      const [from, lengthBytes] = [at, Math.min(bounds.pieceBytes, end - at)]
      const wanted = {
        name: `${name} ${from} ${lengthBytes}`,
        // What is nearly a piece has the buffer of one.
        sizeBytes: lengthBytes < bounds.pieceBytes / 8 ? lengthBytes : bounds.pieceBytes,
        network,
        read: (into: Uint8Array) => readFile(from, into.subarray(0, lengthBytes)),
      }
      const piece = await take(wanted, at === start ? bounds.waitMs : bounds.takenWithinMs)
      let isSent = false
      try {
        const bytes = await piece.bytes
        if (bytes.length === 0) throw new PieceMissing()
        yield bytes
        isSent = true
        at += bytes.length
      } finally {
        give(piece, isSent)
      }
    }
  }

  /** Resolves once it has left; rejects with `ReaderGone` where its reader goes, or does not read. */
  function left(outgoing: ServerResponse, piece: Uint8Array, network: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => () => {
        stop()
        slow.delete(place)
        outgoing.off('close', gone)
        act()
      }
      const gone = end(() => reject(new ReaderGone()))
      const place = { network, since: clock.elapsed(), cut: gone }
      const stop = clock.after(bounds.takenWithinMs, gone)
      slow.add(place)
      outgoing.once('close', gone)
      if (outgoing.destroyed) gone()
      else outgoing.write(piece, (error) => (error ? gone() : end(resolve)()))
    })
  }

  /** Rejects where a fault of ours has cut it: its head told the length, so what is missing is seen. */
  async function write(outgoing: ServerResponse, pieces: Pieces): Promise<void> {
    try {
      for await (const piece of pieces) await left(outgoing, piece, pieces.network)
      outgoing.end()
    } catch (error) {
      outgoing.destroy()
      if (!(error instanceof ReaderGone || error instanceof PieceMissing || error instanceof ServiceError)) throw error
    }
  }

  return {
    /** Throws `temporarily_unavailable` where there is no room for it, and `PieceMissing`: nothing has been answered then. */
    async open(file: PiecedFile, span: Span, network: string): Promise<Pieces> {
      const pieces = read(file, span, network)
      const begun = await pieces.next()
      let first: typeof begun | undefined = begun
      const given: Pieces = {
        network,
        async next() {
          const next = first ?? (await pieces.next())
          first = undefined
          return next
        },
        return: () => pieces.return(),
        [Symbol.asyncIterator]: () => given,
      }
      return given
    },
    /** Straight to the connection: its head, then one piece after the other. They are as they are, since a part and its tag are of these very bytes. */
    send({ context: { env }, requestId }: Exchange, { status, headers }: Response, pieces: Pieces): Response {
      const { outgoing } = env
      // A caller in this process.
      if (outgoing === undefined) return new Response(ReadableStream.from(copied(pieces)), { status, headers })
      outgoing.writeHead(status, Object.fromEntries(headers))
      write(outgoing, pieces).catch((err: unknown) => log.error({ requestId, err }, 'A file could not be sent to its end'))
      return RESPONSE_ALREADY_SENT
    },
    gauges: () => ({
      rostrum_file_bytes_in_flight: { help: 'Bytes of stored files that are on their way to readers.', value: heldBytes },
    }),
  }
}

export type PieceServer = ReturnType<typeof pieceServer>

/** The file went before it could be read. */
export class PieceMissing extends Error {}

class ReaderGone extends Error {}

async function* copied(pieces: Pieces): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Uint8Array.from(piece)
}

const busy = () =>
  new ServiceError('temporarily_unavailable', 'More files are being sent than this server can at once. Try again in a few seconds.', {
    headers: { 'Retry-After': '5' },
  })
