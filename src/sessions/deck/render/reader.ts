// The process that reads one document and ends. Started by `read-document.ts` with no environment, no network and no right
// to write; everything it learns goes out as messages.
import {
  DocumentError,
  endWithParent,
  type FromReader,
  type OpenDocument,
  pagesMax,
  type RenderedPage,
  type RenderJob,
  type ToReader,
  placeholder,
} from './protocol.ts'

let continueReading: () => void = () => {}

endWithParent()

process.on('message', (message: ToReader) => {
  if (message.type === 'next') continueReading()
  else void read(message.job).then(() => process.disconnect?.())
})
// The server has gone: nobody wants the pages.
process.on('disconnect', () => process.exit(0))

async function read(job: RenderJob): Promise<void> {
  let document: OpenDocument
  try {
    document = await open(job)
    const words = job.kind === 'pdf' ? ['PDF', 'pages'] : ['file', 'slides']
    if (document.total > pagesMax) throw new DocumentError(`The ${words[0]} has ${document.total} ${words[1]}; the limit is ${pagesMax}.`)
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    return send({ type: 'failed', reason: error.message })
  }
  await send({ type: 'total', total: document.total })
  for (const index of document.surveyed ?? []) {
    if (job.broken?.has(index) === true) continue
    await send({ type: 'started', index })
    try {
      document.survey?.(index)
    } catch (error) {
      endOnTrap(error)
    }
  }
  for (let index = job.from; index < document.total; index++) {
    await send({ type: 'started', index })
    const next = new Promise<void>((resolve) => void (continueReading = resolve))
    await send({ type: 'page', page: await pageOrPlaceholder(document, index, job.broken?.get(index)) })
    await next
  }
  await send({ type: 'done' })
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
      return (await import('./picture.ts')).openPictures(files)
    case 'logo':
      return (await import('./logo.ts')).openLogo(first)
    case 'recognition':
      return (await import('../recognition/recognise.ts')).openRecognition(files, job)
    case 'markdown':
      return (await import('./markdown.ts')).openMarkdown(first)
  }
}

async function pageOrPlaceholder(document: OpenDocument, index: number, broken: string | undefined): Promise<RenderedPage> {
  try {
    if (broken !== undefined) throw new DocumentError(broken)
    return await document.page(index)
  } catch (error) {
    endOnTrap(error)
    const words = error instanceof DocumentError ? error.message : 'The page is damaged and cannot be shown.'
    return placeholder(index, words)
  }
}

/** A trap inside WebAssembly leaves its memory in any state: another process reads the rest. */
function endOnTrap(error: unknown): void {
  if (error instanceof Error && error.name === 'RuntimeError') process.exit(70)
}

function send(message: FromReader): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined) resolve()
    else process.send(message, () => resolve())
  })
}
