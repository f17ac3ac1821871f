// The process that reads one document. Started by `read-document.ts` with no network and no right to write; everything it learns goes out
// as answers.
import { serveEngine } from '@rostrum/base/engine'
import {
  DocumentError,
  type OpenDocument,
  pagesMax,
  placeholder,
  type RenderedPage,
  type RenderJob,
  type ToReader,
  type Opened,
} from '../protocol.ts'

serveEngine(async (setup, say) => {
  // The server is our own code: what it sends is of these types.
  const document = await openWithin(setup as RenderJob)
  say({ total: document.total, surveyed: document.surveyed ?? [] } satisfies Opened)
  return async (asked): Promise<RenderedPage | undefined> => {
    const piece = asked as ToReader
    if (piece.type === 'page') return pageOrPlaceholder(document, piece)
    try {
      document.survey?.(piece.index)
    } catch (error) {
      endOnTrap(error)
    }
    return undefined
  }
})

async function openWithin(job: RenderJob): Promise<OpenDocument> {
  try {
    const document = await open(job)
    const words = job.kind === 'pdf' ? ['PDF', 'pages'] : ['file', 'slides']
    if (document.total > pagesMax) throw new DocumentError(`The ${words[0]} has ${document.total} ${words[1]}; the limit is ${pagesMax}.`)
    return document
  } catch (error) {
    // What else is thrown is a fault in words of nobody's.
    if (!(error instanceof DocumentError)) process.exit(faulty)
    throw error
  }
}

/** Loads what this kind needs and no more: the first slide should be there soon. */
async function open({ kind, files, textOnly, ...job }: RenderJob): Promise<OpenDocument> {
  const first = files[0] ?? new Uint8Array()
  switch (kind) {
    case 'pdf':
      return (await import('./pdf.ts')).openPdf(first, textOnly === true)
    case 'pptx': {
      const slides = await (await import('../office/pptx.ts')).openPptx(first)
      return files[1] === undefined ? slides : (await import('./pdf.ts')).withDrawing(slides, files[1])
    }
    case 'odp':
    case 'ppt':
      throw new DocumentError('The format of the file cannot be read. Save it as .pptx.')
    case 'images':
      return (await import('../picture.ts')).openPictures(files)
    case 'logo':
      return (await import('./logo.ts')).openLogo(first)
    case 'recognition':
      return (await import('../recognition/recognise.ts')).openRecognition(files, job)
    case 'markdown':
      return (await import('./markdown.ts')).openMarkdown(first)
  }
}

async function pageOrPlaceholder(document: OpenDocument, { index, without }: ToReader): Promise<RenderedPage> {
  try {
    return await document.page(index, without)
  } catch (error) {
    endOnTrap(error)
    return placeholder(index, error instanceof DocumentError ? error.message : 'The page is damaged and cannot be shown.')
  }
}

const faulty = 70

/** A trap inside WebAssembly leaves its memory in any state: another process reads the rest. */
function endOnTrap(error: unknown): void {
  if (error instanceof Error && error.name === 'RuntimeError') process.exit(faulty)
}
