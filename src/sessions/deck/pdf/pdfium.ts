// PDFium as far as decks need it, by its C interface (`fpdfview.h`, `fpdf_text.h`, `fpdf_structtree.h`): the package that brings it
// wraps text without places. Memory of a page is given back before the next is opened.
import { PDFiumModule } from '@hyzyla/pdfium'
import { DocumentError } from '../render/protocol.ts'
import type { PageGeometry } from './geometry.ts'
import { readGeometry, scratchBytes } from './page-geometry.ts'

type Call = (...values: readonly number[]) => number

const names = [
  'InitLibrary', 'LoadMemDocument', 'GetLastError', 'GetPageCount', 'LoadPage', 'ClosePage', 'GetPageWidthF', 'GetPageHeightF',
  'PageToDevice', 'RenderPageBitmap', 'StructTree_GetForPage', 'StructTree_Close', 'StructTree_CountChildren',
  'StructTree_GetChildAtIndex', 'StructElement_GetType', 'StructElement_CountChildren', 'StructElement_GetChildAtIndex',
  'StructElement_GetChildMarkedContentID',
] as const // prettier-ignore
const objectNames = [
  'Bitmap_CreateEx', 'Bitmap_FillRect', 'Bitmap_Destroy', 'Page_CountObjects', 'Page_GetObject', 'PageObj_GetType', 'PageObj_GetBounds',
  'PageObj_GetMatrix', 'PageObj_GetMarkedContentID', 'Link_Enumerate', 'Link_GetAnnotRect', 'Link_GetAction', 'Action_GetType',
  'Action_GetURIPath', 'Path_GetDrawMode', 'Path_CountSegments', 'Path_GetPathSegment',
  'PathSegment_GetPoint', 'PathSegment_GetType', 'FormObj_CountObjects', 'FormObj_GetObject', 'Text_LoadPage',
  'Text_ClosePage', 'Text_CountChars', 'Text_GetUnicode', 'Text_IsGenerated', 'Text_GetTextObject', 'Text_GetCharOrigin',
  'Text_GetLooseCharBox', 'Text_GetFontSize', 'Text_GetFontWeight', 'Text_GetFontInfo', 'Text_GetMatrix',
] as const // prettier-ignore

export type Pdfium = Record<(typeof names)[number] | (typeof objectNames)[number], Call> & {
  malloc: (bytes: number) => number
  free: (at: number) => void
  /** The memory as it is now: it moves when it grows. */
  memory: () => ArrayBufferLike
}

async function load(): Promise<Pdfium> {
  const module = await PDFiumModule({})
  const all: Record<string, unknown> = { ...module }
  const call = (name: string): Call => {
    const found = all[name]
    if (typeof found !== 'function') throw new Error(`PDFium has no ${name}.`)
    return found as Call
  }
  const calls = [...names.map((name) => [name, call(`_FPDF_${name}`)]), ...objectNames.map((name) => [name, call(`_FPDF${name}`)])]
  const { malloc, free } = module.wasmExports
  return { ...(Object.fromEntries(calls) as Record<string, Call>), malloc, free, memory: () => module.HEAPU8.buffer } as Pdfium
}

export interface PdfPage {
  width: number
  height: number
  geometry: () => PageGeometry
  /** Drawn on white, RGBA. */
  draw: (width: number, height: number) => Uint8Array
}

export interface Pdf {
  total: number
  /** The page is open as long as `act` runs. */
  withPage: <T>(index: number, act: (page: PdfPage) => T) => T
}

/** Throws `DocumentError`. JavaScript, attachments, forms and links of the PDF are neither run nor followed. */
export async function loadPdf(bytes: Uint8Array): Promise<Pdf> {
  const pdfium = await load()
  pdfium.InitLibrary()
  const file = pdfium.malloc(bytes.length)
  if (file === 0) throw new DocumentError('The file needs too much memory to open.')
  new Uint8Array(pdfium.memory()).set(bytes, file)
  const document = pdfium.LoadMemDocument(file, bytes.length, 0)
  if (document === 0) throw new DocumentError(wordsFor(pdfium.GetLastError()))
  const total = pdfium.GetPageCount(document)
  if (total < 1) throw new DocumentError('The PDF has no pages.')
  return {
    total,
    withPage(index, act) {
      const page = pdfium.LoadPage(document, index)
      if (page === 0) throw new DocumentError('The page is damaged and cannot be shown.')
      const scratch = pdfium.malloc(scratchBytes)
      try {
        const width = pdfium.GetPageWidthF(page)
        const height = pdfium.GetPageHeightF(page)
        return act({
          width,
          height,
          geometry: () => readGeometry(pdfium, document, page, scratch),
          draw: (w, h) => draw(pdfium, page, w, h),
        })
      } finally {
        pdfium.free(scratch)
        pdfium.ClosePage(page)
      }
    },
  }
}

/** `FPDF_ERR_*` */
function wordsFor(error: number): string {
  if (error === 4) return 'The PDF is protected by a password. Save it without one and send it again.'
  if (error === 5) return 'The PDF uses a protection that cannot be read. Save it without protection and send it again.'
  return 'The file is damaged or not a PDF: it cannot be opened.'
}

const bgra = 4
const withAnnotationsSmoothAsRgba = 0x01 | 0x02 | 0x10

function draw(pdfium: Pdfium, page: number, width: number, height: number): Uint8Array {
  const bytes = width * height * 4
  const pixels = pdfium.malloc(bytes)
  if (pixels === 0) throw new DocumentError('The page needs too much memory.')
  const bitmap = pdfium.Bitmap_CreateEx(width, height, bgra, pixels, width * 4)
  try {
    pdfium.Bitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff)
    pdfium.RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, withAnnotationsSmoothAsRgba)
    return new Uint8Array(pdfium.memory(), pixels, bytes).slice()
  } finally {
    pdfium.Bitmap_Destroy(bitmap)
    pdfium.free(pixels)
  }
}
