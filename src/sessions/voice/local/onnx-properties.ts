// What a model says of itself (ONNX: `ModelProto.metadata_props`): its kind, its speakers, its rate. Read from the file without the
// weights: a field that is not wanted is passed over by its length.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const propertyField = 14
/** Names of a hundred speakers. */
const propertyMaxBytes = 65_536
const fieldsMax = 10_000

/** Empty for anything that is not such a file. Throws where it cannot be read. */
export function onnxProperties(path: string): ReadonlyMap<string, string> {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const properties = new Map<string, string>()
    for (let at = 0, count = 0; at < size && count < fieldsMax; count++) {
      const field = fieldAt(file, at)
      if (field === undefined) return new Map()
      if (field.number === propertyField && field.length <= propertyMaxBytes) {
        const [key, value] = pairIn(read(file, field.from, field.length))
        properties.set(key, value)
      }
      at = field.from + field.length
    }
    return properties
  } finally {
    closeSync(file)
  }
}

function read(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(file, bytes, 0, length, from))
}

interface Field {
  number: number
  from: number
  length: number
}

function fieldAt(file: number, at: number): Field | undefined {
  const head = read(file, at, 20)
  const tag = varint(head, 0)
  if (tag === undefined) return undefined
  const [number, wire] = [Math.floor(tag.value / 8), tag.value % 8]
  const then = varint(head, tag.next)
  if (number === 0 || then === undefined) return undefined
  if (wire === 0) return { number, from: at + then.next, length: 0 }
  if (wire === 2) return { number, from: at + then.next, length: then.value }
  return wire === 1 || wire === 5 ? { number, from: at + tag.next, length: wire === 1 ? 8 : 4 } : undefined
}

function varint(bytes: Uint8Array, at: number): { value: number; next: number } | undefined {
  let value = 0
  for (let part = 0; part < 7; part++) {
    const byte = bytes[at + part]
    if (byte === undefined) return undefined
    value += (byte & 0x7f) * 2 ** (7 * part)
    if (byte < 0x80) return { value, next: at + part + 1 }
  }
  return undefined
}

/** Key and value are fields 1 and 2 of a property. */
function pairIn(bytes: Buffer): [string, string] {
  const pair: [string, string] = ['', '']
  for (let at = 0; at < bytes.length;) {
    const tag = varint(bytes, at)
    const length = tag && varint(bytes, tag.next)
    if (!length) break
    if (tag.value === 10 || tag.value === 18)
      pair[tag.value === 10 ? 0 : 1] = bytes.toString('utf8', length.next, length.next + length.value)
    at = length.next + length.value
  }
  return pair
}
