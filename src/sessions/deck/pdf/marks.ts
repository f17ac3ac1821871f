// What stands before an item of a list: bullets of every kind, numbers and letters, glyphs of symbol fonts, small drawings.
import { type Area, type Glyph, heightOf, type Shape, widthOf } from './geometry.ts'

export interface Mark {
  isOrdered: boolean
  /** Of the words of its line; left out where it stands apart from them. */
  sign?: string
  /** No words follow on its line. */
  isAlone: boolean
  area: Area
}

/** Signs that are no words and that nobody begins a sentence with. Private letters are those of symbol fonts. */
const bullet = /^[•‣⁃∙·●○◦◉◎⚫⚪■□▪▫◼◻◾◽▮▯◆◇❖♦✦★☆✓✔✗✘☐☑☒▶▷►▻▸▹➢➣➤➔➜➙➛➝➞➡➥➧➨⇒→⇨»›❏❐❑❒❯➊-➓①-⑳\ue000-\uf8ff\ufffd]/u
export const dash = /^[-–—*+](?=\s|$)/u
const ordered =
  /^(?:\(?\d{1,2}[.)](?=[\p{Lu}\p{Script=Han}])|(?:\(?\d{1,2}[.)]|\(?[a-z][.)]|\(?[A-Z]\)|\(?[ivx]{1,4}[.)]|[①-⑳➊-➓])(?=\s|$))/u

/** Parts a line from its mark. */
export function takeMark(part: readonly Glyph[], text: string, size: number): { text?: string; mark?: Mark; start?: number } {
  const letters = part.filter((glyph) => glyph.text.trim() !== '')
  const first = letters[0]
  if (first === undefined) return {}
  const number = ordered.exec(text)?.[0]
  const gapAfter = (letters[1]?.area.x0 ?? Infinity) - first.area.x1
  const isSign = first.style.isSymbol || bullet.test(text) || dash.test(text) || isRoundO(text, first, letters[1], gapAfter, size)
  if (number === undefined && !isSign) return {}
  const length = number?.length ?? 1
  const rest = letters.slice(length)
  const words = text.slice(number?.length ?? first.text.length).trimStart()
  const area = { ...first.area, x1: letters[length - 1]?.area.x1 ?? first.area.x1 }
  const mark = { isOrdered: number !== undefined, isAlone: words === '', area, sign: number ?? first.text }
  const begin = rest[0]
  if (begin === undefined) return { mark }
  return { text: words, mark, start: begin.area.x0 }
}

/** PowerPoint draws a hollow bullet as the letter o of Courier. */
function isRoundO(text: string, first: Glyph, second: Glyph | undefined, gap: number, size: number): boolean {
  return /^o(?:\s|$)/u.test(text) && (second === undefined || (gap > 0.2 * size && first.style !== second.style))
}

/** In points: larger ones are pictures, however large the words. */
const bulletMax = 40

/** A small drawing, about as wide as high, beside the line, and no part of a larger one. */
export function markBefore(line: { area: Area; baseline: number; size: number }, shapes: readonly Shape[]): { mark?: Mark } {
  const { size, baseline, area } = line
  for (const shape of shapes) {
    const [width, height] = [widthOf(shape.area), heightOf(shape.area)]
    const gap = area.x0 - shape.area.x1
    const middle = (shape.area.y0 + shape.area.y1) / 2
    const isSmall = Math.max(width, height) < Math.min(0.9 * size, bulletMax) && width > 0.1 * size && height > 0.1 * size
    const isSquare = width < 1.6 * height && height < 1.6 * width
    const isBeside = gap > 0.1 * size && gap < 2 * size && middle < baseline && middle > baseline - 0.75 * size
    const isWhole = !shapes.some(
      (other) =>
        (widthOf(other.area) >= 0.9 * size || heightOf(other.area) >= 0.9 * size) &&
        other.area.x1 < area.x0 &&
        meet(other.area, shape.area),
    )
    if (isSmall && isSquare && isBeside && isWhole) return { mark: { isOrdered: false, isAlone: false, area: shape.area } }
  }
  return {}
}

const meet = (a: Area, b: Area) => a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1
