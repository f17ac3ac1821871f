// The files that strangers and hosts bring: a film as large as one likes, and a small PDF that is slow to draw.
import { deflateSync } from 'node:zlib'
import { writePdf } from '../../test/support/documents.ts'

const element = (id: string, ...parts: readonly Uint8Array[]): Buffer => {
  const data = Buffer.concat(parts)
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(data.length) | (1n << 56n))
  return Buffer.concat([Buffer.from(id, 'hex'), size, data])
}
const text = (words: string) => Buffer.from(words)
const number = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const float = (value: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}

/** A WebM file of that length and size: one track of pictures, whose frames are zeroes. */
export function webm(sizeBytes: number, durationMs: number): Buffer {
  const head = element(
    '1a45dfa3',
    element('4282', text('webm')),
    element('4286', number(1)),
    element('42f7', number(1)),
    element('42f2', number(4)),
    element('42f3', number(8)),
    element('4287', number(2)),
    element('4285', number(2)),
  )
  const info = element(
    '1549a966',
    element('2ad7b1', number(1_000_000)),
    element('4d80', text('bench')),
    element('5741', text('bench')),
    element('4489', float(durationMs)),
  )
  const picture = element('e0', element('b0', number(1_280)), element('ba', number(720)))
  const track = element(
    'ae',
    element('d7', number(1)),
    element('73c5', number(1)),
    element('83', number(1)),
    element('86', text('V_VP8')),
    picture,
  )
  const frame = Buffer.alloc(1_048_576)
  // Track 1, at the begin of its cluster, a key frame.
  frame.set([0x81, 0, 0, 0x80])
  const clusters = Math.max(1, Math.round(sizeBytes / frame.length))
  const told = Array.from({ length: clusters }, (_, at) =>
    element('1f43b675', element('e7', number(Math.floor((at * durationMs) / clusters))), element('a3', frame)),
  )
  return Buffer.concat([head, element('18538067', info, element('1654ae6b', track), ...told)])
}

/** A few kB: each of so many pages draws the same 3,000 curves, which takes seconds and is let pass. */
export function slowPdf(pages: number, words: string): Uint8Array {
  const curves = '0 0 m 960 540 l 10 700 300 20 960 0 c S '.repeat(3_000)
  const drawn = deflateSync(`BT /F1 20 Tf 60 400 Td (${words}) Tj ET ${curves}`, { level: 9 }).toString('latin1')
  const content = 4 + pages
  const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 960 540] /Resources << /Font << /F1 3 0 R >> >> /Contents ${content} 0 R >>`
  return writePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages} /Kids [${Array.from({ length: pages }, (_, at) => `${4 + at} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...Array.from({ length: pages }, () => page),
    `<< /Filter /FlateDecode /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
  ])
}
