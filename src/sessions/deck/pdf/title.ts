// Which lines of a page are its title: what a tagged document says, else where the titles of the deck stand, else the largest letters.
import type { TitleFrom } from '../blocks/block.ts'
import { heightOf, type Tag } from './geometry.ts'
import { bodySize, type Habits, isLike, type PageLines } from './habits.ts'
import type { Line } from './lines.ts'

export interface FoundTitle {
  lines: readonly Line[]
  from: TitleFrom
  isSure: boolean
}

const lettersMin = /\p{L}{2}|\p{Script=Han}|\p{L}.{0,3}\p{L}/u
/** "Part 2" above the name of the part. */
const sectionNumber =
  /^(?:part|chapter|section|module|lesson|teil|kapitel|abschnitt|partie|chapitre|parte|cap[ií]tulo|secci[oó]n|m[oó]dulo)\s[\divx. –-]{1,9}[:.]?$/iu
/** What is written below a picture. */
const caption = /^(?:figure|fig\.|table|abbildung|abb\.|tabelle|tableau|figura|tabla|tabela|tab\.|図|表|图) ?\d{1,3}(?:\.\d{1,3})?[:.：]/iu
const address = /^(?:https?:\/\/|www\.)\S+$/iu
const wordsMax = 30
const lettersMax = 200
const linesMax = 4
const hasRole = (tag: Tag | undefined, roles: RegExp): boolean => tag !== undefined && (roles.test(tag.role) || hasRole(tag.parent, roles))

export function titleOf(lines: readonly Line[], page: PageLines, habits: Habits): FoundTitle {
  const wholeTitle = (first: Line | undefined, all: readonly Line[]) => wholeTitleOn(page, first && beginOf(first, all), all)
  const worded = lines.filter(
    ({ text, isTurned, isFixed }) =>
      !isTurned && !isFixed && lettersMin.test(text) && ![sectionNumber, caption, address].some((pattern) => pattern.test(text)),
  )
  const largest = Math.max(0, ...worded.map(({ size }) => size))
  const smaller = worded.filter(({ size }) => size < 0.93 * largest)
  const body = bodySize(smaller.length > 0 ? smaller : worded)
  const tagged = worded.filter(
    ({ tag, size, area }) => hasRole(tag, /^(?:H1|Title)$/u) && size > 0.6 * largest && area.y0 < 0.6 * page.height,
  )
  if (tagged[0] !== undefined) return found(wholeTitle(top(tagged), worded), 'structure', true)
  const { title } = habits
  const usual = title === undefined ? [] : worded.filter((line) => line.mark === undefined && isLike(line, title, page))
  const first = top(usual)
  if (first !== undefined && !worded.some((line) => line.size > 1.5 * first.size && line.area.y0 < 0.5 * page.height))
    return found(wholeTitle(first, worded), 'layout', first.size > 1.1 * body || first === top(worded))
  const big = worded.filter(
    (line) => line.size > 0.93 * largest && line.mark === undefined && line.area.y0 < 0.75 * page.height && !goesOnAnItem(line, worded),
  )
  const start = top(big)
  if (start !== undefined && !isBelowSentences(start, worded, page) && (largest > 1.15 * body || worded.length <= 3)) {
    const isClear = (largest > 1.3 * body || worded.length === 1) && start.area.y0 < 0.5 * page.height
    const whole = wholeTitle(start, worded)
    return largest > 1.15 * body || !isSentence(whole) ? found(whole, 'layout', isClear) : none
  }
  const highest = top(worded.filter(({ size }) => size > 0.93 * body))
  const isShort = highest !== undefined && highest.mark === undefined && highest.text.split(' ').length <= 12
  const isTop = highest !== undefined && highest.area.y0 < 0.3 * page.height
  if (!isShort || !isTop) return none
  const whole = wholeTitle(highest, worded)
  return isSentence(whole) ? none : found(whole, 'layout', highest.isBold)
}

const none: FoundTitle = { lines: [], from: 'none', isSure: false }

/** Set no larger than the rest and closed like a sentence, or opening what follows: it is said, not titled. */
function isSentence(lines: readonly Line[]): boolean {
  const text = lines.map((line) => line.text).join(' ')
  return text.split(' ').length >= 5 && /[.:;。：]$/u.test(text) && !text.endsWith('..')
}

/** The second line of an item that is wrapped. */
const goesOnAnItem = (line: Line, lines: readonly Line[]) =>
  lines.some(({ mark, area, baseline, size }) => {
    const drop = line.baseline - baseline
    return (
      mark !== undefined &&
      drop > 0.6 * size &&
      drop < 1.6 * size &&
      Math.abs(line.area.x0 - area.x0) < 0.5 * size &&
      line.size < 1.1 * size
    )
  })

const sentenceWords = 8

/** Large words in the lower half, with whole sentences above them, are a quote or a figure. */
const isBelowSentences = (start: Line, lines: readonly Line[], page: PageLines) =>
  start.area.y0 > 0.5 * page.height && lines.some((line) => line.baseline < start.baseline && line.text.split(' ').length >= sentenceWords)

/** Longer is a paragraph, and a slide keeps no more of its title. */
function found(lines: readonly Line[], from: TitleFrom, isSure: boolean): FoundTitle {
  const text = lines.map((line) => line.text).join(' ')
  const isTitle = text !== '' && text.length <= lettersMax && text.split(' ').length <= wordsMax
  return isTitle ? { lines, from, isSure } : none
}

const top = (lines: readonly Line[]) => lines.toSorted((a, b) => a.baseline - b.baseline || a.area.x0 - b.area.x0)[0]

/** Where titles are centred in their place, or stand on its foot, one of several lines begins above where the others do. */
function beginOf(line: Line, lines: readonly Line[]): Line {
  const above = lines.find((other) => {
    const drop = line.baseline - other.baseline
    const isSame = Math.abs(other.size - line.size) < 0.03 * line.size && other.isBold === line.isBold
    return isSame && other.mark === undefined && drop > 0.5 * line.size && drop < 1.6 * line.size && overlaps(other, line)
  })
  return above === undefined ? line : beginOf(above, lines)
}

/** The pieces beside the first and the lines below it, as long as they are set alike. */
function wholeTitleOn(page: PageLines, first: Line | undefined, lines: readonly Line[]): Line[] {
  if (first === undefined) return []
  const isUniform = lines.every((line) => isAlike(line, first))
  const right = Math.max(0.7 * page.width, ...lines.map(({ area }) => area.x1))
  const all = [first]
  const near = lines
    .filter((line) => line !== first && isAlike(line, first))
    .toSorted((a, b) => a.baseline - b.baseline || a.area.x0 - b.area.x0)
  for (const line of near) {
    const last = all.at(-1) ?? first
    const isBeside =
      Math.abs(line.baseline - last.baseline) < 0.3 * first.size &&
      line.area.x0 >= last.area.x1 - first.size &&
      line.area.x0 - last.area.x1 < 2.5 * first.size
    const drop = line.baseline - last.baseline
    const isBelow =
      drop > 0.5 * first.size &&
      drop < 1.6 * first.size &&
      overlaps(line, first) &&
      line.mark === undefined &&
      (!isUniform || isWrapped(last, line, right))
    if (isBeside || isBelow || (last.wraps !== undefined && last.after === line)) all.push(line)
    else if (drop >= 1.6 * first.size) break
  }
  return all.slice(0, linesMax + 2)
}

/** Where title and text are set alike, only a line that was full goes on in the next; centred lines are those of a cover. */
function isWrapped(line: Line, next: Line, right: number): boolean {
  const isCentred =
    Math.abs(line.area.x0 + line.area.x1 - next.area.x0 - next.area.x1) < line.size &&
    Math.abs(line.area.x0 - next.area.x0) > 0.3 * line.size
  return isCentred || /^\p{Ll}/u.test(next.text) || line.area.x1 + next.firstWordWidth + 0.25 * line.size > right
}

/** A word in bold within a title is a part of it; under it, text as large in another weight is not. */
const isAlike = (a: Line, b: Line) =>
  a.size > 0.85 * b.size &&
  a.size < 1.15 * b.size &&
  (a.isBold === b.isBold || Math.abs(a.size - b.size) < 0.03 * b.size) &&
  heightOf(a.area) > 0
const overlaps = (a: Line, b: Line) => a.area.x0 < b.area.x1 && b.area.x0 < a.area.x1
