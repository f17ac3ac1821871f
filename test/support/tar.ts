// Writes tar archives (ustar), also such as nobody should unpack.

export interface TarEntry {
  name: string
  /** `0` a file, `2` a symbolic link, `5` a folder, `L` a long name of GNU, `x` records of pax. */
  type?: string
  bytes?: Uint8Array
  linkTo?: string
}

export function tarOf(entries: readonly TarEntry[]): Uint8Array {
  const parts = entries.flatMap(({ name, type = '0', bytes = new Uint8Array(), linkTo = '' }) => {
    const head = Buffer.alloc(512)
    head.write(name.slice(0, 100), 0)
    head.write('0000644\u00000000000\u00000000000\u0000', 100)
    head.write(`${bytes.length.toString(8).padStart(11, '0')} 00000000000 `, 124)
    head.write(type, 156)
    head.write(linkTo, 157)
    head.write('ustar\u000000', 257)
    head.write('        ', 148)
    head.write(
      `${head
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\u0000 `,
      148,
    )
    return [head, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
  })
  return Buffer.concat([...parts, Buffer.alloc(1024)])
}
