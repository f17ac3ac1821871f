// Slides of a presentation with their text and notes from the file itself and their pictures from the PDF that was drawn of it.
import type { Presentation } from '../office/pages.ts'
import type { PageWarning } from '../warnings.ts'
import { eastAsianFonts } from './fonts.ts'
import { openPdf } from './pdf.ts'
import { DocumentError, type OpenDocument } from './protocol.ts'

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
