// Letters that lie over each other: those of a ligature are set side by side, what is drawn again as a shadow or an outline of
// itself counts once.
import { type Glyph, widthOf } from './geometry.ts'

export interface Drawn {
  glyph: Glyph
  /** The piece of the file that draws it. */
  object: number
}

export function sideBySide(drawn: readonly Drawn[]): Glyph[] {
  return ligaturesSpread(seenOnce(drawn)).map(({ glyph }) => glyph)
}

/** Cells that an index is made of, in sizes of the letter. */
const cell = 0.5
/** How far a shadow falls, in sizes of the letter and in its own width: two letters of a word are further apart. */
const shadowMax = 0.25
const shadowWidthMax = 0.5
/** A letter of one drawing may meet its like of another; two so close in the file do not. */
const nearMax = 8

/** The first of letters that are the same at the same place, or a fraction of their size apart. */
function seenOnce(drawn: readonly Drawn[]): Drawn[] {
  const held = new Map<string, Drawn[]>()
  const again = new Map<number, Drawn>()
  for (const [at, each] of drawn.entries()) {
    const { text, style, area, baseline } = each.glyph
    const size = Math.max(1, style.size)
    const kind = `${text} ${size.toFixed(1)}`
    const places = [-shadowMax, shadowMax].flatMap((x) =>
      [-shadowMax, shadowMax].map((y) => placeIn(area.x0 / size + x, baseline / size + y)),
    )
    const near = [...new Set(places)].flatMap((place) => held.get(`${kind} ${place}`) ?? [])
    const first = near.find((other) => other.object !== each.object && offsetOf(each, other) < 1)
    if (first !== undefined) again.set(at, first)
    else {
      const key = `${kind} ${placeIn(area.x0 / size, baseline / size)}`
      held.set(key, [...(held.get(key) ?? []), each])
    }
  }
  const order = [...again.keys()]
  const isShadow = new Set(
    order.filter((at, n) => [order[n - 1], order[n + 1]].some((other = Infinity) => Math.abs(other - at) <= nearMax)),
  )
  for (const at of isShadow) {
    const first = again.get(at)?.glyph
    const tag = drawn[at]?.glyph.tag
    // Shadows belong to no element of the structure.
    if (first !== undefined && first.tag === undefined && tag !== undefined) first.tag = tag
  }
  return drawn.filter((_, at) => !isShadow.has(at))
}

const placeIn = (x: number, y: number) => `${Math.floor(x / cell)},${Math.floor(y / cell)}`

/** Below 1 where one may be the shadow of the other. */
function offsetOf({ glyph: a }: Drawn, { glyph: b }: Drawn): number {
  const size = Math.max(1, a.style.size)
  const across = Math.min(shadowMax * size, shadowWidthMax * Math.max(widthOf(a.area), 0.1 * size))
  return Math.max(Math.abs(a.area.x0 - b.area.x0) / across, Math.abs(a.baseline - b.baseline) / (shadowMax * size))
}

/** The letters of one ligature come at one place, each as wide as it is alone or as the whole: side by side they fill its room. */
function ligaturesSpread(drawn: readonly Drawn[]): Drawn[] {
  const spread = [...drawn]
  for (let from = 0; from < spread.length;) {
    const begin = spread[from]
    if (begin === undefined) break
    const { glyph: first, object } = begin
    const isBeside = ({ glyph: { area, baseline, style }, object: other }: Drawn) =>
      other === object &&
      style === first.style &&
      baseline === first.baseline &&
      Math.abs(area.x0 - first.area.x0) < 0.01 &&
      area.x1 > area.x0
    let end = from + 1
    while (end - from < 4 && isBeside(spread[end] ?? { glyph: first, object: -1 })) end++
    const letters = spread.slice(from, end)
    const isWhole = letters.every(({ glyph }) => Math.abs(glyph.area.x1 - first.area.x1) < 0.01)
    let x = first.area.x0
    if (letters.length > 1)
      for (const [at, { glyph }] of letters.entries()) {
        const width = widthOf(glyph.area) / (isWhole ? letters.length : 1)
        spread[from + at] = { glyph: { ...glyph, area: { ...glyph.area, x0: x, x1: x + width } }, object }
        x += width
      }
    from = end
  }
  return spread
}
