// Files made to hurt a reader, built by code: each with what must come of it. Nothing here is stored as a binary.
import { crc32, deflateSync } from 'node:zlib'
import type { SourceKind } from '@rostrum/deck/protocol'
import type { ZipEntry } from './documents.ts'
import { buildPdf, buildPptx, buildZip, pptxParts, writePdf } from './documents.ts'

export interface HostileDocument {
  name: string
  kind: SourceKind
  build: () => Uint8Array
  /** `read`: pages come of it. `either`: pages or words. Else the words for the owner. */
  expect: 'read' | 'either' | RegExp
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const words = 'Enough words for a slide to speak'
const damaged = /damaged|No page|cannot be opened/
const pdf = (name: string, expect: HostileDocument['expect'], build: () => Uint8Array): HostileDocument => ({
  name,
  kind: 'pdf',
  expect,
  build,
})
const pptx = (name: string, expect: HostileDocument['expect'], build: () => Uint8Array): HostileDocument => ({
  name,
  kind: 'pptx',
  expect,
  build,
})
const image = (name: string, expect: HostileDocument['expect'], build: () => Uint8Array): HostileDocument => ({
  name,
  kind: 'images',
  expect,
  build,
})
const markdown = (name: string, expect: HostileDocument['expect'], build: () => Uint8Array): HostileDocument => ({
  name,
  kind: 'markdown',
  expect,
  build,
})

const onePage = () => buildPdf([{ lines: [words] }])
const streamObject = (dictionary: string, data: string) => `<< ${dictionary} /Length ${data.length} >>\nstream\n${data}\nendstream`
const packed = (data: Uint8Array) => deflateSync(data).toString('latin1')
/** One page whose resources and content are given; further objects start at 6. */
function pageWith(resources: string, content: string, objects: readonly string[], contentDictionary = ''): Uint8Array {
  return writePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [4 0 R] >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 960 540] /Resources << /Font << /F1 3 0 R >> ${resources} >> /Contents 5 0 R >>`,
    streamObject(contentDictionary, content),
    ...objects,
  ])
}
/** Each form draws the next one twice. */
const formBomb = () =>
  Array.from({ length: 40 }, (_, i) =>
    streamObject(
      `/Type /XObject /Subtype /Form /BBox [0 0 960 540] /Resources << /XObject << /N ${Math.min(7 + i, 45)} 0 R >> >>`,
      i === 39 ? '0 0 9 9 re f' : '/N Do /N Do',
    ),
  )

const pdfs: HostileDocument[] = [
  pdf('cut in the middle', 'either', () => onePage().subarray(0, 500)),
  pdf('a head and nothing else', damaged, () => latin1('%PDF-1.7\n')),
  pdf('a head and noise', damaged, () => Buffer.concat([latin1('%PDF-1.7\n'), Buffer.alloc(200_000, 0xa7)])),
  pdf('protected by a password', /password/, () =>
    buildPdf([{ lines: [words] }], {
      trailer: `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >> /ID [<00><00>]`,
    }),
  ),
  pdf('an unknown protection', /protect/, () =>
    buildPdf([{ lines: [words] }], { trailer: '/Encrypt << /Filter /Nobody /V 9 >> /ID [<00><00>]' }),
  ),
  pdf('412 pages', /^The PDF has 412 pages; the limit is 300\.$/, () => buildPdf(Array.from({ length: 412 }, () => ({ content: '' })))),
  pdf('no pages', /no pages|damaged/, () => buildPdf([])),
  pdf('a page tree that contains itself', 'either', () =>
    writePdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Count 2 /Kids [2 0 R 2 0 R] /Parent 2 0 R >>']),
  ),
  pdf('a count of a million pages', 'either', () =>
    latin1(Buffer.from(onePage()).toString('latin1').replace('/Count 1 ', '/Count 1000000 ')),
  ),
  pdf('a negative count', 'either', () => latin1(Buffer.from(onePage()).toString('latin1').replace('/Count 1 ', '/Count -1 '))),
  pdf('a size that is no number', 'either', () => buildPdf([{ lines: [words], mediaBox: '[0 0 NaN NaN]' }])),
  pdf('a page of a billion points', 'either', () => buildPdf([{ lines: [words], mediaBox: '[0 0 1000000000 1000000000]' }])),
  pdf('a page of no size', 'either', () => buildPdf([{ lines: [words], mediaBox: '[0 0 0 0]' }])),
  pdf('a page of one point by a hundred thousand', 'either', () => buildPdf([{ lines: [words], mediaBox: '[0 0 1 100000]' }])),
  pdf('a page of a hundred thousand points by one', 'either', () => buildPdf([{ lines: [words], mediaBox: '[0 0 100000 1]' }])),
  pdf('infinite coordinates', 'either', () => buildPdf([{ content: '1e308 0 0 1e308 1e308 1e308 cm 0 0 1e308 1e308 re f' }])),
  pdf('two million paths', 'either', () =>
    pageWith('', packed(Buffer.from('0 0 m 960 540 l 10 700 300 20 960 0 c S '.repeat(600_000))), [], '/Filter /FlateDecode'),
  ),
  pdf('forms that draw each other 2^40 times', 'either', () => pageWith('/XObject << /N 6 0 R >>', '/N Do', formBomb())),
  pdf('a form that draws itself', 'either', () =>
    pageWith('/XObject << /N 6 0 R >>', '/N Do', [
      streamObject('/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /N 6 0 R >> >>', '/N Do'),
    ]),
  ),
  pdf('a picture of ten billion pixels', 'either', () =>
    pageWith('/XObject << /N 6 0 R >>', '960 0 0 540 0 0 cm /N Do', [
      streamObject('/Type /XObject /Subtype /Image /Width 100000 /Height 100000 /ColorSpace /DeviceRGB /BitsPerComponent 8', 'x'),
    ]),
  ),
  pdf('a content stream that unpacks to 300 MB', 'either', () =>
    pageWith('', packed(Buffer.alloc(300_000_000, 0x20)), [], '/Filter /FlateDecode'),
  ),
  pdf('a stream packed five times over', 'either', () => {
    let data: Uint8Array = Buffer.alloc(50_000_000)
    for (let i = 0; i < 5; i++) data = deflateSync(data)
    return pageWith('', Buffer.from(data).toString('latin1'), [], `/Filter [${'/FlateDecode '.repeat(5)}]`)
  }),
  pdf('a cross-reference that leads to itself', 'either', () => buildPdf([{ lines: [words] }], { trailer: '/Prev 9' })),
  pdf('arrays nested a hundred thousand deep', 'either', () =>
    buildPdf([{ lines: [words] }], { objects: [`${'['.repeat(100_000)}${']'.repeat(100_000)}`] }),
  ),
  pdf('dictionaries nested in the catalog', 'either', () =>
    buildPdf([{ lines: [words] }], { catalog: `/X ${'<< /X '.repeat(20_000)} 1 ${'>> '.repeat(20_000)}` }),
  ),
  pdf('JavaScript on opening', 'read', () =>
    buildPdf([{ lines: [words] }], { catalog: '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\); while\\(true\\){}) >>' }),
  ),
  pdf('a program to launch and an address to open', 'read', () =>
    buildPdf([{ lines: [words] }], {
      catalog: '/OpenAction << /S /Launch /F (/bin/sh) >> /AA << /WC << /S /URI /URI (http://127.0.0.1/) >> >>',
    }),
  ),
  pdf('links that lead to scripts, to files and ten thousand characters away', 'read', () =>
    latin1(
      Buffer.from(onePage())
        .toString('latin1')
        .replace(
          '/Type /Page ',
          `/Type /Page /Annots [${['javascript:alert\\(1\\)', 'file:///etc/passwd', `http://a.org/${'x'.repeat(10_000)}`].map((uri) => `<< /Type /Annot /Subtype /Link /Rect [0 0 900 500] /A << /S /URI /URI (${uri}) >> >>`).join(' ')}] `,
        ),
    ),
  ),
  pdf('a zip behind the PDF', 'read', () => Buffer.concat([onePage(), buildZip([{ name: 'evil.exe', data: 'MZ' }])])),
  pdf('a page of HTML behind the PDF', 'read', () => Buffer.concat([onePage(), latin1('<script>alert(1)</script>')])),
  pdf('noise before the head', 'read', () => Buffer.concat([latin1('noise\n'.repeat(20)), onePage()])),
  pdf('a damaged cross-reference', 'read', () =>
    latin1(
      Buffer.from(onePage())
        .toString('latin1')
        .replace(/startxref\n\d+/, 'startxref\n7'),
    ),
  ),
  pdf('control characters as text', 'either', () =>
    buildPdf([{ content: 'BT /F1 20 Tf 60 400 Td (\\000\\001\\002\\033\\177 visible words and more) Tj ET' }]),
  ),
  pdf('a million letters on one page', 'either', () =>
    buildPdf([{ content: `BT /F1 1 Tf 0 0 Td ${'(abcdefghij) Tj '.repeat(100_000)} ET` }]),
  ),
  pdf('a font that is no font', 'either', () =>
    latin1(Buffer.from(onePage()).toString('latin1').replace('/Subtype /Type1 /BaseFont /Helvetica', '/Subtype /Type0 /Encoding 3 0 R /X')),
  ),
  pdf('one good page among broken ones', 'read', () =>
    buildPdf([{ lines: [words], mediaBox: '[0 0 NaN 1]' }, { lines: [words] }, { content: 'q q q Q Q Q Q Q Q BT ET ET [[[' }]),
  ),
]

const slide = (data: string): Uint8Array =>
  buildZip(pptxParts([{ title: words }]).map((part): ZipEntry => (part.name === 'ppt/slides/slide1.xml' ? { ...part, data } : part)))
const withPart = (part: ZipEntry) => buildZip([...pptxParts([{ title: words }]), part])
const sld = (inside: string) => `<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>${inside}</p:spTree></p:cSld></p:sld>`

const zips: HostileDocument[] = [
  pptx('a slide that unpacks to 80 MB', damagedOrLarge(), () => slide(`<p:sld>${' '.repeat(80_000_000)}</p:sld>`)),
  pptx('six thousand entries', /6003|6004|6005|6006|limit is 5000/, () =>
    buildZip([...pptxParts([{ title: words }]), ...Array.from({ length: 6_000 }, (_, i) => ({ name: `x/${i}`, data: '' }))]),
  ),
  pptx('a name that climbs out', /damaged/, () => withPart({ name: '../../etc/cron.d/x', data: 'x' })),
  pptx('an absolute name', /damaged/, () => withPart({ name: '/etc/passwd', data: 'x' })),
  pptx('a name with a drive', /damaged/, () => withPart({ name: 'C:evil', data: 'x' })),
  pptx('the same name twice', /damaged/, () => withPart({ name: 'ppt/presentation.xml', data: '<x/>' })),
  pptx('an encrypted entry', /password/, () => withPart({ name: 'secret', data: 'x', flags: 1 })),
  pptx('an archive cut short', /damaged/, () => buildPptx([{ title: words }]).subarray(0, 700)),
  pptx('an archive without its end', /damaged/, () => {
    const whole = buildPptx([{ title: words }])
    return whole.subarray(0, whole.length - 22)
  }),
  pptx('a declared size that lies', 'read', () => buildZip(pptxParts([{ title: words }]).map((part) => ({ ...part, declaredBytes: 1 })))),
  pptx('an unknown way of packing', /damaged|No page/, () =>
    buildZip(pptxParts([{ title: words }]).map((part): ZipEntry => ({ ...part, method: 99 }))),
  ),
  pptx('an archive that is no presentation', /not a PowerPoint/, () => buildZip([{ name: 'word/document.xml', data: '<x/>' }])),
  pptx('412 slides', /^The file has 412 slides; the limit is 300\.$/, () => buildPptx(Array.from({ length: 412 }, () => ({ title: 'x' })))),
  pptx('no slides', /no slides/, () => buildPptx([])),
  pptx('entities that multiply', /No page/, () =>
    slide(`<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>${sld('<p:sp>&b;</p:sp>')}`),
  ),
  pptx('an entity from outside', /No page/, () => slide(`<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${sld('&a;')}`)),
  pptx('an unknown entity', /No page/, () => slide(sld('&nbsp;'))),
  pptx('an entity named like a member of every object', /No page/, () => slide(sld('&valueOf;'))),
  pptx('elements ten thousand deep', /No page/, () => slide(sld('<a>'.repeat(10_000) + '</a>'.repeat(10_000)))),
  pptx('half a million elements', /No page/, () => slide(sld('<a/>'.repeat(500_000)))),
  pptx('seventeen megabytes of XML', /No page/, () => slide(sld(`<a>${'x<b/>'.repeat(3_600_000)}</a>`))),
  pptx('a tag that never ends', /No page/, () => slide('<p:sld '.repeat(50_000))),
  pptx('attributes without end', 'either', () => slide(sld(`<a ${'b="c" '.repeat(200_000)}/>`))),
  pptx('groups in groups', 'either', () => slide(sld('<p:grpSp>'.repeat(50) + '</p:grpSp>'.repeat(50)))),
  pptx('a picture that claims 3.6 billion pixels', 'read', () => buildPptx([{ title: words, picture: pngHead(60_000, 60_000) }])),
  pptx('a picture that is no picture', 'read', () => buildPptx([{ title: words, picture: latin1('<svg onload="alert(1)"/>') }])),
  pptx('a relation that climbs out', 'read', () =>
    buildZip(
      pptxParts([{ title: words }, { title: words }]).map((part): ZipEntry =>
        part.name === 'ppt/_rels/presentation.xml.rels'
          ? { ...part, data: String(part.data).replace('slides/slide2.xml', '../../../../etc/passwd') }
          : part,
      ),
    ),
  ),
]

function damagedOrLarge(): RegExp {
  return /unpacks to more|damaged|No page/
}

function pngHead(width: number, height: number): Uint8Array {
  const header = Buffer.alloc(17)
  header.write('IHDR', 0, 'latin1')
  header.writeUInt32BE(width, 4)
  header.writeUInt32BE(height, 8)
  header.set([8, 6, 0, 0, 0], 12)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(header))
  return Buffer.concat([latin1('\u0089PNG\r\n\u001a\n'), Buffer.from([0, 0, 0, 13]), header, sum])
}

const jpegHead = (width: number, height: number) =>
  Buffer.from([
    0xff,
    0xd8,
    0xff,
    0xc0,
    0,
    17,
    8,
    height >> 8,
    height & 255,
    width >> 8,
    width & 255,
    3,
    1,
    17,
    0,
    2,
    17,
    1,
    3,
    17,
    1,
    0xff,
    0xd9,
  ])
const webpHead = () =>
  Buffer.concat([
    latin1('RIFF\u0020\u0000\u0000\u0000WEBPVP8X\u000a\u0000\u0000\u0000'),
    Buffer.from([0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
  ])

const pictures: HostileDocument[] = [
  image('a PNG of ten billion pixels', damaged, () => pngHead(100_000, 100_000)),
  image('a PNG without pixels', damaged, () => pngHead(64, 64)),
  image('a PNG of no size', damaged, () => pngHead(0, 64)),
  image('a JPEG of four billion pixels', damaged, () => jpegHead(65_535, 65_535)),
  image('a JPEG of nothing but its head', damaged, () => jpegHead(64, 64)),
  image('a JPEG whose segments never end', damaged, () => Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(1_000_000, 0xff)])),
  image('a WebP of 2^48 pixels', damaged, webpHead),
  image('an SVG', damaged, () => latin1('<svg xmlns="http://www.w3.org/2000/svg"/>')),
  image('a GIF', damaged, () => latin1('GIF89a\u0001\u0000\u0001\u0000')),
]

const texts: HostileDocument[] = [
  markdown('brackets without end', 'read', () => latin1('!['.repeat(400_000))),
  markdown('stars and backticks without end', 'read', () => latin1('**`'.repeat(400_000))),
  markdown('comments that never close', 'read', () => latin1('<!-- '.repeat(100_000))),
  markdown('412 slides', /412 slides; the limit is 300/, () => latin1('x\n---\n'.repeat(412))),
  markdown('blank', /no text/, () => latin1(' \n\n---\n \n')),
]

export const hostileDocuments: readonly HostileDocument[] = [...pdfs, ...zips, ...pictures, ...texts]

/** A compound file whose records, sectors or chains are not what they say; each is told in words, and none is waited for. */
export function spoiledPpt(whole: Uint8Array): { name: string; file: Uint8Array; words: RegExp }[] {
  const file = Buffer.from(whole)
  const sector = 1 << file.readUInt16LE(30)
  const placeOf = (number: number) => (number + 1) * sector
  const entry = file.indexOf('PowerPoint Document', 0, 'utf16le')
  const first = file.readUInt32LE(entry + 116)
  const document = placeOf(first)
  const user = file.indexOf(Buffer.from([0x14, 0, 0, 0, 0x5f, 0xc0, 0x91, 0xe3]))
  const unread = /PowerPoint 2003 or older.*could not read the file/
  const spoil = (name: string, words: RegExp, act: (copy: Buffer) => unknown) => {
    const copy = Buffer.from(file)
    act(copy)
    return { name, file: copy, words }
  }
  return [
    spoil('marked as encrypted', /protected by a password/, (copy) => copy.writeUInt32LE(0xf3d1c4df, user + 4)),
    spoil('a record longer than the file', unread, (copy) => copy.writeUInt32LE(0xfffffff0, document + 12)),
    spoil('a sector of zeroes', unread, (copy) => copy.fill(0, document, document + sector)),
    spoil('sectors that lead back to the first', unread, (copy) => {
      const table = placeOf(copy.readUInt32LE(76))
      for (let at = 0; at < sector; at += 4) copy.writeUInt32LE(first, table + at)
    }),
    spoil('a document that its directory calls empty', unread, (copy) => copy.fill(0, entry + 116, entry + 128)),
  ]
}
