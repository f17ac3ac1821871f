// Documents built by code: PDF, zip and PPTX files, good and hostile, so that no binary file is kept in the repository.
import { crc32, deflateRawSync } from 'node:zlib'

export interface PdfPage {
  /** Lines of text, in Helvetica. */
  lines?: readonly string[]
  /** Content stream instead of `lines`. */
  content?: string
  /** As written into the file; points. */
  mediaBox?: string
}

/** A plain PDF 1.4 with one font. `trailer` is added to the trailer dictionary, `catalog` to the catalog. */
export function buildPdf(
  pages: readonly PdfPage[],
  extra: { trailer?: string; catalog?: string; objects?: readonly string[] } = {},
): Uint8Array {
  const objects: string[] = []
  const pageIds = pages.map((_, index) => 4 + index * 2)
  objects.push(`<< /Type /Catalog /Pages 2 0 R ${extra.catalog ?? ''} >>`)
  objects.push(`<< /Type /Pages /Count ${pages.length} /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] >>`)
  objects.push('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  for (const [index, page] of pages.entries()) {
    const content = page.content ?? textContent(page.lines ?? [])
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox ${page.mediaBox ?? '[0 0 960 540]'} /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
    )
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`)
  }
  objects.push(...(extra.objects ?? []))
  return writePdf(objects, extra.trailer)
}

function textContent(lines: readonly string[]): string {
  const escaped = (line: string) => line.replace(/[\\()]/g, '\\$&')
  return `BT /F1 36 Tf 60 460 Td 44 TL ${lines.map((line) => `(${escaped(line)}) Tj T*`).join(' ')} ET`
}

/** Numbers the objects from 1 and writes the cross-reference table. */
export function writePdf(objects: readonly string[], trailer = ''): Uint8Array {
  let file = '%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const start = file.length
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(file, 'latin1')
}

export interface ZipEntry {
  name: string
  data: string | Uint8Array
  /** Lies for tests: what the directory declares instead of the truth. */
  declaredBytes?: number
  flags?: number
  method?: 0 | 8 | 99
}

export function buildZip(entries: readonly ZipEntry[]): Uint8Array {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, data, declaredBytes, flags = 0, method = 8 } of entries) {
    const plain = Buffer.from(data)
    const packed = method === 8 ? deflateRawSync(plain) : plain
    const nameBytes = Buffer.from(name)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(flags, 2)
    fields.writeUInt16LE(method, 4)
    fields.writeUInt32LE(crc32(plain), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(declaredBytes ?? plain.length, 18)
    fields.writeUInt16LE(nameBytes.length, 22)
    const local = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), fields, nameBytes, packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from([0x50, 0x4b, 1, 2, 20, 0]), fields, tail, nameBytes]))
    locals.push(local)
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, listed, end])
}

export interface PptxSlide {
  title?: string
  lines?: readonly string[]
  notes?: string
  /** Covers the whole slide. */
  picture?: Uint8Array
  altText?: string
  isHidden?: boolean
  /** XML inside the shape tree, as it is. */
  shapes?: string
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const paragraph = (text: string) => `<a:p><a:r><a:t>${escapeXml(text)}</a:t></a:r></a:p>`
const spaces = 'xmlns:a="urn:a" xmlns:p="urn:p" xmlns:r="urn:r"'
const relationsOf = (rows: readonly string[]) => `<Relationships>${rows.join('')}</Relationships>`
const relation = (id: string, type: string, target: string) => `<Relationship Id="${id}" Type="http://x/${type}" Target="${target}"/>`

function placeholder(type: string, paragraphs: string): string {
  return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${paragraphs}</p:txBody></p:sp>`
}

/** The parts of a PPTX, so that a test may spoil one before zipping. */
export function pptxParts(slides: readonly PptxSlide[]): ZipEntry[] {
  const ids = slides.map((_, index) => `rId${index + 1}`)
  const parts: ZipEntry[] = [
    { name: '[Content_Types].xml', data: '<Types/>' },
    {
      name: 'ppt/presentation.xml',
      data: `<?xml version="1.0" encoding="UTF-8"?><p:presentation ${spaces}><p:sldIdLst>${ids.map((id) => `<p:sldId id="256" r:id="${id}"/>`).join('')}</p:sldIdLst><p:sldSz cx="12192000" cy="6858000"/></p:presentation>`,
    },
    {
      name: 'ppt/_rels/presentation.xml.rels',
      data: relationsOf(ids.map((id, index) => relation(id, 'slide', `slides/slide${index + 1}.xml`))),
    },
  ]
  for (const [index, slide] of slides.entries()) {
    const number = index + 1
    const rows: string[] = []
    let tree = slide.title === undefined ? '' : placeholder('title', paragraph(slide.title))
    if (slide.lines !== undefined) tree += placeholder('body', slide.lines.map(paragraph).join(''))
    tree += placeholder('sldNum', paragraph('‹7›'))
    if (slide.picture !== undefined) {
      parts.push({ name: `ppt/media/image${number}.png`, data: slide.picture, method: 0 })
      rows.push(relation('rId9', 'image', `../media/image${number}.png`))
      tree += `<p:pic><p:nvPicPr><p:cNvPr id="4" name="p" descr="${escapeXml(slide.altText ?? '')}"/></p:nvPicPr><p:blipFill><a:blip r:embed="rId9"/></p:blipFill><p:spPr><a:xfrm><a:ext cx="12192000" cy="6858000"/></a:xfrm></p:spPr></p:pic>`
    }
    if (slide.notes !== undefined) {
      rows.push(relation('rId8', 'notesSlide', `../notesSlides/notesSlide${number}.xml`))
      const notes = slide.notes.split('\n').map(paragraph).join('')
      parts.push({
        name: `ppt/notesSlides/notesSlide${number}.xml`,
        data: `<p:notes ${spaces}><p:cSld><p:spTree>${placeholder('sldNum', paragraph('12'))}${placeholder('body', notes)}</p:spTree></p:cSld></p:notes>`,
      })
    }
    const hidden = slide.isHidden === true ? ' show="0"' : ''
    parts.push({
      name: `ppt/slides/slide${number}.xml`,
      data: `<p:sld ${spaces}${hidden}><p:cSld><p:spTree>${tree}${slide.shapes ?? ''}</p:spTree></p:cSld></p:sld>`,
    })
    parts.push({ name: `ppt/slides/_rels/slide${number}.xml.rels`, data: relationsOf(rows) })
  }
  return parts
}

export function buildPptx(slides: readonly PptxSlide[]): Uint8Array {
  return buildZip(pptxParts(slides))
}
