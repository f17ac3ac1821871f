// What an upload is, by its first bytes: neither its name nor its Content-Type is believed.

/** A file that need not be in memory. */
export interface PiecewiseFile {
  sizeBytes: number
  /** Its first bytes. */
  head(sizeBytes: number): Promise<Uint8Array>
  /** All of it, a piece at a time. */
  chunks(): AsyncIterable<Uint8Array>
}

export type FileKind = 'pdf' | 'pptx' | 'odp' | 'ppt' | 'png' | 'jpeg' | 'webp' | 'markdown'

const pdfMark = '%PDF-'
/** PDF readers accept some bytes before the mark; more than this is another file that also holds a PDF. */
const pdfMarkWithin = 1_024

/** Undefined for what is not taken. A zip counts as PPTX here; that it holds a presentation is found out when it is read. */
export function sniff(bytes: Uint8Array): FileKind | undefined {
  if (bytes.length === 0) return undefined
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'png'
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return 'jpeg'
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') return 'webp'
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04])) return ascii(bytes, 30, 30 + openDocument.length) === openDocument ? 'odp' : 'pptx'
  if (startsWith(bytes, compoundMark)) return compoundKind(bytes)
  if (ascii(bytes, 0, pdfMarkWithin).includes(pdfMark)) return isOtherFormat(bytes) ? undefined : 'pdf'
  return isText(bytes) && !isOtherFormat(bytes) ? 'markdown' : undefined
}

/** As `sniff`, of a file that is not in memory: most kinds show at its head, and for the others it is looked through in pieces. */
export async function sniffFile(file: PiecewiseFile): Promise<FileKind | undefined> {
  const head = await file.head(headBytes)
  if (file.sizeBytes <= headBytes) return sniff(head)
  if (startsWith(head, compoundMark)) return sniffCompound(file)
  const kind = sniff(head)
  // A head that is cut within a letter is no text by itself.
  if (kind !== undefined && kind !== 'markdown') return kind
  return !isOtherFormat(head) && !ascii(head, 0, pdfMarkWithin).includes(pdfMark) && (await isTextFile(file)) ? 'markdown' : undefined
}

const headBytes = 4_096

async function sniffCompound(file: PiecewiseFile): Promise<FileKind | undefined> {
  let isWrapped = false
  let before = Buffer.alloc(0)
  for await (const chunk of file.chunks()) {
    const held = Buffer.concat([before, chunk])
    const kind = compoundKind(Buffer.concat([Buffer.from(compoundMark), held]))
    if (kind === 'ppt') return kind
    isWrapped ||= kind === 'pptx'
    before = held.subarray(-headBytes)
  }
  return isWrapped ? 'pptx' : undefined
}

async function isTextFile(file: PiecewiseFile): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isFirst = true
  try {
    for await (const chunk of file.chunks()) {
      const text = decoder.decode(chunk, { stream: true })
      if (controls.test(text) || (isFirst && markup.test(text))) return false
      isFirst &&= text.trim() === ''
    }
    decoder.decode()
  } catch {
    return false
  }
  return true
}

/** The first entry of the archive, stored as it is. */
const openDocument = 'mimetypeapplication/vnd.oasis.opendocument.presentation'

const compoundMark = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]
/** What wraps a file of today that is protected by a password (MS-OFFCRYPTO, 2.3). */
const wrapped = Buffer.from('EncryptedPackage', 'utf16le')
/** Size and mark that begin the current user of an encrypted file of before 2007 (MS-PPT, 2.3.2). */
const encryptedMark = Buffer.from([0x14, 0, 0, 0, 0xdf, 0xc4, 0xd1, 0xf3])

/** Office of before 2007, and what protects a file of today. */
function compoundKind(bytes: Uint8Array): FileKind | undefined {
  const file = asBuffer(bytes)
  if (file.includes('PowerPoint Document', 0, 'utf16le')) return 'ppt'
  return file.includes(wrapped) ? 'pptx' : undefined
}

/** A file of Office that nobody opens without its password. */
export const isProtected = (bytes: Uint8Array) =>
  startsWith(bytes, compoundMark) && [wrapped, encryptedMark].some((mark) => asBuffer(bytes).includes(mark))

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)

/** A file of another format, perhaps with a PDF hidden behind its head. */
function isOtherFormat(bytes: Uint8Array): boolean {
  const head = ascii(bytes, 0, 8)
  return (
    !head.startsWith(pdfMark) &&
    (head.startsWith('GIF8') || head.startsWith('<') || head.startsWith('\u007fELF') || head.startsWith('MZ') || head.startsWith('{'))
  )
}

/** UTF-8 text without control characters, that is neither markup nor JSON: those have ways of their own. */
function isText(bytes: Uint8Array): boolean {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return false
  }
  return !controls.test(text) && !markup.test(text)
}

const controls = /[^\P{Cc}\t\n\v\f\r\u0085]/u
const markup = /^\s*[<{[]/

function startsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte)
}

function ascii(bytes: Uint8Array, from: number, to: number): string {
  return asBuffer(bytes).toString('latin1', from, to)
}
