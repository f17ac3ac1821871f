// Reads a PDF page by page with PDFium: what it says by its layout, then a picture of it. Runs in the reader process only, because
// the renderer is synchronous and a page may ask for any amount of time or memory.
import { writeBlocks } from '../blocks/write-blocks.ts'
import type { Link, Shape } from '../pdf/geometry.ts'
import { type Habits, habitsOf, type PageLines } from '../pdf/habits.ts'
import { linesOf } from '../pdf/lines.ts'
import { loadPdf, type PdfPage } from '../pdf/pdfium.ts'
import { readPage } from '../pdf/read-page.ts'
import type { PageWarning } from '../warnings.ts'
import { canvasOf, encodeVariants, fittedSize } from './picture.ts'
import { type OpenDocument, type RenderedPage, textMinForSpeech, unreadable } from './protocol.ts'

/** Pages that are looked at before the first is read: enough to tell what all have in common, few enough not to be waited for. */
const surveyMax = 40
/** Pieces of text kept from one look to the next. */
const keptMax = 60_000

interface Look {
  page: PageLines
  shapes: readonly Shape[]
  links: readonly Link[]
}

/** Throws `DocumentError`. */
export async function openPdf(bytes: Uint8Array, isTextOnly = false): Promise<OpenDocument> {
  const pdf = await loadPdf(bytes)
  const looks = new Map<number, Look>()
  let kept = 0
  let habits: Habits | undefined
  const step = Math.max(1, pdf.total / surveyMax)
  const surveyed = Array.from({ length: Math.min(surveyMax, pdf.total) }, (_, at) => Math.floor(at * step))

  function look(index: number, page: PdfPage): Look {
    const geometry = page.geometry()
    const { width, height, shapes, links = [] } = geometry
    return { page: { index, width, height, lines: linesOf(geometry) }, shapes, links }
  }
  function survey(index: number): void {
    if (kept > keptMax) return
    const seen = pdf.withPage(index, (page) => look(index, page))
    kept += seen.page.lines.length + seen.shapes.length
    looks.set(index, seen)
  }
  function read(index: number, page: PdfPage): Omit<RenderedPage, 'images'> {
    habits ??= habitsOf([...looks.values()].map((seen) => seen.page))
    const seen = looks.get(index) ?? look(index, page)
    looks.delete(index)
    const { title, text, reading, isCut } = writeBlocks(readPage(seen.page, seen.shapes, habits, seen.links))
    const warnings: PageWarning[] = [
      ...(title !== '' && !reading.isTitleSure
        ? [{ code: 'title_guessed' as const, detail: `The title is a guess: "${title.slice(0, 80)}".` }]
        : []),
      ...(isCut ? [{ code: 'cut' as const, detail: 'The page holds more text than a slide takes: some of it was left out.' }] : []),
    ]
    return {
      index,
      title,
      text,
      reading,
      notes: '',
      state: text.length < textMinForSpeech ? 'no_text' : 'ok',
      ...(warnings.length > 0 && { warnings }),
    }
  }
  return {
    total: pdf.total,
    surveyed,
    survey,
    async page(index) {
      if (isTextOnly) return { ...pdf.withPage(index, (page) => read(index, page)), images: [] }
      const { words, size, pixels } = pdf.withPage(index, (page) => {
        const words = read(index, page)
        const size = fittedSize(page.width, page.height, true)
        return { words, size, pixels: size && page.draw(size.width, size.height) }
      })
      if (size === undefined || pixels === undefined)
        return { ...words, images: [], state: 'placeholder', warnings: unreadable('The page has no size that can be shown.') }
      return { ...words, images: await encodeVariants(canvasOf(pixels, size.width, size.height)) }
    },
  }
}
