// Unpacks a tar archive, plain or packed by gzip or bzip2, into a folder of its own. Regular files and folders alone, without the one
// folder that archives of models put around everything; a path that leads out, or more than a bound, ends it.
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import unbzip2 from 'unbzip2-stream'
import { CommandError } from '../command.ts'

const block = 512
const unpackedMaxBytes = 16 * 1024 ** 3
const entriesMax = 20_000

export async function unpack(archive: string, into: string): Promise<void> {
  const source = pull(await plain(archive))
  let longName: string | undefined
  let left = unpackedMaxBytes
  for (let count = 0; ; count++) {
    const head = await source.take(block)
    // Two empty blocks end an archive; some end with their last file.
    if (head.length < block || head.every((byte) => byte === 0)) break
    const { name, size, type } = headOf(head)
    left -= size
    if (left < 0 || count > entriesMax) throw new CommandError('The archive is larger than a model can be.')
    const padded = Math.ceil(size / block) * block
    if (type === 'L' || type === 'x') {
      const text = Buffer.from(await source.take(padded)).toString('utf8', 0, size)
      longName = type === 'L' ? text.replace(/\0.*$/s, '') : pathIn(text)
      continue
    }
    const path = pathFor(longName ?? name)
    longName = undefined
    if (type === '5' && path !== undefined) mkdirSync(join(into, path), { recursive: true })
    // Links, devices and whatever else: no model needs them.
    if (type !== '0' || path === undefined) await source.skip(padded)
    else {
      const file = join(into, path)
      mkdirSync(dirname(file), { recursive: true })
      await pipeline(Readable.from(source.pieces(size)), createWriteStream(file, { flags: 'wx' }))
      await source.skip(padded - size)
    }
  }
}

/** Without the outermost folder; undefined for that folder itself. */
function pathFor(name: string): string | undefined {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (name.startsWith('/') || name.includes('\\') || parts.includes('..'))
    throw new CommandError('The archive holds a path that leads out of its folder. Nothing was installed.')
  return parts.length < 2 ? undefined : join(...parts.slice(1))
}

/** POSIX.1-1988 (ustar): name, size and type; the longer names of GNU and pax stand in entries before. */
function headOf(head: Uint8Array) {
  const text = (from: number, length: number) => {
    const bytes = Buffer.from(head.subarray(from, from + length))
    const end = bytes.indexOf(0)
    return bytes.toString('utf8', 0, end < 0 ? length : end)
  }
  const prefix = text(257, 5) === 'ustar' ? text(345, 155) : ''
  const size = Number.parseInt(text(124, 12).trim() || '0', 8)
  if (!Number.isSafeInteger(size) || size < 0) throw new CommandError('The archive cannot be read.')
  const type = String.fromCharCode(head[156] ?? 0)
  return { name: prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`, size, type: type === '\0' ? '0' : type }
}

/** `<length> path=<value>\n` among the records of pax. */
const pathIn = (records: string) => /(?:^|\n)\d+ path=([^\n]*)\n/.exec(records)?.[1]

async function plain(archive: string): Promise<Readable> {
  const file = await open(archive)
  const { buffer } = await file.read(Buffer.alloc(3), 0, 3, 0)
  await file.close()
  const raw = createReadStream(archive)
  const out = new PassThrough()
  const fail = (error: Error) => void out.destroy(error)
  raw.on('error', fail)
  if (buffer.toString('latin1') === 'BZh') raw.pipe(unbzip2()).on('error', fail).pipe(out)
  else if (buffer[0] === 0x1f && buffer[1] === 0x8b) raw.pipe(createGunzip()).on('error', fail).pipe(out)
  else raw.pipe(out)
  return out
}

/** Takes a stream in pieces of the size that is wanted. */
function pull(stream: AsyncIterable<Uint8Array>) {
  const pieces = stream[Symbol.asyncIterator]()
  let held: Uint8Array = new Uint8Array()

  async function* some(size: number) {
    for (let left = size; left > 0;) {
      if (held.length === 0) {
        const next = await pieces.next()
        if (next.done === true) return
        held = next.value
      }
      const piece = held.subarray(0, left)
      held = held.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  async function* whole(size: number) {
    let got = 0
    for await (const piece of some(size)) {
      got += piece.length
      yield piece
    }
    if (got < size) throw new CommandError('The archive is cut off.')
  }

  return {
    /** Fewer bytes at the end alone. */
    async take(size: number): Promise<Uint8Array> {
      const parts: Uint8Array[] = []
      for await (const piece of some(size)) parts.push(piece)
      return Buffer.concat(parts)
    },
    async skip(size: number): Promise<void> {
      for await (const piece of whole(size)) void piece
    },
    pieces: whole,
  }
}
