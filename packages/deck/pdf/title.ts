// What the pages of a deck have in common: running headers and footers, page numbers, brand lines, where titles stand, which words
// there are. One page alone tells none of it.
import type { TitleFrom } from '@rostrum/contract/block'
import { heightOf, median, type Tag } from './geometry.ts'
import type { Line } from './lines.ts'

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

const edge = 0.14

const isAtEdge = ({ area: { x1, y0, y1 } }: Line, { width, height }: PageLines) =>
  y1 < edge * height || y0 > (1 - edge) * height || x1 < 0.06 * width
const isAtFoot = ({ area: { y0 } }: Line, { height }: PageLines) => y0 > 0.88 * height
/** Coarse, since a number that grows moves what is centred. */
const placeOf = ({ area: { y1 } }: Line, { height }: PageLines) => Math.round((y1 / height) * 40)
const saysMine =
  /^(?:©|\(c\)|copyright\b|all rights reserved|(?:strictly |company |internal )?confidential\b|proprietary\b|internal use only|vertraulich\b|confidentiel\b|confidencial\b|tlp:)/iu
const pageNumber = /^(?:(\p{L}{1,8})\.?\s{1,2})?[-–—|‹<[(#]?\s?(\d{1,3})\s?(?:(?:\/|of|von|de|sur|\|)\s?\d{1,3})?\s?[-–—|›>\])]?$/iu

export function habitsOf(pages: readonly PageLines[]): Habits {
  const repeats = new Map<string, { numbers: Map<number, number>; skip: number }>()
  const said = new Map<string, { lines: number; pages: Set<number> }>()
  const offsets = new Map<string, Set<number>>()
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
      const times = said.get(wordsOf(line)) ?? { lines: 0, pages: new Set<number>() }
      said.set(wordsOf(line), { lines: times.lines + 1, pages: times.pages.add(page.index) })
      for (const { key, number, skip } of keysOf(line, page)) {
        const held = repeats.get(key) ?? { numbers: new Map<number, number>(), skip }
        held.numbers.set(page.index, number)
        repeats.set(key, held)
      }
      const counted = countedOn(line, page)
      if (counted !== undefined) offsets.set(counted, (offsets.get(counted) ?? new Set<number>()).add(page.index))
    }
  }
  const numbered = [...offsets].toSorted((a, b) => b[1].size - a[1].size)[0]
  const counted = numbered !== undefined && numbered[1].size >= Math.min(3, Math.max(2, pages.length)) ? numbered[0] : usualNumber
  const steady = new Map([...repeats].filter(([, { numbers, skip }]) => countsWithPages(numbers, skip)))
  const countOf = (line: Line, page: PageLines) =>
    Math.max(
      ...keysOf(line, page).map(({ key, number, skip }) => {
        const { numbers } = steady.get(key) ?? {}
        return numbers !== undefined && isInStep([page.index, number], numbers, skip) ? numbers.size : 0
      }),
    )
  const isOften = (times: number, share: number) => times >= Math.max(3, share * pages.length)
  // A title that stands over the steps of a build is larger than all that it stands over.
  const isLargest = (line: Line, { lines }: PageLines) => lines.every((other) => other === line || line.size > 1.15 * other.size)
  const isRunning = (line: Line, page: PageLines) => isAtEdge(line, page) && isOften(countOf(line, page), 0.4) && !isLargest(line, page)
  const title = titlePlace(pages, isRunning)

  function isFurniture(line: Line, page: PageLines): boolean {
    if (countedOn(line, page) === counted) return true
    if (isAtFoot(line, page) && saysMine.test(line.text)) return true
    if (!/\p{L}{2}|\p{Script=Han}|\d/u.test(line.text)) return false
    if (title !== undefined && isLike(line, title, page)) return false
    const times = said.get(wordsOf(line))
    // A cell that many rows of a table have is none.
    if (times !== undefined && times.lines > 2 * times.pages.size) return false
    const count = countOf(line, page)
    if (isAtEdge(line, page)) return isOften(count, isAtFoot(line, page) ? 0.2 : 0.3)
    return isOften(count, 0.6) && !namesAnother(line, page) && !isOfTable(line, page)
  }
  /** The name of a figure stands beside it on each page. */
  const namesAnother = (line: Line, page: PageLines) =>
    page.lines.some((other) => isBeside(other, line) && !isOften(countOf(other, page), 0.6) && /[\p{L}\d]/u.test(other.text))
  /** The columns of a table are named alike on each page, and a row may stay as it is: another row of it says something else. */
  const isOfTable = (line: Line, page: PageLines) => {
    const row = [line, ...page.lines.filter((other) => isBeside(other, line))]
    return page.lines.some((other) => {
      if (row.includes(other) || other.isTurned || isOften(countOf(other, page), 0.6)) return false
      const others = [other, ...page.lines.filter((each) => isBeside(each, other))]
      return columnsOf(row, others) >= 2
    })
  }
  const writesSpaces = wraps.withSpace > 0 && wraps.withSpace >= 4 * wraps.without
  return { isFurniture, words, writesSpaces, ...(title && { title }) }
}

/** In the middle of a sentence, as far as letters tell. */
const goesOnSmall = ({ after }: Line) => after !== undefined && /^\p{Ll}/u.test(after.text)

const wordsOf = ({ text }: Line) => text.toLowerCase().replace(/\s+/gu, ' ').trim()
const isBeside = (other: Line, line: Line) =>
  other !== line && !other.isTurned && !line.isTurned && Math.abs(other.baseline - line.baseline) < 0.3 * line.size

/** More numbers than these count nothing. */
const numbersMax = 6

/** How many pieces of one row stand over or under a piece of another, and over or under no second one. */
const columnsOf = (row: readonly Line[], others: readonly Line[]) =>
  row.filter((line) => {
    const [over, ...more] = others.filter((other) => overlaps(line, other))
    return over !== undefined && more.length === 0 && row.filter((each) => overlaps(each, over)).length === 1
  }).length

interface Key {
  key: string
  /** What stands in the place of the sign for a number; 0 where there is none. */
  number: number
  /** How far the number may rise from one page to the next. */
  skip: number
}

/**
 * Under what its like on other pages is found: its words to the letter and, at the edge alone, with a sign for one of their numbers. What
 * is said anywhere else with other figures ("Revenue 12 million euro") is said, however often.
 */
function keysOf(line: Line, page: PageLines): Key[] {
  const text = wordsOf(line)
  const numbers = isAtEdge(line, page) ? [...text.matchAll(/\d{1,4}/gu)].slice(0, numbersMax) : []
  const counting = numbers.map(({ 0: found, index }) => ({
    key: `${text.slice(0, index)}\n${text.slice(index + found.length)}`,
    number: Number(found),
    skip: pageNumber.test(text) ? skipMax : 1,
  }))
  const place = placeOf(line, page)
  return [{ key: text, number: 0, skip: 0 }, ...counting].flatMap(({ key, ...rest }) => [
    { key: `${key}@${place}`, ...rest },
    { key: `${key}@${place + 1}`, ...rest },
  ])
}

/** A number without other words is one of pages also where some pages were left out. */
const skipMax = 3
const steadyShare = 0.8

type Numbered = readonly [page: number, number: number]

/** Rising with the pages, or more slowly where several show the steps of one. Pure. */
export function countsWithPages(numbers: ReadonlyMap<number, number>, skip = 1): boolean {
  const sorted = [...numbers].toSorted(([a], [b]) => a - b)
  const steps = sorted.slice(1).map((later, at) => isStep(sorted[at] ?? later, later, skip))
  return steps.filter(Boolean).length >= steadyShare * steps.length
}

const isStep = ([page, number]: Numbered, [later, next]: Numbered, skip: number): boolean =>
  later >= page ? next >= number && next - number <= (later - page) * skip : isStep([later, next], [page, number], skip)

/** With what the nearest page says that has such a line too. */
function isInStep(own: Numbered, numbers: ReadonlyMap<number, number>, skip: number): boolean {
  let nearest: Numbered | undefined
  const farFrom = ([page]: Numbered) => Math.abs(page - own[0])
  for (const other of numbers) if (other[0] !== own[0] && (nearest === undefined || farFrom(other) < farFrom(nearest))) nearest = other
  return nearest === undefined || isStep(nearest, own, skip)
}

/** The number of a page, or what looks like it, as the words before it and how far it is from the page that it stands on. */
function countedOn(line: Line, page: PageLines): string | undefined {
  if (!isAtEdge(line, page)) return undefined
  const [, words = '', number] = pageNumber.exec(line.text) ?? []
  return number === undefined ? undefined : `${words.toLowerCase()} ${Number(number) - page.index}`
}

const usualNumber = ' 1'

/** Where the largest line of the upper third stands on most pages. */
function titlePlace(pages: readonly PageLines[], isRunning: (line: Line, page: PageLines) => boolean): Habits['title'] {
  const tops = pages.flatMap((page) => {
    const upper = page.lines.filter(
      (line) => line.area.y0 < 0.34 * page.height && !line.isTurned && lettersMin.test(line.text) && !isRunning(line, page),
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
        (Math.abs(a.x0 - b.x0) < 0.02 * width || Math.abs(a.middle - b.middle) < 0.02 * width),
    ).length
  let best: { top: (typeof tops)[number]; count: number } | undefined
  for (const top of tops) {
    const count = like(top)
    if (count > (best?.count ?? 0)) best = { top, count }
  }
  return best !== undefined && best.count >= 3 ? best.top : undefined
}

/** At the place of the titles, about as large. */
function isLike(line: Line, title: NonNullable<Habits['title']>, { width, height }: PageLines): boolean {
  const middle = (line.area.x0 + line.area.x1) / 2
  return (
    Math.abs(line.baseline - title.baseline) < 0.06 * height &&
    (Math.abs(line.area.x0 - title.x0) < 0.05 * width || Math.abs(middle - title.middle) < 0.05 * width) &&
    line.size > 0.6 * title.size
  )
}

export const bodySize = (lines: readonly Line[]) => {
  const sizes = lines.flatMap(({ size, text }) => Array.from({ length: Math.min(40, Math.ceil(text.length / 10)) }, () => size))
  return median(sizes)
}

// Which lines of a page are its title: what a tagged document says, else where the titles of the deck stand, else the largest letters.

export interface FoundTitle {
  lines: readonly Line[]
  from: TitleFrom
  isSure: boolean
}

/** A quarter or a half of a year is named by one letter. */
const lettersMin = /\p{L}{2}|\p{Script=Han}|\p{L}.{0,3}\p{L}|^[QHTS][1-4]\b/u
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
      !isTurned && !isFixed && lettersMin.test(text) && ![caption, address].some((pattern) => pattern.test(text)),
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
  if (first !== undefined && !worded.some((line) => line.size > 1.5 * first.size && line.area.y0 < 0.5 * page.height)) {
    const whole = wholeTitle(first, worded)
    const isLarger = first.size > 1.1 * body
    return !isLarger && isSentence(whole) ? none : found(whole, 'layout', isLarger || first === top(worded))
  }
  const big = worded.filter(
    (line) =>
      line.size > 0.93 * largest &&
      line.mark === undefined &&
      line.area.y0 < 0.75 * page.height &&
      // The second line of an item.
      !worded.some(({ mark, after }) => mark !== undefined && after === line),
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
    if (isBeside || isBelow) all.push(line)
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
const isAlike = (a: Line, b: Line) => a.size > 0.85 * b.size && a.size < 1.15 * b.size && heightOf(a.area) > 0
const overlaps = (a: Line, b: Line) => a.area.x0 < b.area.x1 && b.area.x0 < a.area.x1
