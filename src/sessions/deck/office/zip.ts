// Reads a zip as a hostile file: only what the central directory names, each entry inflated within a budget that is counted
// on the bytes that come out, because declared sizes lie. Writes one that a program of ours reads at once.
import { crc32 } from 'node:zlib'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { DocumentError } from '../render/protocol.ts'

export interface Zip {
  names: ReadonlySet<string>
  /** Undefined where there is no such entry. Throws `DocumentError` when a budget is exceeded or the data is damaged. */
  read(name: string): Promise<Uint8Array | undefined>
}

const entriesMax = 5_000
const entryMaxBytes = 64 * 1024 * 1024
const totalMaxBytes = 300 * 1024 * 1024
const ratioMax = 200
const ratioFromBytes = 1024 * 1024

export const protectedWords = 'The file is protected by a password. Save it without one and send it again.'
const damaged = () => new DocumentError('The file is damaged: its archive cannot be read.')
const tooLarge = () => new DocumentError('The file unpacks to more than the limit of 300 MiB.')

export async function openZip(bytes: Uint8Array): Promise<Zip> {
  const { file, entries } = await readDirectory(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  let leftBytes = totalMaxBytes
  // A part counts once, however many slides share it.
  const counted = new Set<string>()
  return {
    names: new Set(entries.keys()),
    async read(name) {
      const entry = entries.get(name)
      if (entry === undefined) return undefined
      const isCounted = counted.has(name)
      const unpacked = await unpack(file, entry, isCounted ? entryMaxBytes : leftBytes)
      if (!isCounted) leftBytes -= unpacked.length
      counted.add(name)
      return unpacked
    },
  }
}

async function readDirectory(bytes: Buffer): Promise<{ file: ZipFile; entries: Map<string, Entry> }> {
  const entries = new Map<string, Entry>()
  try {
    // Its check of sizes believes what is declared; names that climb out it refuses by itself.
    const file = await fromBufferPromise(bytes, { validateEntrySizes: false })
    if (file.entryCount > entriesMax) throw new DocumentError(`The file holds ${file.entryCount} parts; the limit is ${entriesMax}.`)
    for await (const entry of file.eachEntry()) {
      if (entry.isEncrypted()) throw new DocumentError(protectedWords)
      if (/^[a-z]:/i.test(entry.fileName) || entries.has(entry.fileName)) throw damaged()
      entries.set(entry.fileName, entry)
    }
    return { file, entries }
  } catch (error) {
    throw error instanceof DocumentError ? error : damaged()
  }
}

async function unpack(file: ZipFile, entry: Entry, leftBytes: number): Promise<Uint8Array> {
  const budget = Math.min(entryMaxBytes, leftBytes, Math.max(ratioFromBytes, entry.compressedSize * ratioMax))
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of await file.openReadStreamPromise(entry)) {
      if (!Buffer.isBuffer(chunk)) throw damaged()
      length += chunk.length
      if (length > budget) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof DocumentError ? error : damaged()
  }
  return Buffer.concat(chunks)
}

/** Nothing is compressed. */
export function writeZip(parts: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const written: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let offset = 0
  for (const [name, bytes] of parts) {
    const path = Buffer.from(name)
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50)
    header.writeUInt16LE(20, 4)
    // Names are UTF-8; the day is the first that there is.
    header.writeUInt16LE(0x0800, 6)
    header.writeUInt16LE(0x21, 12)
    header.writeUInt32LE(crc32(bytes), 14)
    header.writeUInt32LE(bytes.length, 18)
    header.writeUInt32LE(bytes.length, 22)
    header.writeUInt16LE(path.length, 26)
    const listed = Buffer.alloc(46)
    listed.writeUInt32LE(0x02014b50)
    listed.writeUInt16LE(20, 4)
    header.copy(listed, 6, 4)
    listed.writeUInt32LE(offset, 42)
    written.push(header, path, bytes)
    directory.push(listed, path)
    offset += header.length + path.length + bytes.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(parts.size, 8)
  end.writeUInt16LE(parts.size, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...written, ...directory, end])
}
