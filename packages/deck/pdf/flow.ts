// Lines of one column become paragraphs, lists, headings, code and quotes: wrapped and hyphenated lines are joined, items keep their
// level, and what stands apart stays apart.
import type { Box } from '@rostrum/contract/deck'
import type { Draft, ListItem, Words } from '@rostrum/contract/block'
import type { Area, Tag } from './geometry.ts'
import type { Habits, PageLines } from './title.ts'
import type { Line } from './lines.ts'

/** Lines that are one paragraph, one item or one heading. */
export interface Passage {
  lines: Line[]
  text: string
}

export interface Sheet {
  page: PageLines
  habits: Habits
  /** Of running text of the page. */
  bodySize: number
}

export function blocksOf(all: readonly Line[], sheet: Sheet): Draft[] {
  const blocks: Draft[] = []
  const lines = withCode(all)
  const passages = passagesOf(lines, sheet)
  for (let at = 0; at < passages.length;) {
    const passage = passages[at]
    if (passage === undefined) break
    const isCode = ({ lines: [line] }: Passage) => line?.isFixed === true && line.mark === undefined
    const same = isCode(passage) ? isCode : isItem(passage) ? isItem : undefined
    const run = same === undefined ? [passage] : passages.slice(at, endOf(passages, at, same))
    at += run.length
    if (same === isCode) blocks.push(codeOf(run, sheet.page))
    else if (same === isItem) blocks.push({ kind: 'list', items: itemsOf(run, sheet.page) })
    else blocks.push(proseOf(passage, passages[at], sheet))
  }
  return blocks
}

/** What ends or begins as hardly a sentence does. */
export const looksCoded =
  /[;{}]\s*$|^\s*[})\]]+[,;)]*\s*$|^\s*(?:\/\/|#include|import |from \S+ import |def |func |fn |const |let |var |public |private |class \w+[ ({:]|return\b.*;|@\w+\b|<\/?\w+[^<>]*>\s*$)|=>|::|\w\(\)|^\$ \w/u
const codedMin = 3

/** Code in the letters of the text: several lines in a row that are written as code is. */
function withCode(lines: readonly Line[]): readonly Line[] {
  const coded = lines.map(({ text, mark, isFixed }) => isFixed || (mark === undefined && looksCoded.test(text.slice(-200))))
  const all = [...lines]
  for (let from = 0; from < lines.length; from++) {
    if (coded[from] !== true) continue
    let end = from
    let count = 0
    for (let at = from; at < lines.length && at - end <= 2; at++) {
      if (coded[at] !== true) continue
      end = at
      count++
    }
    if (count >= codedMin && count * 2 > end - from)
      for (let at = from; at <= end; at++) {
        const line = lines[at]
        if (line !== undefined) all[at] = { ...line, isFixed: true }
      }
    from = end
  }
  return all
}

const isItem = ({ lines: [line] }: Passage) => line?.mark !== undefined

function endOf(passages: readonly Passage[], from: number, is: (passage: Passage) => boolean): number {
  const end = passages.findIndex((passage, at) => at > from && !is(passage))
  return end < 0 ? passages.length : end
}

/** What stands beside a paragraph, a large number or a picture's name, comes between its lines. */
const openMax = 4

function passagesOf(lines: readonly Line[], sheet: Sheet): Passage[] {
  const right = Math.max(...lines.map(({ area }) => area.x1))
  const pitch = tightest(lines)
  const passages: Passage[] = []
  for (const line of lines) {
    const open = passages.slice(-openMax).findLast((passage) => goesOn(passage, line, right, pitch, sheet.habits))
    if (open !== undefined) {
      open.text = open.lines.at(-1)?.wraps === 'address' ? open.text + line.text : join(open.text, line.text, sheet.habits.words)
      open.lines.push(line)
    } else passages.push({ lines: [line], text: line.text })
  }
  return passages
}

/** The distance of lines that belong together, in parts of their size: the smallest that lines of one size keep. */
function tightest(lines: readonly Line[]): number {
  const steps = lines.slice(1).flatMap((line, at) => {
    const before = lines[at]
    const step = before === undefined ? 0 : (line.baseline - before.baseline) / Math.max(1, line.size)
    return before !== undefined && Math.abs(before.size - line.size) < 0.1 * line.size && step > 0.6 && step < 2.2 ? [step] : []
  })
  return steps.length === 0 ? 1.2 : Math.min(...steps)
}

function goesOn({ lines, text }: Passage, next: Line, right: number, pitch: number, { writesSpaces }: Habits): boolean {
  const last = lines.at(-1)
  const first = lines[0]
  if (last === undefined || first === undefined || next.mark !== undefined) return false
  if (last.wraps !== undefined && last.after !== undefined) return last.after === next
  const step = (next.baseline - last.baseline) / Math.max(1, last.size)
  // Beside each other on one baseline: parts of one line.
  if (Math.abs(step) < 0.2) return next.isFixed === last.isFixed && next.area.x0 >= last.area.x1 - 1 && isNext(next, last)
  if (step < 0 || step > 1.9 || (step > 1.25 * pitch && step > 1.45)) return false
  if (next.size > 1.12 * last.size || next.size < 0.88 * last.size) return false
  if (next.isFixed !== last.isFixed || next.isFixed) return false
  // Words of an item may be bold, and its last line no others.
  const isInItem = first.mark !== undefined && Math.abs(next.area.x0 - first.area.x0) < 0.25 * last.size && step < 1.1 * pitch
  if (next.isBold !== last.isBold && !isInItem) return false
  if (!isSameElement(next.tag, last.tag)) return false
  const start = first.mark === undefined ? Math.min(first.area.x0, last.area.x0) : first.area.x0
  const isCentred = Math.abs(centre(next.area) - centre(last.area)) < 0.5 * last.size
  const isIndented = next.area.x0 - start
  if (!isCentred && (isIndented < (first.mark === undefined ? -2.5 : -0.8) * last.size || isIndented > 1.5 * last.size)) return false
  if (paragraphOf(next.tag) !== undefined && paragraphOf(next.tag) === paragraphOf(last.tag)) return true
  const startsSmall = /^[\p{Ll}(&,]/u.test(next.text)
  if (startsSmall && !/[.!?…:;。！？：；]$/u.test(text)) return true
  // Set as far apart as paragraphs are: only words tell that it goes on.
  if (step > 1.6) return false
  if (writesSpaces && !/[-/]$/u.test(text) && !endsCjk.test(text)) return false
  const edge = Math.max(right, ...lines.map(({ area }) => area.x1), next.area.x1)
  const isFull = last.area.x1 + next.firstWordWidth + 0.25 * last.size > edge - 0.5 * last.size
  if (first.mark !== undefined) return isFull || Math.abs(isIndented) < 0.5 * last.size
  const isLong = last.area.x1 - last.area.x0 > 14 * last.size || text.split(' ').length >= 6
  return isFull && (isLong || (isCentred && !standApart(text, next.text)))
}

/** Written after the other, with no more than spaces between. */
const isNext = (next: Line, last: Line) => next.written[0] > last.written[1] && next.written[0] - last.written[1] < 4

/** A name and, below it, where somebody works: short lines of a cover, each with a capital. */
const standApart = (one: string, other: string) => [one, other].every((text) => /^\p{Lu}\S*\s+\S/u.test(text))

const centre = ({ x0, x1 }: Area) => (x0 + x1) / 2

/** The element that a paragraph is in a tagged document; spans within it are the same paragraph. */
function paragraphOf(tag: Tag | undefined): Tag | undefined {
  return tag?.role === 'Span' || tag?.role === 'Link' ? paragraphOf(tag.parent) : tag
}

/** Words in bold or a link are an element within the one that the rest of the paragraph is in. */
function isSameElement(a: Tag | undefined, b: Tag | undefined): boolean {
  const [one, other] = [paragraphOf(a), paragraphOf(b)]
  return one === other || one?.parent === other || one === other?.parent
}

const startsCjk = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}，。、；：！？）]/u
const endsCjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}，。、；：！？（]$/u

/** A word that was parted at the end of a line is whole again, and keeps its hyphen where it always had one. */
export function join(text: string, next: string, words: ReadonlySet<string>): string {
  // The soft hyphen, and the sign that browsers draw for it.
  if (/[\u00ad\u2010]$/u.test(text)) return text.slice(0, -1) + next
  const left = text.endsWith('-') ? text.slice(text.lastIndexOf(' ') + 1, -1) : ''
  const [right] = /^\p{Ll}\p{L}+/u.exec(next) ?? []
  if (/^\p{L}{2,}$/u.test(left) && right !== undefined) {
    const isWhole = words.has((left + right).toLowerCase())
    const isPair = words.has(left.toLowerCase()) && words.has(right.toLowerCase())
    return isWhole || !isPair ? text.slice(0, -1) + next : text + next
  }
  if (/\p{L}-$/u.test(text) || text.endsWith('/')) return text + next
  return startsCjk.test(next) && endsCjk.test(text) ? text + next : `${text} ${next}`
}

export function boxOf({ x0, y0, x1, y1 }: Area, { width, height }: PageLines): Box {
  const part = (value: number, of: number) => Math.round(Math.min(1, Math.max(0, value / of)) * 10_000) / 10_000
  const [x, y] = [part(x0, width), part(y0, height)]
  const [w, h] = [part(x1, width) - x, part(y1, height) - y]
  return [x, y, Math.round(Math.max(0, w) * 10_000) / 10_000, Math.round(Math.max(0, h) * 10_000) / 10_000]
}

export const wordsOf = (passage: Passage, page: PageLines): Words => ({
  text: passage.text.replace(/\s+/gu, ' ').trim(),
  boxes: passage.lines.map(({ area }) => boxOf(area, page)),
})

function codeOf(run: readonly Passage[], page: PageLines): Draft {
  const lines = run.flatMap((passage) => passage.lines)
  const left = Math.min(...lines.map(({ area }) => area.x0))
  const rows: { text: string; line: Line }[] = []
  for (const line of lines) {
    const advance = Math.max(1, (line.area.x1 - line.area.x0) / Math.max(1, line.text.length))
    const before = rows.at(-1)
    const isSame = before !== undefined && Math.abs(before.line.baseline - line.baseline) < 0.2 * line.size
    if (isSame) Object.assign(before, { text: `${before.text} ${line.text}`, line })
    else rows.push({ text: ' '.repeat(Math.min(40, Math.round((line.area.x0 - left) / advance))) + line.text, line })
  }
  return { kind: 'code', text: rows.map(({ text }) => text).join('\n'), boxes: lines.map(({ area }) => boxOf(area, page)) }
}

function itemsOf(run: readonly Passage[], page: PageLines): (Words & ListItem)[] {
  const open: number[] = []
  return run.map((passage) => {
    const line = passage.lines[0]
    const at = line?.mark?.area.x0 ?? line?.area.x0 ?? 0
    const slack = 0.45 * (line?.size ?? 12)
    while (open.length > 0 && (open.at(-1) ?? 0) > at + slack) open.pop()
    if (open.length === 0 || (open.at(-1) ?? 0) < at - slack) open.push(at)
    return { ...wordsOf(passage, page), level: open.length - 1, ...(line?.mark?.isOrdered === true && { isOrdered: true as const }) }
  })
}

const wholeAddress = /^(?:https?:\/\/|www\.)[^\s]{1,2000}$/iu
const quoted = /^["“„«「]([^"”»」]{20,})["”“»」]\.?$/u

function proseOf(passage: Passage, next: Passage | undefined, { page, bodySize }: Sheet): Draft {
  const words = wordsOf(passage, page)
  const first = passage.lines[0]
  if (wholeAddress.test(words.text)) return { kind: 'link', url: words.text, ...words }
  const isStrong =
    first !== undefined &&
    (first.size > 1.15 * bodySize || (passage.lines.every(({ isBold }) => isBold) && next?.lines[0]?.isBold === false))
  const isShort = words.text.split(' ').length <= 12 && passage.lines.length <= 2 && !/[.;,。；，]$/u.test(words.text)
  if (isStrong && isShort && next !== undefined) return { kind: 'heading', level: first.size > 1.15 * bodySize ? 2 : 3, ...words }
  if (quoted.test(words.text)) return { kind: 'quote', ...words }
  return { kind: 'paragraph', ...words }
}
