// Reads a PDF page by page with PDFium: what it says by its layout, then a picture of it. Runs in the reader process only, because
// the renderer is synchronous and a page may ask for any amount of time or memory.
import { writeBlocks } from '../block-text.ts'
import type { PageDraft } from '../block.ts'
import type { Presentation } from '../office/pages.ts'
import { isGarbled, isStrange, type Link, type Shape } from '../pdf/geometry.ts'
import { linesOf } from '../pdf/lines.ts'
import { loadPdf, type PdfPage } from '../pdf/pdfium.ts'
import { readPage } from '../pdf/read-page.ts'
import { type Habits, habitsOf, type PageLines } from '../pdf/title.ts'
import type { PageWarning } from '../warnings.ts'
import { eastAsianFonts } from './converter.ts'
import { canvasOf, encodeVariants, fittedSize } from '../picture.ts'
import { blankPage, DocumentError, type OpenDocument, type RenderedPage, textMinForSpeech, unreadable } from '../protocol.ts'

/** Pages that are looked at before the first is read: enough to tell what all have in common, few enough not to be waited for. */
const surveyMax = 40
/** Pieces of text kept from one look to the next. */
const keptMax = 60_000

const tooMuch: PageWarning = { code: 'cut', detail: 'The page holds more text than a slide takes: some of it was left out.' }

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
    const draft = readPage(seen.page, seen.shapes, habits, seen.links)
    const { title, text, reading, isCut, isWrong } = written(draft)
    return {
      index,
      title,
      text,
      reading: { ...reading, ...(isWrong && { isGarbled: true as const }) },
      notes: '',
      state: text.length < textMinForSpeech ? 'no_text' : 'ok',
      ...(isCut && { warnings: [tooMuch] }),
    }
  }
  return {
    total: pdf.total,
    surveyed,
    survey,
    async page(index, without) {
      if (isTextOnly || without === 'picture') return { ...pdf.withPage(index, (page) => read(index, page)), images: [] }
      const { words, size, pixels } = pdf.withPage(index, (page) => {
        const words = without === 'words' ? blankPage(index) : read(index, page)
        const size = fittedSize(page.width, page.height, true)
        return { words, size, pixels: size && page.draw(size.width, size.height) }
      })
      if (size === undefined || pixels === undefined)
        return { ...words, images: [], state: 'placeholder', warnings: unreadable('The page has no size that can be shown.') }
      return { ...words, images: await encodeVariants(canvasOf(pixels, size.width, size.height)) }
    },
  }
}

/** Wrong letters are neither shown nor said: a title that is none of them stays, and the picture tells the rest. */
function written(draft: PageDraft) {
  const all = writeBlocks(draft)
  if (!isGarbled(all.text)) return { ...all, isWrong: false }
  const kept = isStrange(draft.title) ? { title: '', titleFrom: 'none' as const, isTitleSure: false } : draft
  return { ...writeBlocks({ ...kept, blocks: [], furniture: [] }), isWrong: true }
}

// Slides of a presentation with their text and notes from the file itself and their pictures from the PDF that was drawn of it.

const eastAsian = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u
const boxes: PageWarning = {
  code: 'fonts_replaced',
  detail: 'The picture shows boxes for Chinese, Japanese or Korean letters: this machine has no font for them.',
  fix: 'Install such a font on the server (Debian: fonts-noto-cjk), or save the presentation as a PDF.',
}

/** Where the PDF does not fit the file, the slides are what they are without it, with a warning on the first. */
export async function withDrawing(slides: Presentation, pdf: Uint8Array, fonts = eastAsianFonts()): Promise<OpenDocument> {
  const drawn = await openDrawn(pdf)
  if (drawn?.total !== slides.total) {
    const detail = `The slides are shown by their text and pictures, not as they look: ${drawn?.total ?? 'none'} of ${slides.total} were drawn.`
    return {
      total: slides.total,
      async page(index) {
        const slide = await slides.page(index)
        if (index > 0) return slide
        return { ...slide, warnings: [...(slide.warnings ?? []), { code: 'drawn_without_pictures', detail }] }
      },
    }
  }
  return {
    total: slides.total,
    async page(index) {
      const { images, warnings: ofDrawing = [] } = await drawn.page(index)
      if (images.length === 0) return slides.page(index)
      const slide = await slides.words(index)
      // What the drawing says in words, the file says better.
      const warnings: PageWarning[] = ofDrawing.filter(({ code }) => code === 'unreadable')
      if (fonts.length === 0 && eastAsian.test(slide.text)) warnings.push(boxes)
      return { ...slide, images, ...(warnings.length > 0 && { warnings }) }
    },
  }
}

async function openDrawn(pdf: Uint8Array): Promise<OpenDocument | null> {
  try {
    return await openPdf(pdf)
  } catch (error) {
    if (error instanceof DocumentError) return null
    throw error
  }
}
