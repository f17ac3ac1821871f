// What the server and the process that reads a document say to each other. That process decodes everything that came from
// outside (PDF, zip, XML, pictures), so a file that crashes or hangs a decoder costs one page, never the server.
import type { PageDraft, Reading } from './block.ts'
import type { PageWarning } from './warnings.ts'

export type SourceKind = 'pdf' | 'pptx' | 'odp' | 'ppt' | 'images' | 'markdown'

export interface RenderJob {
  /** `recognition`: the words of pictures are read. `logo`: one picture, or SVG, as pages show it. */
  kind: SourceKind | 'recognition' | 'logo'
  /** Of a presentation a second one may follow: the PDF that was drawn of it. */
  files: readonly Uint8Array[]
  /** Of a PDF: no pictures are drawn. */
  textOnly?: true
  /** Of a recognition: the language of the words (BCP 47) where it is known, or one to try first. */
  language?: string
  likely?: string
}

export interface RenderedImage {
  bytes: Uint8Array
  extension: 'jpg' | 'webp' | 'png'
  width: number
  height: number
  /** Of a logo: the colour that it mostly is, `#rrggbb`. */
  ink?: string
}

export interface RenderedPage {
  index: number
  /** Empty: the first line of the text. */
  title: string
  text: string
  /** Of a reader that sees more than lines of text. */
  reading?: Reading
  /** Speaker notes; they become `agentNotes` and stay private. */
  notes: string
  /** Widest first; empty without a picture. */
  images: readonly RenderedImage[]
  state: 'ok' | 'placeholder' | 'no_text'
  warnings?: readonly PageWarning[]
  /** Of a recognition: what the picture says, and the language that it was read in where that is known by now. */
  recognised?: { draft: PageDraft; language?: string }
}

/** What the reader is asked for, piece by piece: a look, which it answers with nothing, and a page. */
export interface ToReader {
  type: 'survey' | 'page'
  index: number
  /** Of a page that took too long as a whole. */
  without?: PagePart
}

export type PagePart = 'words' | 'picture'

/** What it says of a document that it has opened. */
export interface Opened {
  total: number
  /** Pages that are looked at before the first is read, one by one. */
  surveyed: readonly number[]
}

/** Of a page that cannot be shown, in a sentence for the host. */
export const unreadable = (detail: string): readonly [PageWarning] => [{ code: 'unreadable', detail }]

/** A page of which nothing is known. */
export const blankPage = (index: number): RenderedPage => ({ index, title: '', text: '', notes: '', images: [], state: 'no_text' })
export const placeholder = (index: number, detail: string): RenderedPage => ({
  ...blankPage(index),
  state: 'placeholder',
  warnings: unreadable(detail),
})

/** A document that can be read page by page. */
export interface OpenDocument {
  total: number
  /** Pages that are looked at before the first is read, one by one. */
  surveyed?: readonly number[]
  survey?(index: number): void
  /** Only a PDF can do `without` a part. */
  page(index: number, without?: PagePart): Promise<RenderedPage>
}

/** Why a whole document cannot be read, in words for its owner. */
export class DocumentError extends Error {
  constructor(words: string) {
    super(words)
    this.name = 'DocumentError'
  }
}

export const pagesMax = 300
export const textMax = 20_000
/** A page with less text than this is shown to the owner as one that needs some. */
export const textMinForSpeech = 20

/** PDFium's sign for a hyphen at the end of a line. */
const lineHyphen = '\u0002'

/** Text as the store takes it: no control characters, no lone surrogates, one kind of line end, within the limit. */
export function cleanText(text: string): string {
  return text
    .slice(0, textMax * 2)
    .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
    .replaceAll(`${lineHyphen}\n`, '')
    .replace(/[^\P{Cc}\n\t]|[\ufeff\ufffe\uffff]/gu, '')
    .toWellFormed()
    .replace(/(?<![ \t])[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .slice(0, textMax)
    .toWellFormed()
}
