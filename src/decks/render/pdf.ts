// Reads a PDF page by page with PDFium: text, then a picture of the page. Runs in the reader process only, because the
// renderer is synchronous and a page may ask for any amount of time or memory.
import { PDFiumLibrary } from '@hyzyla/pdfium'
import type { PDFiumDocument } from '@hyzyla/pdfium'
import type { Canvas } from '@napi-rs/canvas'
import { canvasOf, encodeVariants, fittedSize } from './picture.ts'
import type { OpenDocument, RenderedPage } from './protocol.ts'
import { cleanText, DocumentError, textMinForSpeech, unreadable } from './protocol.ts'

/** Throws `DocumentError`. JavaScript, attachments, forms and links of the PDF are neither run nor followed. */
export async function openPdf(bytes: Uint8Array, isTextOnly = false): Promise<OpenDocument> {
  const library = await PDFiumLibrary.init()
  let document: PDFiumDocument
  try {
    document = await library.loadDocument(bytes)
  } catch (error) {
    throw new DocumentError(wordsFor(error))
  }
  const total = document.getPageCount()
  if (total < 1) throw new DocumentError('The PDF has no pages.')
  return { total, page: (index) => (isTextOnly ? readText(document, index) : readPage(document, index)) }
}

function wordsFor(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  if (/password/i.test(message)) return 'The PDF is protected by a password. Save it without one and send it again.'
  if (/security/i.test(message)) return 'The PDF uses a protection that cannot be read. Save it without protection and send it again.'
  return 'The file is damaged or not a PDF: it cannot be opened.'
}

async function readText(document: PDFiumDocument, index: number): Promise<RenderedPage> {
  const text = cleanText(document.getPage(index).getText())
  return { index, title: '', text, notes: '', images: [], state: text.length < textMinForSpeech ? 'no_text' : 'ok' }
}

async function readPage(document: PDFiumDocument, index: number): Promise<RenderedPage> {
  const page = document.getPage(index)
  // Before `render`: that closes the page, and reading its text afterwards ends the whole process.
  const text = cleanText(page.getText())
  const { originalWidth, originalHeight } = page.getOriginalSize()
  const size = fittedSize(originalWidth, originalHeight, true)
  if (size === undefined) {
    return {
      index,
      title: '',
      text,
      notes: '',
      images: [],
      state: 'placeholder',
      warnings: unreadable('The page has no size that can be shown.'),
    }
  }
  let canvas: Canvas | undefined
  await page.render({
    scale: size.scale,
    async render({ data, width, height }) {
      canvas = canvasOf(data, width, height)
      return data
    },
  })
  if (canvas === undefined) throw new Error('The page was not rendered.')
  const state = text.length < textMinForSpeech ? 'no_text' : 'ok'
  return { index, title: '', text, notes: '', images: await encodeVariants(canvas), state }
}
