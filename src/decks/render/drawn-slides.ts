// Slides of a presentation with their text and notes from the file itself and their pictures from the PDF that was drawn of it.
import { openPdf } from './pdf.ts'
import type { WarningCode } from '../warnings.ts'
import type { OpenDocument } from './protocol.ts'
import { DocumentError } from './protocol.ts'

/** Where the PDF does not fit the file, the slides are what they are without it, with a warning on the first. */
export async function withDrawing(slides: OpenDocument, pdf: Uint8Array): Promise<OpenDocument> {
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
      const { warnings: ofFile = [], ...slide } = await slides.page(index)
      const { images, warnings: ofDrawing = [] } = await drawn.page(index)
      // A picture that the file has and we could not decode is in the drawing; what the drawing says in words, the file says better.
      const isLoss = (code: WarningCode) => code === 'unreadable' || code === 'drawn_without_pictures'
      const warnings = [...ofFile.filter(({ code }) => !isLoss(code)), ...ofDrawing.filter(({ code }) => code === 'unreadable')]
      return { ...slide, images: images.length > 0 ? images : slide.images, warnings }
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
