// A file as a call brought it: in memory where it is small, else a stretch of a spool file that is gone when the call has ended. Whoever
// can do with pieces reads pieces; whole bytes are counted against what the process holds.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

/** Where the bytes are, and who counts those that are read whole. */
export type FileSource = { bytes: Uint8Array } | { path: string; from: number; hold(sizeBytes: number): void }

/** Of the folders in which bodies wait while they come; what is in them is nobody's yet. */
export const spoolPrefix = 'rostrum-spool-'

const pieceBytes = 256 * 1024

/** A class, because it has a life: what it names is gone with its call. */
export class SentFile {
  /** As its sender calls it; empty for a body that is the file. */
  readonly name: string
  readonly type: string
  readonly sizeBytes: number
  readonly #source: FileSource
  #digest: Promise<string> | undefined

  constructor(source: FileSource, sizeBytes: number, { name = '', type = '' }: { name?: string; type?: string } = {}) {
    this.name = name
    this.type = type
    this.sizeBytes = sizeBytes
    this.#source = source
  }

  static of(bytes: Uint8Array, named: { name?: string; type?: string } = {}): SentFile {
    return new SentFile({ bytes }, bytes.length, named)
  }

  /** A file that this process has made itself; whoever made it removes it. Read whole, it counts against nobody. */
  static async at(path: string): Promise<SentFile> {
    const { size } = await stat(path)
    return new SentFile({ path, from: 0, hold() {} }, size)
  }

  /** The bytes from `from` on, up to and without `until`, a piece at a time. */
  async *chunks(from = 0, until = this.sizeBytes): AsyncGenerator<Uint8Array> {
    const end = Math.min(until, this.sizeBytes)
    if (from >= end) return
    const source = this.#source
    if ('bytes' in source) yield source.bytes.subarray(from, end)
    else {
      const read: AsyncIterable<Uint8Array> = createReadStream(source.path, {
        start: source.from + from,
        end: source.from + end - 1,
        highWaterMark: pieceBytes,
      })
      yield* read
    }
  }

  /** Its first bytes. */
  head(sizeBytes: number): Promise<Uint8Array> {
    return gathered(this.chunks(0, sizeBytes))
  }

  /** All of it, in memory until the call has ended. Throws `temporarily_unavailable` or `rate_limited` where that holds too much. */
  async bytes(): Promise<Uint8Array> {
    if ('bytes' in this.#source) return this.#source.bytes
    this.#source.hold(this.sizeBytes)
    return gathered(this.chunks())
  }

  sha256(): Promise<string> {
    return (this.#digest ??= digested(this.chunks()))
  }

  /** A stretch of it, as a file of its own. */
  part(from: number, until: number, named: { name: string; type: string }): SentFile {
    const source = this.#source
    return 'bytes' in source
      ? SentFile.of(source.bytes.subarray(from, until), named)
      : new SentFile({ ...source, from: source.from + from }, until - from, named)
  }
}

async function digested(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of chunks) digest.update(chunk)
  return digest.digest('hex')
}

async function gathered(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  const [only] = all
  return all.length === 1 && only !== undefined ? only : Buffer.concat(all)
}

/** The body of a call that is no JSON object, before an operation reads it. */
export interface SentBody {
  /** The media type without its parameters, in lower case; empty where none was named. */
  type: string
  file: SentFile
  /** Of `multipart/form-data`: its files and its fields. Throws `invalid_request` where it is none. */
  parts(): Promise<{ files: readonly SentPart[]; fields: ReadonlyMap<string, string> }>
}

export interface SentPart {
  /** Of the part, not of the file. */
  field: string
  file: SentFile
}
