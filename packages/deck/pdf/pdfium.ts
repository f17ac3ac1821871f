// PDFium as far as decks need it, by its C interface (`fpdfview.h`, `fpdf_text.h`, `fpdf_structtree.h`): the package that brings it
// wraps text without places. Memory of a page is given back before the next is opened.
import { PDFiumModule } from '@hyzyla/pdfium'
import { DocumentError } from '../protocol.ts'
import type { PageGeometry, Area, Glyph, Link, Shape, Style, Tag } from './geometry.ts'
import { around, isBox, isRadical, lettersOf } from './geometry.ts'
import { type Drawn, sideBySide } from './rows.ts'

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

// What a page draws, read from PDFium (`fpdf_text.h`, `fpdf_edit.h`, `fpdf_structtree.h`, `fpdf_doc.h`): its characters, strokes, pictures
// and links, and what a tagged document calls them. Nothing is followed or run.

/** More than any page holds that is read by people. */
const glyphsMax = 40_000
const shapesMax = 5_000
/** Forms within forms are met anew each time they are drawn. */
const objectsMax = 50_000
const tagsMax = 20_000
const depthMax = 40
const linksMax = 300
export const scratchBytes = 512

/** Points of the page as people see it: turned and cropped as the file asks for. */
type Place = (x: number, y: number) => [x: number, y: number]
/** Left, bottom, right, top in the space of a path. */
type Corners = [left: number, bottom: number, right: number, top: number]

/** What fonts say of themselves is often wrong: the widths of their letters are not. */
interface Widths {
  count: number
  narrow: number
  least: number
  most: number
}

/** How the characters of one object are drawn. */
interface Look {
  style: Style
  turn: number
  tag: Tag | undefined
}

interface Objects {
  count: number
  at: (index: number) => number
}

const [pathObject, imageObject, shadingObject, formObject] = [2, 3, 4, 5]
const [lineTo, moveTo] = [0, 2]
const uriAction = 3
const segmentsMax = 1_500
const urlMax = 480
const isWeb = /^(?:https?:\/\/|mailto:)[^\s()]{1,470}$/iu
const isNarrow = /[ijltfI.,:;'!|()]/

export function readGeometry(pdfium: Pdfium, document: number, page: number, scratch: number): PageGeometry {
  // Memory moves when it grows: it is looked at anew after each call.
  const floats = (count: number, from = 0) => new Float32Array(pdfium.memory(), scratch + from, count)
  const ints = (count: number) => new Int32Array(pdfium.memory(), scratch, count)
  const text = (encoding: string, from: number, bytes: number) =>
    new TextDecoder(encoding).decode(new Uint8Array(pdfium.memory(), scratch + from, Math.max(0, bytes)).slice())
  const width = pdfium.GetPageWidthF(page)
  const height = pdfium.GetPageHeightF(page)
  const place = placeOnPage()
  const tags = readTags()

  function placeOnPage(): Place {
    const fine = 64
    const reach = Math.max(width, height)
    const at = (x: number, y: number): [number, number] => {
      pdfium.PageToDevice(page, 0, 0, Math.round(width * fine), Math.round(height * fine), 0, x, y, scratch, scratch + 4)
      const [a = 0, b = 0] = ints(2)
      return [a / fine, b / fine]
    }
    const [ox, oy] = at(0, 0)
    const [ax, ay] = at(reach, 0)
    const [bx, by] = at(0, reach)
    return (x, y) => [ox + ((ax - ox) * x + (bx - ox) * y) / reach, oy + ((ay - oy) * x + (by - oy) * y) / reach]
  }

  /** Which element of the structure each piece of marked content belongs to. */
  function readTags(): Map<number, Tag> {
    const found = new Map<number, Tag>()
    const tree = pdfium.StructTree_GetForPage(page)
    if (tree === 0) return found
    let left = tagsMax
    const visit = (element: number, parent: Tag | undefined, depth: number): void => {
      if (element === 0 || depth > depthMax || left-- <= 0) return
      const bytes = Math.min(pdfium.StructElement_GetType(element, scratch, scratchBytes), scratchBytes)
      const tag: Tag = { role: text('utf-16le', 0, bytes - 2), ...(parent && { parent }) }
      const count = pdfium.StructElement_CountChildren(element)
      for (let n = 0; n < count && left > 0; n++) {
        const content = pdfium.StructElement_GetChildMarkedContentID(element, n)
        if (content >= 0) found.set(content, tag)
        else visit(pdfium.StructElement_GetChildAtIndex(element, n), tag, depth + 1)
      }
    }
    try {
      const count = pdfium.StructTree_CountChildren(tree)
      for (let n = 0; n < count && left > 0; n++) visit(pdfium.StructTree_GetChildAtIndex(tree, n), undefined, 0)
    } finally {
      pdfium.StructTree_Close(tree)
    }
    return found
  }

  function readGlyphs(): Glyph[] {
    const loaded = pdfium.Text_LoadPage(page)
    if (loaded === 0) return []
    try {
      return glyphsOf(loaded)
    } finally {
      pdfium.Text_ClosePage(loaded)
    }
  }

  function glyphsOf(loaded: number): Glyph[] {
    const count = Math.min(pdfium.Text_CountChars(loaded), glyphsMax)
    const looks = new Map<number, Look>()
    const styles = new Map<string, Style>()
    const widths = new Map<Style, Widths>()
    const all: Drawn[] = []
    let isParted = false
    for (let at = 0; at < count; at++) {
      if (pdfium.Text_IsGenerated(loaded, at) === 1) {
        isParted = true
        continue
      }
      const code = pdfium.Text_GetUnicode(loaded, at)
      const object = pdfium.Text_GetTextObject(loaded, at)
      const look = looks.get(object) ?? lookOf(loaded, at, object, styles)
      looks.set(object, look)
      if (pdfium.Text_GetLooseCharBox(loaded, at, scratch) === 0) continue
      const [left = 0, top = 0, right = 0, bottom = 0] = floats(4)
      const area = areaOf(place, left, top, right, bottom)
      pdfium.Text_GetCharOrigin(loaded, at, scratch, scratch + 8)
      const [x = 0, y = 0] = new Float64Array(pdfium.memory(), scratch, 2)
      const [, baseline] = place(x, y)
      const { style, turn, tag } = look
      if (turn < 0.1) measure(widths, style, code, area)
      const letters = lettersOf(code)
      const before = all.at(-1)?.glyph
      const glyph: Glyph = {
        text: letters,
        area,
        baseline,
        isTurned: turn > 0.1,
        style,
        ...(tag && { tag }),
        ...(isParted && { startsWord: true }),
      }
      // One sign, named as the radical and as the word: half of it each.
      const isHalf = before?.text === letters && (isRadical(code) || isRadical(pdfium.Text_GetUnicode(loaded, at - 1)))
      if (isHalf) before.area = around([before.area, area])
      else all.push({ glyph, object })
      isParted = false
    }
    for (const [style, held] of widths) if (held.count >= 8 && held.narrow > 0) style.isFixed = held.most - held.least < 0.06 * held.most
    return sideBySide(all)
  }

  function lookOf(loaded: number, at: number, object: number, styles: Map<string, Style>): Look {
    pdfium.Text_GetMatrix(loaded, at, scratch)
    const [a = 1, b = 0, c = 0, d = 1] = floats(4)
    const [ox, oy] = place(0, 0)
    const [rx, ry] = place(a, b)
    const turn = Math.abs(Math.atan2(ry - oy, rx - ox))
    const size = pdfium.Text_GetFontSize(loaded, at) * Math.hypot(c, d)
    const length = pdfium.Text_GetFontInfo(loaded, at, scratch + 8, scratchBytes - 8, scratch)
    const [flags = 0] = ints(1)
    const font = text('latin1', 8, Math.min(length - 1, scratchBytes - 8))
    const weight = pdfium.Text_GetFontWeight(loaded, at)
    const key = `${font}/${size.toFixed(2)}/${weight}/${flags}`
    const style = styles.get(key) ?? {
      size: Number.isFinite(size) ? Math.abs(size) : 0,
      isBold: weight >= 600 || /bold|black|heavy|semibd|demi/i.test(font),
      isItalic: /italic|oblique/i.test(font) || (flags & 0x40) !== 0,
      isFixed:
        (flags & 1) !== 0 || /mono(?!type)|courier|consol|menlo|monaco|typewriter|cmtt|inconsolata|fira ?code|source ?code/i.test(font),
      isSymbol: /wingding|webding|dingbat|symbol|awesome|icon/i.test(font),
    }
    styles.set(key, style)
    return { style, turn, tag: tags.get(pdfium.PageObj_GetMarkedContentID(object)) }
  }

  function readShapes(): Shape[] {
    const shapes: Shape[] = []
    let visits = objectsMax
    const visit = ({ count, at }: Objects, space: Place, depth: number): void => {
      for (let n = 0; n < count && shapes.length < shapesMax && visits-- > 0; n++) {
        const object = at(n)
        const type = pdfium.PageObj_GetType(object)
        if (type === formObject && depth < 3) {
          const inner = { count: pdfium.FormObj_CountObjects(object), at: (index: number) => pdfium.FormObj_GetObject(object, index) }
          visit(inner, inside(object, space), depth + 1)
        }
        if (type !== pathObject && type !== imageObject && type !== shadingObject) continue
        if (pdfium.PageObj_GetBounds(object, scratch, scratch + 4, scratch + 8, scratch + 12) === 0) continue
        const [left = 0, bottom = 0, right = 0, top = 0] = floats(4)
        const area = areaOf(space, left, top, right, bottom)
        if (type !== pathObject) {
          shapes.push({ kind: 'image', area, isFilled: true, isStroked: false })
          continue
        }
        pdfium.Path_GetDrawMode(object, scratch, scratch + 4)
        const [fill = 0, stroke = 0] = ints(2)
        if (fill === 0 && stroke === 0) continue
        const boxes = boxesOf(object)
        const areas = boxes.length === 0 ? [area] : boxes.map((box) => areaOf(inside(object, space), ...box))
        for (const each of areas) shapes.push({ kind: 'path', area: each, isFilled: fill !== 0, isStroked: stroke !== 0 })
      }
    }
    visit({ count: pdfium.Page_CountObjects(page), at: (n) => pdfium.Page_GetObject(page, n) }, place, 0)
    return shapes
  }

  /** Of the space that an object is drawn in. */
  function inside(object: number, space: Place): Place {
    pdfium.PageObj_GetMatrix(object, scratch)
    const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = floats(6)
    return (x, y) => space(a * x + c * y + e, b * x + d * y + f)
  }

  /**
   * The boxes that one path draws: whoever fills the cells of a table in one colour makes a single path of them. Empty for a path that
   * draws anything but boxes, or a single one: its bounds tell as much.
   */
  function boxesOf(path: number): Corners[] {
    const count = pdfium.Path_CountSegments(path)
    if (count < 8 || count > segmentsMax) return []
    const boxes: { x: number[]; y: number[] }[] = []
    for (let n = 0; n < count; n++) {
      const segment = pdfium.Path_GetPathSegment(path, n)
      const type = pdfium.PathSegment_GetType(segment)
      if (type !== lineTo && type !== moveTo) return []
      if (pdfium.PathSegment_GetPoint(segment, scratch, scratch + 4) === 0) return []
      const [x = 0, y = 0] = floats(2)
      if (type === moveTo) boxes.push({ x: [], y: [] })
      boxes.at(-1)?.x.push(x)
      boxes.at(-1)?.y.push(y)
    }
    // A path may end by moving on and drawing nothing.
    const drawn = boxes.filter(({ x }) => x.length > 1)
    return drawn.length > 1 && drawn.every(isBox)
      ? drawn.map(({ x, y }) => [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)])
      : []
  }

  function readLinks(): Link[] {
    const links: Link[] = []
    new Int32Array(pdfium.memory(), scratch, 2).fill(0)
    for (let n = 0; n < linksMax && pdfium.Link_Enumerate(page, scratch, scratch + 4) !== 0; n++) {
      const [, link = 0] = ints(2)
      const action = pdfium.Link_GetAction(link)
      if (action === 0 || pdfium.Action_GetType(action) !== uriAction) continue
      if (pdfium.Link_GetAnnotRect(link, scratch + 8) === 0) continue
      const [left = 0, top = 0, right = 0, bottom = 0] = floats(4, 8)
      const length = pdfium.Action_GetURIPath(document, action, scratch + 24, urlMax)
      if (length < 2 || length > urlMax) continue
      const url = text('utf-8', 24, length - 1)
      if (isWeb.test(url)) links.push({ area: areaOf(place, left, top, right, bottom), url })
    }
    return links
  }

  const isSeen = ({ area: { x0, y0, x1, y1 } }: { area: Area }) =>
    [x0, y0, x1, y1].every(Number.isFinite) && x1 >= 0 && y1 >= 0 && x0 <= width && y0 <= height
  return { width, height, glyphs: readGlyphs().filter(isSeen), shapes: readShapes().filter(isSeen), links: readLinks().filter(isSeen) }
}

function areaOf(place: Place, left: number, top: number, right: number, bottom: number): Area {
  const [x0, y0] = place(left, top)
  const [x1, y1] = place(right, bottom)
  return { x0: Math.min(x0, x1), y0: Math.min(y0, y1), x1: Math.max(x0, x1), y1: Math.max(y0, y1) }
}

/** Latin letters and signs alone: those of Chinese and Japanese are all as wide as high. */
function measure(widths: Map<Style, Widths>, style: Style, code: number, { x0, x1 }: Area): void {
  if (code < 0x21 || code > 0x7e) return
  const held = widths.get(style) ?? { count: 0, narrow: 0, least: Infinity, most: 0 }
  const width = (x1 - x0) / Math.max(0.1, style.size)
  widths.set(style, {
    count: held.count + 1,
    narrow: held.narrow + (isNarrow.test(String.fromCharCode(code)) ? 1 : 0),
    least: Math.min(held.least, width),
    most: Math.max(held.most, width),
  })
}
