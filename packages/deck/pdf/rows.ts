// Characters become rows: what stands on one baseline, parted where a gap is wide, a ruling stands or a column begins.
import { type Area, median, type Glyph, heightOf, type Shape, widthOf } from './geometry.ts'

/** Runs of characters, each to be one line, from left to right. */
export function rowsOf(glyphs: readonly Glyph[], rulings: readonly Shape[], order: ReadonlyMap<Glyph, number>): Glyph[][] {
  const rows = withRaised(
    baselinesOf(glyphs).flatMap((row) => strandsOf(row, order)),
    order,
  )
  const gutters = guttersOf(rows)
  const hasSpaces = glyphs.filter(isSpace).length > spacesShare * glyphs.length
  return rows.flatMap((row) => cut(row, { rulings, gutters, order, hasSpaces }))
}

interface Sheet {
  rulings: readonly { area: Area }[]
  gutters: ReadonlySet<number>
  order: ReadonlyMap<Glyph, number>
  /** Whatever drew it writes them. */
  hasSpaces: boolean
}

/** Characters on the same baseline, from left to right. */
function baselinesOf(glyphs: readonly Glyph[]): Glyph[][] {
  const rows: Glyph[][] = []
  let last: Glyph | undefined
  for (const glyph of glyphs.toSorted((a, b) => a.baseline - b.baseline)) {
    const isSame = last !== undefined && glyph.baseline - last.baseline < Math.max(0.6, 0.12 * Math.min(glyph.style.size, last.style.size))
    if (isSame) rows.at(-1)?.push(glyph)
    else rows.push([glyph])
    last = glyph
  }
  return rows.map((row) => row.sort((a, b) => a.area.x0 - b.area.x0))
}

const strandsMax = 8

/** Writings that lie over each other on one baseline: each goes on with the character that was written after it. */
function strandsOf(row: readonly Glyph[], order: ReadonlyMap<Glyph, number>): Glyph[][] {
  const strands: Glyph[][] = []
  const place = (glyph: Glyph) => order.get(glyph) ?? 0
  for (const glyph of row) {
    const fitting = strands.filter((strand) => {
      const last = strand.at(-1)
      // Letters of one ligature share their place.
      const isNext = last !== undefined && place(glyph) - place(last) === 1
      return last === undefined || isNext || glyph.area.x0 > last.area.x1 - 0.2 * Math.min(widthOf(last.area), widthOf(glyph.area))
    })
    const distance = (strand: readonly Glyph[]) => Math.abs(place(glyph) - place(strand.at(-1) ?? glyph))
    const next = fitting.toSorted((a, b) => distance(a) - distance(b))[0] ?? (strands.length < strandsMax ? undefined : strands[0])
    if (next === undefined) strands.push([glyph])
    else next.push(glyph)
  }
  return strands
}

/** Of all characters, where spaces are written at all. */
const spacesShare = 0.01

export const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u
export const isSpace = (glyph: Glyph) => glyph.text.trim() === ''
/** Wider than a space of justified text, narrower than what parts columns. */
const columnGap = 1.1

/** Letters that stand further apart are no word. */
const spreadMax = 0.6
/** Wider than a space, as columns that stand close are apart. */
const narrowGap = 0.5
const gutterRowsMin = 4

/** Where words begin after a gap on one row after another: the left edge of a column. */
function guttersOf(rows: readonly (readonly Glyph[])[]): Set<number> {
  const counts = new Map<number, number>()
  for (const row of rows) {
    let last: Glyph | undefined
    for (const glyph of row) {
      if (isSpace(glyph)) continue
      const isAfterGap = last !== undefined && glyph.area.x0 - last.area.x1 > narrowGap * glyph.style.size
      if (isAfterGap) for (const x of [-1, 0, 1].map((off) => Math.round(glyph.area.x0) + off)) counts.set(x, (counts.get(x) ?? 0) + 1)
      last = glyph
    }
  }
  return new Set([...counts].filter(([, count]) => count >= gutterRowsMin).map(([x]) => x))
}

/** Parts a row where its gaps are wide or a ruling stands in them. */
function cut(row: readonly Glyph[], sheet: Sheet): Glyph[][] {
  const parts: Glyph[][] = []
  let last: Glyph | undefined
  let spaces: Glyph[] = []
  const gaps = gapsIn(row).toSorted((a, b) => a - b)
  // Half of a row may be gaps between names of two letters; figures that stand apart are no word.
  const quarter = gaps[Math.floor(gaps.length / 4)] ?? 0
  const tight = gaps.length < 3 || quarter > spreadMax ? 0 : Math.max(0, quarter)
  for (const glyph of row) {
    if (isSpace(glyph)) {
      spaces.push(glyph)
      continue
    }
    if (last === undefined || isApart(last, glyph, parts.at(-1) ?? [], { ...sheet, spaces: spaces.length, tight })) parts.push([])
    else parts.at(-1)?.push(...spaces)
    spaces = []
    parts.at(-1)?.push(glyph)
    last = glyph
  }
  return parts
}

interface Between extends Sheet {
  /** How many were written there. */
  spaces: number
  /** How far letters of the row stand apart. */
  tight: number
}

function isApart(
  last: Glyph,
  next: Glyph,
  part: readonly Glyph[],
  { rulings, gutters, order, hasSpaces, spaces, tight }: Between,
): boolean {
  const gap = next.area.x0 - last.area.x1
  const size = Math.max(last.style.size, next.style.size)
  const ratio = size / Math.max(0.1, Math.min(last.style.size, next.style.size))
  // A figure of 60 points and the words beside it are two things; a raised 2 and what it stands at are one.
  if (ratio > 1.9 && gap > 0.15 * size) return true
  const isCode = last.style.isFixed && next.style.isFixed
  if (gap > size * (isCode ? 4 : columnGap) && (isCode || gap > size * (columnGap + tight))) return true
  if (gap > narrowGap * size && !isCode && gutters.has(Math.round(next.area.x0))) return true
  // Nothing that was written beside it, or without the space that parts words.
  const isMark = part.length === 1 && !/[\p{L}\p{N}]/u.test(last.text)
  const steps = Math.abs((order.get(next) ?? 0) - (order.get(last) ?? 0))
  const isElsewhere = steps > spaces + 1 && !rightToLeft.test(last.text + next.text)
  if (hasSpaces && !isCode && !isMark && gap > 0.25 * size && (isElsewhere || (spaces === 0 && gap > size * (0.6 + 2 * tight)))) return true
  const isRuled = ({ area }: { area: Area }) =>
    area.x0 >= last.area.x1 - 1 && area.x1 <= next.area.x0 + 1 && area.y0 < last.baseline && area.y1 > last.baseline - size / 2
  return (isElsewhere || gap > 0.3 * size) && rulings.some(isRuled)
}

/** How wide letters are set, in parts of their size: the gap between most of them. */
export function spread(part: readonly Glyph[]): number {
  const gaps = gapsIn(part.slice(-48))
  return gaps.length < 3 ? 0 : median(gaps)
}

function gapsIn(part: readonly Glyph[]): number[] {
  const letters = part.filter((glyph) => !isSpace(glyph))
  return letters.slice(1).map((glyph, at) => gapBetween(letters[at] ?? glyph, glyph) / Math.max(1, glyph.style.size))
}

/** In either direction. */
export const gapBetween = (a: Glyph, b: Glyph) => Math.max(b.area.x0 - a.area.x1, a.area.x0 - b.area.x1)

/** Characters on one baseline; more is nothing that people read. */
const rowMax = 2_000

/** Raised and lowered figures go to the row they stand at: "1st", "CO2", the star of a footnote, the A and the E of LaTeX. */
function withRaised(rows: readonly (readonly Glyph[])[], order: ReadonlyMap<Glyph, number>): Glyph[][] {
  const all = rows.map((row) => [...row])
  for (const [at, row] of rows.entries()) {
    if (row.length > rowMax) continue
    for (const few of runsOf(row)) {
      const first = few[0]
      if (first === undefined || few.length > 5) continue
      for (const to of [at + 1, at - 1, at + 2, at - 2]) {
        const big = leftOf(rows[to] ?? [], first.area.x0 + 0.2 * first.style.size)
        const place = order.get(first) ?? 0
        const isInWord =
          rows[to]?.some((glyph) => order.get(glyph) === place + few.length) === true && order.get(big ?? first) === place - 1
        if (big === undefined || !isRaised(first, big, isInWord)) continue
        all[at] = (all[at] ?? []).filter((glyph) => !few.includes(glyph))
        all[to] = [...(all[to] ?? []), ...few].sort((a, b) => a.area.x0 - b.area.x0)
        break
      }
    }
  }
  return all.filter((row) => row.length > 0)
}

function runsOf(row: readonly Glyph[]): Glyph[][] {
  const runs: Glyph[][] = []
  let last: Glyph | undefined
  for (const glyph of row) {
    if (isSpace(glyph) && last === undefined) continue
    if (last !== undefined && glyph.area.x0 - last.area.x1 < 0.3 * glyph.style.size) runs.at(-1)?.push(glyph)
    else runs.push([glyph])
    last = glyph
  }
  return runs
}

/** The last of a row that begins left of `x`. */
function leftOf(row: readonly Glyph[], x: number): Glyph | undefined {
  let [low, high] = [0, row.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((row[middle]?.area.x0 ?? 0) < x) low = middle + 1
    else high = middle
  }
  return row[low - 1]
}

/** `isInWord`: written between two letters of that row. */
function isRaised(small: Glyph, big: Glyph, isInWord: boolean): boolean {
  const gap = small.area.x0 - big.area.x1
  const lift = big.baseline - small.baseline
  const size = big.style.size
  const isSmall = isInWord || small.style.size < 0.8 * size
  return isSmall && gap > (isInWord ? -0.45 : -0.2) * size && gap < 0.2 * size && lift > -0.35 * size && lift < 0.7 * size
}

// What stands before an item of a list: bullets of every kind, numbers and letters, glyphs of symbol fonts, small drawings.

export interface Mark {
  isOrdered: boolean
  /** Of the words of its line; left out where it stands apart from them. */
  sign?: string
  /** No words follow on its line. */
  isAlone: boolean
  area: Area
}

/** Signs that are no words and that nobody begins a sentence with. Private letters are those of symbol fonts. */
const bullet = /^[•‣⁃∙·●○◦◉◎⚫⚪■□▪▫◼◻◾◽▮▯◆◇❖♦✦★☆✓✔✗✘☐☑☒▶▷►▻▸▹➢➣➤➔➜➙➛➝➞➡➥➧➨⇒→⇨»›❏❐❑❒❯๏➊-➓①-⑳]|^[\ue000-\uf8ff\ufffd](?=\s|$)/u
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

// Letters that lie over each other: those of a ligature are set side by side, what is drawn again as a shadow or an outline of
// itself counts once.

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
