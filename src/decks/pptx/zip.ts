// Reads a zip as a hostile file: only what the central directory names, each entry inflated within a budget that is counted
// on the bytes that come out, because declared sizes lie.
import { inflateRawSync } from 'node:zlib'
import { DocumentError } from '../render/protocol.ts'

export interface Zip {
  names: ReadonlySet<string>
  /** Undefined where there is no such entry. Throws `DocumentError` when a budget is exceeded or the data is damaged. */
  read(name: string): Uint8Array | undefined
}

const entriesMax = 5_000
const entryMaxBytes = 64 * 1024 * 1024
const totalMaxBytes = 300 * 1024 * 1024
const ratioMax = 200
const ratioFromBytes = 1024 * 1024
const endMark = 0x06054b50
const entryMark = 0x02014b50
const localMark = 0x04034b50

interface Entry {
  method: number
  packedBytes: number
  offset: number
}

const damaged = () => new DocumentError('The file is damaged: its archive cannot be read.')
const tooLarge = () => new DocumentError('The file unpacks to more than the limit of 300 MiB.')

export function openZip(bytes: Uint8Array): Zip {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const entries = readDirectory(file)
  let leftBytes = totalMaxBytes
  // A part counts once, however many slides share it.
  const counted = new Set<string>()
  return {
    names: new Set(entries.keys()),
    read(name) {
      const entry = entries.get(name)
      if (entry === undefined) return undefined
      const isCounted = counted.has(name)
      const unpacked = unpack(packedData(file, entry), entry.method, isCounted ? entryMaxBytes : leftBytes)
      if (!isCounted) leftBytes -= unpacked.length
      counted.add(name)
      return unpacked
    },
  }
}

function readDirectory(file: Buffer): Map<string, Entry> {
  const end = findEnd(file)
  const count = file.readUInt16LE(end + 10)
  let at = file.readUInt32LE(end + 16)
  if (count === 0xffff || at === 0xffffffff) throw damaged()
  if (count > entriesMax) throw new DocumentError(`The file holds ${count} parts; the limit is ${entriesMax}.`)
  const entries = new Map<string, Entry>()
  for (let i = 0; i < count; i++) {
    if (at + 46 > file.length || file.readUInt32LE(at) !== entryMark) throw damaged()
    if ((file.readUInt16LE(at + 8) & 1) === 1)
      throw new DocumentError('The file is protected by a password. Save it without one and send it again.')
    const nameEnd = at + 46 + file.readUInt16LE(at + 28)
    const name = file.toString('utf8', at + 46, nameEnd)
    if (isUnsafe(name) || entries.has(name)) throw damaged()
    entries.set(name, { method: file.readUInt16LE(at + 10), packedBytes: file.readUInt32LE(at + 20), offset: file.readUInt32LE(at + 42) })
    at = nameEnd + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32)
  }
  return entries
}

/** The end record is the last one that names a comment of just the bytes behind it. */
function findEnd(file: Buffer): number {
  for (let at = file.length - 22; at >= Math.max(0, file.length - 22 - 0xffff); at--) {
    if (file.readUInt32LE(at) === endMark && file.readUInt16LE(at + 20) === file.length - at - 22) return at
  }
  throw damaged()
}

function isUnsafe(name: string): boolean {
  return (
    name === '' ||
    name.startsWith('/') ||
    name.includes('\\') ||
    name.includes('\u0000') ||
    /^[a-z]:/i.test(name) ||
    name.split('/').includes('..')
  )
}

function packedData(file: Buffer, { offset, packedBytes }: Entry): Buffer {
  if (offset + 30 > file.length || file.readUInt32LE(offset) !== localMark) throw damaged()
  const start = offset + 30 + file.readUInt16LE(offset + 26) + file.readUInt16LE(offset + 28)
  if (start + packedBytes > file.length) throw damaged()
  return file.subarray(start, start + packedBytes)
}

function unpack(packed: Buffer, method: number, leftBytes: number): Uint8Array {
  const budget = Math.min(entryMaxBytes, leftBytes, Math.max(ratioFromBytes, packed.length * ratioMax))
  if (method === 0) {
    if (packed.length > budget) throw tooLarge()
    return packed
  }
  if (method !== 8) throw damaged()
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, budget) })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    throw code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : damaged()
  }
}
