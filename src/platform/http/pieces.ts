// Stored bytes on their way to readers: read piece by piece, the next one when the one before has left, so that a reader costs one piece
// however large the file is and however slowly they read. Readers that want the same piece share it, as a room does that asks for its
// next slide. A process holds so many bytes at once, and so many for one network; who comes beyond that waits a little, and is then told
// to come again. A reader that does not take a piece in its time is cut: a player asks anew from where it was.
import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Clock } from '../clock.ts'
import { ServiceError } from '../errors.ts'
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
}

export const usualBounds: PieceBounds = {
  pieceBytes: 256 * 1024,
  heldBytes: 64 * 1024 * 1024,
  heldBytesOfOne: 16 * 1024 * 1024,
  waitingMost: 2_000,
  waitMs: 5_000,
  takenWithinMs: 30_000,
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
  /** At most so many bytes from `start` on; undefined where it went meanwhile. */
  read(start: number, lengthBytes: number): Promise<Uint8Array | undefined>
}

/** Begun with the first piece; whoever has it reads it to its end or returns it. */
export interface Pieces extends AsyncIterableIterator<Uint8Array, void> {
  return(): Promise<IteratorResult<Uint8Array, void>>
}

interface Held {
  name: string
  sizeBytes: number
  /** Whose share it counts in: the first that wanted it. */
  network: string
  readers: number
  bytes: Promise<Uint8Array | undefined>
}

interface Wanted {
  name: string
  sizeBytes: number
  network: string
  read(): Promise<Uint8Array | undefined>
}

export function pieceServer(clock: Clock, log: Pick<Log, 'error'>, bounds: PieceBounds = usualBounds) {
  const held = new Map<string, Held>()
  const heldOf = new Map<string, number>()
  const waiting = new Set<{ wanted: Wanted; go(held: Held): void }>()
  let heldBytes = 0

  function count(network: string, bytes: number): void {
    heldBytes += bytes
    const now = (heldOf.get(network) ?? 0) + bytes
    if (now > 0) heldOf.set(network, now)
    else heldOf.delete(network)
  }

  /** Undefined where there is no room for it. */
  function taken(wanted: Wanted): Held | undefined {
    const { name, sizeBytes, network, read } = wanted
    const shared = held.get(name)
    if (shared !== undefined) {
      shared.readers++
      return shared
    }
    if (heldBytes + sizeBytes > bounds.heldBytes || (heldOf.get(network) ?? 0) + sizeBytes > bounds.heldBytesOfOne) return undefined
    count(network, sizeBytes)
    const piece: Held = { name, sizeBytes, network, readers: 1, bytes: read() }
    held.set(name, piece)
    return piece
  }

  function give(piece: Held): void {
    if (--piece.readers > 0) return
    held.delete(piece.name)
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
      const stop = clock.after(waitMs, () => {
        if (waiting.delete(place)) reject(busy())
      })
      function go(piece: Held): void {
        stop()
        resolve(piece)
      }
      waiting.add(place)
    })
  }

  async function* read({ name, read: readFile }: PiecedFile, { start, end }: Span, network: string): AsyncGenerator<Uint8Array, void> {
    for (let at = start; at < end;) {
      const sizeBytes = Math.min(bounds.pieceBytes, end - at)
      const from = at
      const wanted = { name: `${name} ${from} ${sizeBytes}`, sizeBytes, network, read: () => readFile(from, sizeBytes) }
      const piece = await take(wanted, at === start ? bounds.waitMs : bounds.takenWithinMs)
      try {
        const bytes = await piece.bytes
        if (bytes === undefined || bytes.length === 0) throw new PieceMissing()
        yield bytes
        at += bytes.length
      } finally {
        give(piece)
      }
    }
  }

  /** Resolves once it has been taken; rejects with `ReaderGone` where its reader goes, or does not read. */
  function left(outgoing: ServerResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (act: () => void) => () => {
        stop()
        outgoing.off('drain', taken).off('close', gone)
        act()
      }
      const taken = end(resolve)
      const gone = end(() => reject(new ReaderGone()))
      const stop = clock.after(bounds.takenWithinMs, gone)
      outgoing.once('drain', taken).once('close', gone)
      if (outgoing.destroyed) gone()
    })
  }

  /** Rejects where a fault of ours has cut it: its head told the length, so what is missing is seen. */
  async function write(outgoing: ServerResponse, pieces: Pieces): Promise<void> {
    try {
      for await (const piece of pieces) if (!outgoing.write(piece)) await left(outgoing)
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
      if (outgoing === undefined) return new Response(ReadableStream.from(pieces), { status, headers })
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

const busy = () =>
  new ServiceError('temporarily_unavailable', 'More files are being sent than this server can at once. Try again in a few seconds.', {
    headers: { 'Retry-After': '5' },
  })
