// Writes protocol buffers: what a test needs to make a model file without its tools.

/** Number of a field, and a whole number, or bytes: text, packed values or another message. */
export type Field = readonly [number, number | bigint | Uint8Array]

function varint(of: number | bigint): number[] {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(of))
  do {
    const low = Number(rest & 0x7fn)
    rest >>= 7n
    bytes.push(rest > 0n ? low | 0x80 : low)
  } while (rest > 0n)
  return bytes
}

export function message(fields: readonly Field[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(([number, of]) =>
      of instanceof Uint8Array
        ? [Buffer.from([...varint(number * 8 + 2), ...varint(of.length)]), of]
        : [Buffer.from([...varint(number * 8), ...varint(of)])],
    ),
  )
}
