// The ustar archive format (POSIX.1-2001), as much as a backup needs: regular files with relative paths, readable by `tar`.
// Sizes beyond 8 GiB use the base-256 form that GNU and BSD tar share.
import type { FileHandle } from 'node:fs/promises'

const blockBytes = 512
const chunkBytes = 1 << 20
/** The largest size that eleven octal digits hold. */
const octalSizeMax = 8 ** 11 - 1

export interface TarEntry {
  /** Relative, with `/`. */
  path: string
  sizeBytes: number
}

/** Takes the content of an entry piece by piece. */
export type Sink = (chunk: Uint8Array) => Promise<void> | void

/** Appends one file (`writeFile` goes on where the handle stands, and never writes a part only) from `content`, which must give exactly `sizeBytes`. */
export async function writeEntry(
  archive: FileHandle,
  { path, sizeBytes }: TarEntry,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  await archive.writeFile(header(path, sizeBytes))
  let written = 0
  for await (const chunk of content) {
    written += chunk.length
    await archive.writeFile(chunk)
  }
  if (written !== sizeBytes) throw new Error(`${path} changed its size while it was read.`)
  await archive.writeFile(Buffer.alloc(padding(sizeBytes)))
}

/** Two empty blocks end an archive. */
export async function writeEnd(archive: FileHandle): Promise<void> {
  await archive.writeFile(Buffer.alloc(2 * blockBytes))
}

/** Reads entries in order; `open` gives the sink of each. Throws on anything but regular files with safe relative paths. */
export async function readEntries(
  archive: FileHandle,
  open: (entry: TarEntry) => Promise<{ write: Sink; end: () => Promise<void> }>,
): Promise<void> {
  for (;;) {
    const block = await readExactly(archive, blockBytes)
    if (block.every((byte) => byte === 0)) return
    const entry = parseHeader(block)
    const sink = await open(entry)
    try {
      for (let left = entry.sizeBytes; left > 0;) {
        const chunk = await readExactly(archive, Math.min(left, chunkBytes))
        left -= chunk.length
        await sink.write(chunk)
      }
    } finally {
      await sink.end()
    }
    await readExactly(archive, padding(entry.sizeBytes))
  }
}

/** `sizeBytes` of a file in chunks, from where the handle stands. */
export async function* chunksOf(file: FileHandle, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let left = sizeBytes; left > 0;) {
    const chunk = await readExactly(file, Math.min(left, chunkBytes))
    left -= chunk.length
    yield chunk
  }
}

async function readExactly(file: FileHandle, sizeBytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(sizeBytes)
  for (let filled = 0; filled < sizeBytes;) {
    const { bytesRead } = await file.read(buffer, filled, sizeBytes - filled)
    if (bytesRead === 0) throw new Error('The archive ends too early.')
    filled += bytesRead
  }
  return buffer
}

function padding(sizeBytes: number): number {
  return (blockBytes - (sizeBytes % blockBytes)) % blockBytes
}

function header(path: string, sizeBytes: number): Buffer {
  const block = Buffer.alloc(blockBytes)
  const { name, prefix } = splitPath(path)
  block.write(name, 0, 100)
  block.write('0000600\u0000', 100)
  block.write('0000000\u0000', 108)
  block.write('0000000\u0000', 116)
  if (sizeBytes > octalSizeMax) {
    block.writeBigUInt64BE(BigInt(sizeBytes), 128)
    block[124] = 0x80
  } else block.write(`${sizeBytes.toString(8).padStart(11, '0')}\u0000`, 124)
  block.write('00000000000\u0000', 136)
  block.write('0', 156)
  block.write('ustar\u000000', 257)
  block.write(prefix, 345, 155)
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\u0000 `, 148)
  return block
}

/** The sum of all bytes, those of the checksum itself counted as spaces. */
function checksum(block: Uint8Array): number {
  let sum = 8 * 0x20
  for (const [i, byte] of block.entries()) if (i < 148 || i >= 156) sum += byte
  return sum
}

function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: '' }
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const prefix = path.slice(0, at)
    const name = path.slice(at + 1)
    if (Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) return { name, prefix }
  }
  throw new Error(`The path ${path} is too long for the archive.`)
}

function parseHeader(block: Buffer): TarEntry {
  const field = (start: number, length: number) => block.toString('utf8', start, start + length).replace(/\0.*$/s, '')
  if (field(257, 5) !== 'ustar' || Number.parseInt(field(148, 8), 8) !== checksum(block))
    throw new Error('This is not a tar archive, or it is damaged.')
  const prefix = field(345, 155)
  const path = prefix === '' ? field(0, 100) : `${prefix}/${field(0, 100)}`
  const isRegular = block[156] === 0x30 || block[156] === 0
  if (!isRegular || !isSafePath(path)) throw new Error(`The archive holds "${path}", which no backup contains.`)
  const sizeBytes = block[124] === 0x80 ? Number(block.readBigUInt64BE(128)) : Number.parseInt(field(124, 12), 8)
  if (!Number.isSafeInteger(sizeBytes)) throw new Error(`The size of "${path}" is damaged.`)
  return { path, sizeBytes }
}

function isSafePath(path: string): boolean {
  return path !== '' && !path.includes('\\') && path.split('/').every((step) => step !== '' && step !== '.' && step !== '..')
}
