// What is drawn on a page, as far as its layout tells: characters, strokes, pictures, and what a tagged document calls them.
// No renderer's types: whatever reads a file gives this, and tests write it by hand.

/** Left, top, right, bottom in points from the page's upper left corner. */
export interface Area {
  x0: number
  y0: number
  x1: number
  y1: number
}

/** How characters are drawn that follow each other in one piece of the file. */
export interface Style {
  /** Points, as seen on the page. */
  size: number
  isBold: boolean
  isItalic: boolean
  /** Every character takes the same room, by its name or its flags. */
  isFixed: boolean
  /** Its characters are pictures: their code says nothing. */
  isSymbol: boolean
}

export interface Glyph {
  text: string
  area: Area
  /** Where the line stands. */
  baseline: number
  /** Quarter turns and slanted writing: not part of a line that is read across. */
  isTurned: boolean
  /** The same object for the characters that were drawn together. */
  style: Style
  /** Of a tagged document. */
  tag?: Tag
  /** Whatever drew it left a space before it that it did not write. */
  startsWord?: true
}

/** An element of the structure of a tagged document: a paragraph, a cell, an item. */
export interface Tag {
  /** `H1`, `P`, `LI`, `TD`: the standard types of PDF (ISO 32000-1, 14.8.4). */
  role: string
  parent?: Tag
}

export interface Shape {
  kind: 'path' | 'image'
  area: Area
  isFilled: boolean
  isStroked: boolean
}

export interface PageGeometry {
  width: number
  height: number
  glyphs: readonly Glyph[]
  shapes: readonly Shape[]
  links?: readonly Link[]
}

/** A place that leads to an address. */
export interface Link {
  area: Area
  url: string
}

/** Signs that stand beside the words that they look like. */
export const isRadical = (code: number): boolean => (code >= 0x2f00 && code <= 0x2fdf) || (code >= 0xf900 && code <= 0xfaff)

/** 2 is PDFium's sign for a hyphen at the end of a line. */
export function lettersOf(code: number): string {
  if (code === 2) return '-'
  if (isRadical(code)) return String.fromCodePoint(code).normalize('NFKC')
  return code > 0x10ffff ? '' : String.fromCodePoint(code).replace(/[^\P{Cc}\t\n\r]|[\ufeff\ufffe\uffff]/gu, '')
}

/** Nobody mixes two of these in one word. */
const apart =
  'Arabic Armenian Bengali Canadian_Aboriginal Cherokee Devanagari Ethiopic Georgian Gujarati Gurmukhi Hebrew Kannada Khmer Lao Limbu Malayalam Mongolian Myanmar New_Tai_Lue Nko Oriya Runic Sinhala Syriac Tai_Le Tamil Telugu Thaana Thai Tibetan Yi'
    .split(' ')
    .map((script) => new RegExp(`\\p{Script=${script}}`, 'u'))

/** Fonts that do not tell which letters their signs are leave signs of private use, none, or letters of all the world. */
export function isGarbled(text: string): boolean {
  const signs = text.match(/[^\s]/gu)?.length ?? 0
  const strange = text.match(/[\p{Co}\p{Cn}\ufffd]/gu)?.length ?? 0
  const scripts = text.split(/\s+/u).map((word) => apart.filter((script) => script.test(word)).length)
  return strange > signs / 5 || scripts.filter((count) => count > 1).length > scripts.filter((count) => count > 0).length / 4
}

/** Names nothing, where the letters of its page are wrong. */
export const isStrange = (title: string) => isGarbled(title) || apart.some((script) => script.test(title))

export const widthOf = ({ x0, x1 }: Area) => x1 - x0
export const heightOf = ({ y0, y1 }: Area) => y1 - y0

export function around(areas: readonly Area[]): Area {
  const all = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity }
  for (const { x0, y0, x1, y1 } of areas) {
    all.x0 = Math.min(all.x0, x0)
    all.y0 = Math.min(all.y0, y0)
    all.x1 = Math.max(all.x1, x1)
    all.y1 = Math.max(all.y1, y1)
  }
  return all
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

const slack = 0.01
const sides = (values: readonly number[]) => new Set(values.map((value) => Math.round(value / slack / 10))).size

/** Four corners, each side along an edge of the page. */
export function isBox({ x, y }: { x: readonly number[]; y: readonly number[] }): boolean {
  const isStraight = x.every(
    (at, n) => n === 0 || Math.abs(at - (x[n - 1] ?? 0)) < slack || Math.abs((y[n] ?? 0) - (y[n - 1] ?? 0)) < slack,
  )
  return isStraight && x.length >= 4 && x.length <= 6 && sides(x) === 2 && sides(y) === 2
}
