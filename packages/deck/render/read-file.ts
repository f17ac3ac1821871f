// A file in, slides out: what the server does with an upload, without a store. Documents are read in processes of their own, so a hostile
// file costs its own reading and nothing else.
import type { Clock } from '@rostrum/base/clock'
import { parsedReading, titleOf, type Written } from '../block-text.ts'
import type { Reading } from '../block.ts'
import { languageOfSlides } from '../language.ts'
import { protectedWords } from '../office/package.ts'
import { type ReadSlide, wantsRecognition, withoutRepeated, withRecognised } from '../recognition/found.ts'
import { languageOfGarbled, readPictures } from './read-pictures.ts'
import { isPresentation, type Office } from './office.ts'
import type { RenderedImage, RenderedPage, RenderJob } from '../protocol.ts'
import { readDocument, type ReadOptions } from './read-document.ts'
import { isProtected, sniff } from '../sniff.ts'
import type { PageWarning } from '../warnings.ts'

export interface FileSlide {
  /** From 0. */
  index: number
  title: string
  /** The title and all blocks, written out; offsets of `reading` are places in it. */
  text: string
  reading: Reading
  /** Speaker notes. Private: nothing that is said may hold them. */
  notes: string
  /** Widest first. */
  images: readonly RenderedImage[]
}

export interface FileWarning extends PageWarning {
  /** The slide it concerns, from 0; absent where it is the whole file. */
  slideIndex?: number
}

export type ReadFile =
  | { ok: true; language: string | undefined; slides: readonly FileSlide[]; warnings: readonly FileWarning[] }
  /** Why it cannot be read, in words for its owner. */
  | { ok: false; words: string }

export interface FileReader extends ReadOptions {
  clock: Clock
  /** Draws presentations as they look; without one PowerPoint is read without pictures, and older formats not at all. */
  office?: Office | undefined
}

const formats = 'Send a PDF, PowerPoint (.pptx, .ppt) or OpenDocument (.odp) file, Markdown, or a picture (PNG, JPEG, WebP).'

/** Rejects for what is a fault of ours, or once `signal` is aborted. */
export async function readFile(bytes: Uint8Array, reader: FileReader): Promise<ReadFile> {
  const warnings: FileWarning[] = []
  const job = isProtected(bytes) ? { ok: false as const, words: protectedWords } : await jobOf(bytes, reader, warnings)
  if (!job.ok) return job
  const pages: RenderedPage[] = []
  const sink = { total: async () => {}, page: async (page: RenderedPage) => void pages.push(page) }
  const outcome = await readDocument(job, sink, reader.clock, reader)
  if (!outcome.ok) return { ok: false, words: outcome.reason }
  for (const { index, warnings: told = [] } of pages) warnings.push(...told.map((warning) => ({ ...warning, slideIndex: index })))
  const slides = await recognised(pages.map(slideOf), reader)
  return { ok: true, language: languageOfSlides(stored(slides)), slides, warnings }
}

type Job = (RenderJob & { ok: true }) | { ok: false; words: string }

async function jobOf(bytes: Uint8Array, { office, signal }: FileReader, warnings: FileWarning[]): Promise<Job> {
  const kind = sniff(bytes)
  if (kind === undefined) return { ok: false, words: `The file is of no known format. ${formats}` }
  if (kind === 'pdf' || kind === 'markdown') return { ok: true, kind, files: [bytes] }
  if (!isPresentation(kind)) return { ok: true, kind: 'images', files: [bytes] }
  let file = bytes
  if (kind !== 'pptx') {
    const written = await office?.convert({ file, extension: kind, to: 'pptx' }, signal)
    if (written?.ok !== true) return { ok: false, words: written?.words ?? `The program that opens .${kind} files is not installed here.` }
    file = written.file
  }
  const drawn = await office?.convert({ file: bytes, extension: kind, to: 'pdf' }, signal)
  if (drawn?.ok === false) warnings.push({ code: 'drawn_without_pictures', detail: drawn.words })
  return { ok: true, kind: 'pptx', files: drawn?.ok === true ? [file, drawn.file] : [file] }
}

function slideOf({ index, title, text, reading, notes, images }: RenderedPage): FileSlide {
  // A reader that finds no title has looked for one: the first line is none.
  const named = reading === undefined ? title.trim() || titleOf(text) : title
  return { index, title: named, text, reading: reading ?? parsedReading(text, named, title === '' ? 'first_line' : 'given'), notes, images }
}

const stored = (slides: readonly FileSlide[]) => slides.map(({ title, reading }) => ({ title, reading: JSON.stringify(reading) }))
const rewritten = <S extends ReadSlide>(slide: S, written: Written | undefined): S =>
  written === undefined ? slide : { ...slide, ...written }

/** The slides with the words of their pictures, where they have few of their own. */
async function recognised(slides: readonly FileSlide[], { clock, ...options }: FileReader): Promise<readonly FileSlide[]> {
  const wanted = slides.filter((slide) => slide.images.length > 0 && wantsRecognition(slide))
  if (wanted.length === 0) return slides
  const isStrange = slides.filter(({ reading }) => reading.isGarbled).length * 2 > slides.length
  const found = new Map<number, FileSlide>()
  const pictures = {
    total: wanted.length,
    picture: async (at: number) => wanted[at]?.images[0]?.bytes ?? new Uint8Array(),
    language: isStrange ? undefined : languageOfSlides(stored(slides)),
    ...(isStrange && { likely: languageOfGarbled }),
  }
  await readPictures(
    pictures,
    async (at, draft) => {
      const slide = wanted[at]
      if (slide !== undefined) found.set(slide.index, rewritten(slide, draft && withRecognised(slide, draft)))
    },
    clock,
    options,
  )
  const all = slides.map((slide) => found.get(slide.index) ?? slide)
  const apart = withoutRepeated(all)
  return all.map((slide, at) => rewritten(slide, apart[at]))
}
