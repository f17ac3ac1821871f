// Pages of a PDF by their geometry, written by hand in the order in which a program would write them, and what is read from them.
import type { Glyph, PageGeometry, Shape, Style } from '../../packages/deck/pdf/geometry.ts'
import { habitsOf } from '@rostrum/deck/pdf/title'
import { linesOf } from '../../packages/deck/pdf/lines.ts'
import { readPage } from '../../packages/deck/pdf/read-page.ts'

export const [width, height] = [960, 540]
export const style = (size: number, more: Partial<Style> = {}): Style => ({
  size,
  isBold: false,
  isItalic: false,
  isFixed: false,
  isSymbol: false,
  ...more,
})

/** Characters half as wide as high, from `x` on the baseline `y`. */
export function write(text: string, x: number, y: number, how: Style, spread = 0): Glyph[] {
  const advance = how.size * (0.5 + spread)
  return Array.from(text, (letter, at) => ({
    text: letter,
    area: { x0: x + at * advance, x1: x + at * advance + how.size * 0.5, y0: y - how.size * 0.8, y1: y + how.size * 0.2 },
    baseline: y,
    isTurned: false,
    style: how,
  }))
}

export const page = (...glyphs: readonly Glyph[][]): PageGeometry => ({ width, height, glyphs: glyphs.flat(), shapes: [] })

export function read(...pages: readonly PageGeometry[]) {
  const lines = pages.map((each, index) => ({ index, width, height, lines: linesOf(each) }))
  const habits = habitsOf(lines)
  return lines.map((each, index) => readPage(each, pages[index]?.shapes ?? [], habits, pages[index]?.links))
}

export const box = (x0: number, y0: number, x1: number, y1: number): Shape => ({
  kind: 'path',
  area: { x0, y0, x1, y1 },
  isFilled: true,
  isStroked: false,
})
