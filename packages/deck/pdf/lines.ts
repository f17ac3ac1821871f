// Rows of characters become lines with words and the mark they begin with. Spaces are judged by the gaps, since many programs write
// none, or write one between the letters of a word that is set wide.
import { type Area, around, median, type Glyph, heightOf, type PageGeometry, type Style, type Tag, widthOf } from './geometry.ts'
import { dash, gapBetween, isSpace, type Mark, markBefore, rightToLeft, rowsOf, spread, takeMark } from './rows.ts'

export interface Line {
  text: string
  area: Area
  baseline: number
  size: number
  isBold: boolean
  isItalic: boolean
  isFixed: boolean
  isTurned: boolean
  /** Where its last word begins to be too long: the room its first word takes. */
  firstWordWidth: number
  /** Its place among the characters of the page as they were written: the first and the last. */
  written: readonly [first: number, last: number]
  /** What was written right after it, below it. */
  after?: Line
  /** It goes on in `after`, which did not fit: parted at the space that most programs write there, or inside an address. */
  wraps?: 'space' | 'address'
  /** The bullet or number it begins with. */
  mark?: Mark
  tag?: Tag
}

const nothing = { size: 0, isBold: false, isItalic: false, isFixed: false, isSymbol: false }

export function linesOf({ glyphs, shapes }: PageGeometry): Line[] {
  const order = new Map(glyphs.map((glyph, at) => [glyph, at]))
  const rulings = shapes.filter(({ area }) => widthOf(area) < 3 && heightOf(area) > 10).slice(0, rulingsMax)
  const small = shapes.filter(({ area }) => widthOf(area) < smallMax && heightOf(area) < smallMax).slice(0, rulingsMax)
  const parts = rowsOf(
    glyphs.filter(({ isTurned }) => !isTurned),
    rulings,
    order,
  )
  const lines = parts.map((part) => lineOf(part, order)).filter((line) => line !== undefined)
  const marked = withMarks(justified(lines), small)
  followed(marked, glyphs)
  return [...marked, ...turnedLines(glyphs.filter(({ isTurned }) => isTurned))]
}

/** Says of each line what was written after it in the same text, and whether it was wrapped there. */
function followed(lines: readonly Line[], glyphs: readonly Glyph[]): void {
  const inOrder = lines.toSorted((a, b) => a.written[0] - b.written[0])
  let run: Line[] = []
  const end = () => {
    const most = Math.max(...run.map(({ area }) => widthOf(area)))
    const steps = run.slice(1).map((line, at) => line.baseline - (run[at]?.baseline ?? 0))
    const tight = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 4)] ?? 0
    for (const line of run) {
      const wraps = opening(line, glyphs)
      if (wraps !== undefined && stands(line, tight) && !hasRoom(line, most) && withoutMark(line.after)) line.wraps = wraps
    }
  }
  for (const line of inOrder) {
    const last = run.at(-1)
    if (last !== undefined && isWrittenBelow(last, line, glyphs)) last.after = line
    else {
      end()
      run = []
    }
    run.push(line)
  }
  end()
}

/** What it ends with lets it go on: a space after its last letter where nothing new opens below, half an address. */
function opening({ text, written, after, isFixed }: Line, glyphs: readonly Glyph[]): Line['wraps'] {
  // Columns of code and of tables that are set with spaces.
  if (isFixed) return undefined
  if (glyphs[written[1] + 1]?.text === ' ') return text.endsWith(':') && /^[^\p{Ll}\p{N}]/u.test(after?.text ?? '') ? undefined : 'space'
  const last = text.slice(text.lastIndexOf(' ') + 1)
  const next = after?.text.split(' ', 1)[0] ?? ''
  const isParted = written[1] + 1 === after?.written[0] && /(?:https?:\/\/|www\.)[!-~]/iu.test(last)
  // What no word of a sentence holds.
  return isParted && /^[!-~]+$/u.test(next) && /[\d/.=?&_%-]/u.test(next) ? 'address' : undefined
}

/** Set like the next, and no further from it than lines of this text are. */
const stands = ({ size, baseline, after }: Line, tight: number) =>
  after !== undefined && Math.abs(after.size - size) < 0.2 * size && after.baseline - baseline < Math.min(1.7 * size, tight + 0.25 * size)

/** The next word would have fitted. */
const hasRoom = ({ area, size, after }: Line, most: number) =>
  widthOf(area) + (after?.firstWordWidth ?? 0) + 0.25 * size < most - 0.5 * size

/** A dash or a number in the middle of a text begins no item, nor does a small drawing beside it. False where a bullet does. */
function withoutMark(line: Line | undefined): boolean {
  const mark = line?.mark
  if (line === undefined || mark === undefined) return true
  if (mark.sign !== undefined && !mark.isOrdered && !dash.test(mark.sign)) return false
  if (mark.sign !== undefined) Object.assign(line, { text: `${mark.sign} ${line.text}`, area: around([mark.area, line.area]) })
  delete line.mark
  return true
}

function isWrittenBelow(last: Line, line: Line, glyphs: readonly Glyph[]): boolean {
  const step = (line.baseline - last.baseline) / Math.max(1, last.size)
  const between = glyphs.slice(last.written[1] + 1, Math.min(line.written[0], last.written[1] + 5))
  return (
    step > 0.6 &&
    step < 2.2 &&
    line.size > 0.75 * last.size &&
    line.size < 1.33 * last.size &&
    line.area.x0 < last.area.x1 &&
    last.area.x0 < line.area.x1 &&
    line.written[0] > last.written[1] &&
    line.written[0] - last.written[1] < 6 &&
    between.every(isSpace)
  )
}

/** Enough for every table and list that people read. */
const rulingsMax = 400
/** Bullets, and what they may be a part of. */
const smallMax = 80

function lineOf(row: readonly Glyph[], order: ReadonlyMap<Glyph, number>): Line | undefined {
  const part = inReadingOrder(row, order)
  const words = wordsOf(part)
  const first = words[0]
  const held = part.filter((glyph) => !isSpace(glyph))
  const any = held[0]
  if (first === undefined || any === undefined) return undefined
  const style = mostUsed(held)
  const size = style.size
  const box = around(held.map(({ area }) => area))
  const baseline = median(held.map((glyph) => glyph.baseline))
  const text = (style.isFixed ? spacedAsCode(part) : words.map(textOf).join(' ')).toWellFormed().trim()
  // The last: a bullet may be an element of its own.
  const tag = held.findLast((glyph) => glyph.tag !== undefined)?.tag
  const places = held.map((glyph) => order.get(glyph) ?? 0)
  const { start, ...taken } = takeMark(part, text, size)
  return {
    text,
    area: lineArea({ ...box, x0: start ?? box.x0 }, baseline, size),
    baseline,
    size,
    isBold: style.isBold,
    isItalic: style.isItalic,
    isFixed: held.every((glyph) => glyph.style.isFixed),
    isTurned: false,
    firstWordWidth: Math.max(0, (first.at(-1)?.area.x1 ?? 0) - (first[0]?.area.x0 ?? 0)),
    written: [Math.min(...places), Math.max(...places)],
    ...(tag && { tag }),
    ...taken,
  }
}

/** Fonts lie about how high they are: the height of their capitals and the depth of a g are much the same in all. */
function lineArea(box: Area, baseline: number, size: number): Area {
  return { x0: box.x0, x1: box.x1, y0: baseline - 0.8 * size, y1: baseline + 0.22 * size }
}

function mostUsed(glyphs: readonly Glyph[]): Style {
  const counts = new Map<Style, number>()
  for (const { style } of glyphs) counts.set(style, (counts.get(style) ?? 0) + 1)
  let best: Style = nothing
  for (const [style, count] of counts) if (count > (counts.get(best) ?? 0)) best = style
  const bold = glyphs.filter(({ style }) => style.isBold).length
  return { ...best, isBold: bold * 10 >= glyphs.length * 9 }
}

const textOf = (glyphs: readonly Glyph[]) => glyphs.map(({ text }) => text).join('')

/** PDFium hands characters over as they are read: in Arabic and Hebrew from right to left. */
function inReadingOrder(part: readonly Glyph[], order: ReadonlyMap<Glyph, number>): readonly Glyph[] {
  const isReversed = part.filter(({ text }) => rightToLeft.test(text)).length * 2 > part.length
  return isReversed ? part.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)) : part
}

function wordsOf(part: readonly Glyph[]): Glyph[][] {
  const letters = part.filter((glyph) => !isSpace(glyph))
  const size = median(letters.map(({ style }) => style.size))
  const wide = Math.max(0, spread(letters))
  const hasSpaces = part.some(isSpace)
  // In condensed type spaces are as narrow as the letters.
  const widths = letters.filter(({ text }) => /\p{L}/u.test(text)).map(({ area }) => widthOf(area))
  const narrow = widths.length < 3 ? 1 : Math.min(1, Math.max(0.6, (2 * median(widths)) / Math.max(1, size)))
  // Set wide: every gap is one, and so is a space that was typed between two letters; only a wider one parts words.
  const isWide = wide > 0.12 && letters.length >= 5
  const words: Glyph[][] = []
  let last: Glyph | undefined
  let isParted = true
  for (const glyph of part) {
    if (isSpace(glyph)) {
      isParted ||= !isWide
      continue
    }
    const gap = last === undefined ? Infinity : gapBetween(last, glyph) / Math.max(1, size)
    const isBetweenLetters = last !== undefined && /^\p{L}{2}/u.test(last.text + glyph.text)
    // Where spaces are written, letters that were moved apart a little are still one word, unless the renderer saw a space too.
    const isBreak =
      isParted || gap > wide + (hasSpaces && !isWide && glyph.startsWord !== true ? 0.3 : isBetweenLetters ? 0.16 * narrow : 0.16)
    if (isBreak) words.push([glyph])
    else words.at(-1)?.push(glyph)
    last = glyph
    isParted = false
  }
  return words
}

/** Code keeps the columns it was written in. */
function spacedAsCode(part: readonly Glyph[]): string {
  const letters = part.filter((glyph) => !isSpace(glyph))
  const advance = median(letters.map(({ area }) => widthOf(area))) || 1
  let text = ''
  let end: number | undefined
  for (const glyph of letters) {
    const gap = end === undefined ? 0 : glyph.area.x0 - end
    text += ' '.repeat(Math.min(40, Math.max(0, Math.round(gap / advance)))) + glyph.text
    end = glyph.area.x1
  }
  return text
}

/** Words of a line that was stretched to both edges of its paragraph stand far apart: the line above or below tells. */
function justified(lines: readonly Line[]): Line[] {
  const rows = new Map<number, Line[]>()
  const sorted = lines.toSorted((a, b) => a.baseline - b.baseline || a.area.x0 - b.area.x0)
  for (const line of sorted) {
    const row = rows.get(line.baseline)
    if (row === undefined) rows.set(line.baseline, [line])
    else row.push(line)
  }
  const all = [...rows.values()]
  return all.flatMap((row, at) => {
    if (row.length < 2 || row.length > 20) return row
    const near = [...(all[at - 1] ?? []), ...(all[at + 1] ?? [])]
    const parts: Line[] = []
    for (const line of row) {
      const before = parts.at(-1)
      const isOne = before !== undefined && near.some((other) => isStretched(before, line, row, other))
      if (isOne && withoutMark(line))
        Object.assign(before, {
          text: `${before.text} ${line.text}`,
          area: around([before.area, line.area]),
          written: [Math.min(before.written[0], line.written[0]), Math.max(before.written[1], line.written[1])],
        })
      else parts.push(line)
    }
    return parts
  })
}

function isStretched(a: Line, b: Line, row: readonly Line[], other: Line): boolean {
  const { size } = a
  const end = row.findLast((line) => line.area.x1 <= other.area.x1 + size)?.area.x1 ?? 0
  return (
    (b.mark === undefined || b.written[0] - a.written[1] === 2) &&
    a.mark?.isAlone !== true &&
    [b, other].every((line) => Math.abs(line.size - size) < 0.05 * size && !line.isFixed) &&
    Math.abs(other.baseline - a.baseline) < 1.8 * size &&
    other.area.x0 < a.area.x1 - 0.5 * size &&
    other.area.x1 > b.area.x1 - size &&
    end > other.area.x1 - 1.5 * size
  )
}

/** A bullet that stands apart, as a character or as a small drawing, is the mark of the line to its right. */
function withMarks(lines: readonly Line[], shapes: PageGeometry['shapes']): Line[] {
  const used = new Set<Line>(withNumbers(lines))
  const byBaseline = lines.toSorted((a, b) => a.baseline - b.baseline || a.area.x0 - b.area.x0)
  for (const [at, line] of byBaseline.entries()) {
    if (line.text === '' || line.mark?.isAlone !== true) continue
    const near = byBaseline.slice(Math.max(0, at - 4), at + 12).filter((other) => other !== line && isMarked(line, other))
    const next = near.toSorted((a, b) => a.area.x0 - b.area.x0)[0]
    if (next === undefined || next.mark !== undefined) continue
    next.mark = { ...line.mark, isAlone: false, area: line.area }
    used.add(line)
  }
  const kept = lines.filter((line) => !used.has(line))
  for (const line of kept) if (line.mark === undefined) Object.assign(line, markBefore(line, shapes))
  return kept
}

/** Numbers from 1 up, set large beside what they count, are marks too; gives the numbers. */
function withNumbers(lines: readonly Line[]): Line[] {
  const numbers = lines.filter(({ text }) => /^0?[1-9]$/u.test(text))
  const isCount = numbers.length > 1 && numbers.length < 10 && new Set(numbers.map(({ text }) => Number(text))).size === numbers.length
  if (!isCount || Math.max(...numbers.map(({ text }) => Number(text))) !== numbers.length) return []
  const found = numbers.map((number) => {
    const beside = lines.filter(
      ({ area, baseline, size, mark, text }) =>
        mark === undefined &&
        /\p{L}/u.test(text) &&
        area.x0 > number.area.x1 - 1 &&
        area.x0 - number.area.x1 < 3 * number.size &&
        baseline > number.area.y0 + 0.2 * size &&
        baseline < number.area.y1 + 0.8 * size,
    )
    const first = beside.toSorted((a, b) => a.baseline - b.baseline)[0]
    return { number, first }
  })
  if (found.some(({ first }) => first === undefined)) return []
  for (const { number, first } of found) if (first !== undefined) first.mark = { isOrdered: true, isAlone: false, area: number.area }
  return numbers
}

function isMarked(mark: Line, line: Line): boolean {
  const gap = line.area.x0 - mark.area.x1
  return Math.abs(mark.baseline - line.baseline) < 0.45 * line.size && gap > -0.1 * line.size && gap < 3 * line.size
}

function turnedLines(glyphs: readonly Glyph[]): Line[] {
  const lines: Line[] = []
  let held: Glyph[] = []
  const end = () => {
    const text = held
      .map(({ text: letter, startsWord }) => (startsWord === true ? ` ${letter}` : letter))
      .join('')
      .replace(/\s+/gu, ' ')
      .trim()
    const style = mostUsed(held)
    const area = around(held.map((glyph) => glyph.area))
    if (text !== '')
      lines.push({
        ...style,
        text,
        area,
        baseline: area.y1,
        isTurned: true,
        firstWordWidth: widthOf(area),
        written: [0, 0],
        ...(held[0]?.tag && { tag: held[0].tag }),
      })
    held = []
  }
  for (const glyph of glyphs) {
    const last = held.at(-1)
    const size = Math.max(1, glyph.style.size)
    const isNear = last !== undefined && distance(last.area, glyph.area) < size
    if (!isNear) end()
    held.push(glyph)
  }
  end()
  return lines
}

const distance = (a: Area, b: Area) => Math.max(a.x0 - b.x1, b.x0 - a.x1, a.y0 - b.y1, b.y0 - a.y1, 0)
