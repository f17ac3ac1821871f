// What the pages of a deck have in common: running headers and footers, page numbers, brand lines, where titles stand, which words
// there are. One page alone tells none of it.
import type { Line } from './lines.ts'
import { median } from './rows.ts'

export interface PageLines {
  index: number
  width: number
  height: number
  lines: readonly Line[]
}

export interface Habits {
  isFurniture: (line: Line, page: PageLines) => boolean
  /** Where titles begin and how high their letters are; left out where pages differ. */
  title?: { x0: number; middle: number; baseline: number; size: number }
  /** Lower case. */
  words: ReadonlySet<string>
  /** Where a line was wrapped a space was written at its end: one without ends its paragraph. */
  writesSpaces: boolean
}

/** Figures count up from page to page; what is said stays. */
const sameWords = (text: string) => text.toLowerCase().replace(/\d+/gu, '#').replace(/\s+/gu, ' ').trim()
const edge = 0.14

const isAtEdge = ({ area: { x0, x1, y0, y1 } }: Line, { width, height }: PageLines) =>
  y1 < edge * height || y0 > (1 - edge) * height || x1 < 0.06 * width || x0 > 0.94 * width
const isAtFoot = ({ area: { y0 } }: Line, { height }: PageLines) => y0 > 0.88 * height
/** Coarse, since a number that grows moves what is centred. */
const placeOf = ({ area: { y1 } }: Line, { height }: PageLines) => Math.round((y1 / height) * 40)
const saysMine =
  /^(?:©|\(c\)|copyright\b|all rights reserved|(?:strictly |company |internal )?confidential\b|proprietary\b|internal use only|vertraulich\b|confidentiel\b|confidencial\b|tlp:)/iu
const pageNumber = /^(?:\p{L}{1,8}\s{1,2})?[-–—|‹<[(#]?\s?(\d{1,3})\s?(?:(?:\/|of|von|de|sur|\|)\s?\d{1,3})?\s?[-–—|›>\])]?$/iu

export function habitsOf(pages: readonly PageLines[]): Habits {
  const repeats = new Map<string, Set<number>>()
  const offsets = new Map<number, number>()
  const words = new Set<string>()
  const wraps = { withSpace: 0, without: 0 }
  for (const page of pages) {
    for (const line of page.lines) {
      if (line.wraps !== undefined) wraps.withSpace++
      else if (goesOnSmall(line)) wraps.without++
      // The first and the last of a line may be parts of one.
      for (const word of line.text
        .toLowerCase()
        .match(/\p{L}{2,}/gu)
        ?.slice(1, -1) ?? [])
        words.add(word)
      for (const key of keysOf(line, page)) {
        const held = repeats.get(key) ?? new Set()
        repeats.set(key, held.add(page.index))
      }
      const number = numberOf(line, page)
      if (number !== undefined) offsets.set(number - page.index, (offsets.get(number - page.index) ?? 0) + 1)
    }
  }
  const numbered = [...offsets].toSorted((a, b) => b[1] - a[1])[0]
  const offset = numbered !== undefined && numbered[1] >= Math.min(3, pages.length) ? numbered[0] : 1
  const count = (line: Line, page: PageLines) => Math.max(...keysOf(line, page).map((key) => repeats.get(key)?.size ?? 0))
  const isOften = (times: number, share: number) => times >= Math.max(3, share * pages.length)
  const title = titlePlace(pages, (line, page) => isAtEdge(line, page) && isOften(count(line, page), 0.4))

  function isFurniture(line: Line, page: PageLines): boolean {
    const number = numberOf(line, page)
    if (number !== undefined && (number - page.index === offset || /\d\s?(?:\/|of|von|de|sur)\s?\d/iu.test(line.text))) return true
    if (isAtFoot(line, page) && saysMine.test(line.text)) return true
    if (!/\p{L}{2}|\p{Script=Han}|\d/u.test(line.text)) return false
    const times = count(line, page)
    if (title !== undefined && isLike(line, title, page)) return false
    if (isAtFoot(line, page) && line.size < 0.8 * (title?.size ?? 24) && (isOften(times, 0.2) || (times === 2 && pages.length < 6)))
      return true
    if (isAtEdge(line, page) && isOften(times, 0.3)) return true
    return isOften(times, 0.6) && line.size < (title?.size ?? Infinity)
  }
  const writesSpaces = wraps.withSpace > 0 && wraps.withSpace >= 4 * wraps.without
  return { isFurniture, words, writesSpaces, ...(title && { title }) }
}

/** In the middle of a sentence, as far as letters tell. */
const goesOnSmall = ({ text, after }: Line) =>
  after !== undefined && after.mark === undefined && /^\p{Ll}/u.test(after.text) && /\p{L}$/u.test(text)

function keysOf(line: Line, page: PageLines): string[] {
  const [words, place] = [sameWords(line.text), placeOf(line, page)]
  return [`${words}@${place}`, `${words}@${place + 1}`]
}

function numberOf(line: Line, page: PageLines): number | undefined {
  if (!isAtEdge(line, page)) return undefined
  const found = pageNumber.exec(line.text)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** Where the largest line of the upper third stands on most pages. */
function titlePlace(pages: readonly PageLines[], isRunning: (line: Line, page: PageLines) => boolean): Habits['title'] {
  const tops = pages.flatMap((page) => {
    const upper = page.lines.filter(
      (line) => line.area.y0 < 0.34 * page.height && !line.isTurned && /\p{L}{2}/u.test(line.text) && !isRunning(line, page),
    )
    const largest = Math.max(...upper.map(({ size }) => size))
    const top = upper.filter(({ size }) => size > 0.93 * largest).toSorted((a, b) => a.baseline - b.baseline)[0]
    return top === undefined ? [] : [{ x0: top.area.x0, middle: (top.area.x0 + top.area.x1) / 2, baseline: top.baseline, size: top.size }]
  })
  const { width = 1, height = 1 } = pages[0] ?? {}
  const like = (a: (typeof tops)[number]) =>
    tops.filter(
      (b) =>
        Math.abs(a.baseline - b.baseline) < 0.04 * height &&
        (Math.abs(a.x0 - b.x0) < 0.02 * width || Math.abs(a.middle - b.middle) < 0.02 * width) &&
        Math.abs(a.size - b.size) < 0.15 * a.size,
    ).length
  let best: { top: (typeof tops)[number]; count: number } | undefined
  for (const top of tops) {
    const count = like(top)
    if (count > (best?.count ?? 0)) best = { top, count }
  }
  return best !== undefined && best.count >= 3 && best.count >= 0.25 * pages.length ? best.top : undefined
}

/** At the place of the titles, about as large. */
export function isLike(line: Line, title: NonNullable<Habits['title']>, { width, height }: PageLines): boolean {
  const middle = (line.area.x0 + line.area.x1) / 2
  return (
    Math.abs(line.baseline - title.baseline) < 0.06 * height &&
    (Math.abs(line.area.x0 - title.x0) < 0.05 * width || Math.abs(middle - title.middle) < 0.05 * width) &&
    line.size > 0.6 * title.size &&
    line.size < 1.7 * title.size
  )
}

export const bodySize = (lines: readonly Line[]) => {
  const sizes = lines.flatMap(({ size, text }) => Array.from({ length: Math.min(40, Math.ceil(text.length / 10)) }, () => size))
  return median(sizes)
}
