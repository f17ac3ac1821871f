// Makes of what stands on a slide what a person reads there: the title, the blocks below it in reading order, and the furniture
// apart. Implements the slide model of `blocks/block.ts` for presentations, whatever their format.
import type { Box } from '@rostrum/contract/deck'
import { isDate, type PageDraft } from '../block.ts'
import type { ChartData, Draft, TitleFrom, Words } from '@rostrum/contract/block'
import type { Chart, OutlineItem } from './graphics.ts'
import { blocksOf, joined } from './text-blocks.ts'
import type { Paragraph } from './text.ts'

// The order in which shapes are read: that of the file, which authors and checkers of accessibility set, corrected by place where
// it jumps: what stands above another in its column, or left of it on its line, comes first.

interface Boxed {
  box?: Box
}

const pairsMax = 200

function inReadingOrder<T extends Boxed>(shapes: readonly T[], isRightToLeft: boolean): T[] {
  if (shapes.length > pairsMax) return [...shapes]
  const left = [...shapes]
  const ordered: T[] = []
  while (left.length > 0) {
    // Boxes that wind about each other have no first one: then the file's order stands.
    const at = left.findIndex((shape) => left.every((other) => other === shape || !precedes(other, shape, isRightToLeft)))
    ordered.push(...left.splice(Math.max(0, at), 1))
  }
  return ordered
}

function precedes({ box: one }: Boxed, { box: other }: Boxed, isRightToLeft: boolean): boolean {
  if (one === undefined || other === undefined) return false
  const [x, y, w, h] = one
  const [otherX, otherY, otherW, otherH] = other
  const across = overlap(x, w, otherX, otherW)
  const along = overlap(y, h, otherY, otherH)
  if (across > 0.5 && y + h <= otherY + slack) return true
  if (along <= 0.5) return false
  return isRightToLeft ? x >= otherX + otherW - slack : x + w <= otherX + slack
}

const slack = 0.01

/** Share of the shorter one. */
function overlap(from: number, length: number, otherFrom: number, otherLength: number): number {
  const shared = Math.min(from + length, otherFrom + otherLength) - Math.max(from, otherFrom)
  const shorter = Math.min(length, otherLength)
  return shorter > 0 ? Math.max(0, shared) / shorter : 0
}

interface Placed {
  box?: Box
}

export interface TextPart extends Placed {
  kind: 'text'
  placeholder?: string
  paragraphs: readonly Paragraph[]
}

export interface CellPart extends Placed {
  paragraphs: readonly Paragraph[]
}

export type Part =
  | TextPart
  | (Placed & { kind: 'table'; hasHeader: boolean; rows: readonly (readonly CellPart[])[]; alt?: string })
  | (Placed & { kind: 'chart'; chart: Chart; alt?: string })
  | (Placed & { kind: 'diagram'; items: readonly OutlineItem[]; alt?: string })
  | (Placed & { kind: 'picture'; alt?: string; video?: string })
  | (Placed & { kind: 'connector' })

const furniturePlaceholders = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'])
const titlePlaceholders = new Set(['title', 'ctrTitle'])
const bodyPlaceholders = new Set(['body', 'obj', 'subTitle', 'outline'])
const titleMax = 200

/** `isFurniture`: says of a text at its place whether it stands there on many slides. */
export function draftOf(parts: readonly Part[], isFurniture: (part: TextPart) => boolean): PageDraft {
  const furniture: string[] = []
  const shown = parts.filter((part) => {
    const isApart = part.kind === 'text' && (furniturePlaceholders.has(part.placeholder ?? '') || isFurniture(part))
    if (isApart) furniture.push(...part.paragraphs.map(({ text }) => text))
    return !isApart
  })
  const { title, titleFrom, isTitleSure, rest } = takeTitle(shown)
  const isRightToLeft = shown.some((part) => part.kind === 'text' && part.paragraphs.some((each) => each.isRightToLeft))
  // The title once more in the middle of a drawing.
  const below = rest.filter((part) => title === '' || part.kind !== 'text' || wordsOf(part) !== title)
  return { title, titleFrom, isTitleSure, blocks: blocksFor(inReadingOrder(below, isRightToLeft)), furniture }
}

const wordsOf = ({ paragraphs }: { paragraphs: readonly Paragraph[] }) => paragraphs.map(({ text }) => text).join(' ')
const hasWords = (part: Part): part is TextPart => part.kind === 'text' && part.paragraphs.length > 0

interface Titled {
  title: string
  titleFrom: TitleFrom
  isTitleSure: boolean
  rest: readonly Part[]
}

function takeTitle(parts: readonly Part[]): Titled {
  const named = parts.filter((part): part is TextPart => hasWords(part) && titlePlaceholders.has(part.placeholder ?? ''))
  const [placeholder] = named
  if (placeholder !== undefined) return titled(placeholder, parts, 'placeholder', true)
  const guessed = guessTitle(parts.filter(hasWords))
  if (guessed === undefined) return { title: '', titleFrom: 'none', isTitleSure: true, rest: parts }
  const whole = { ...guessed.part, paragraphs: joined(guessed.part.paragraphs) }
  const found = titled(
    whole,
    parts.map((part) => (part === guessed.part ? whole : part)),
    'layout',
    guessed.isSure,
  )
  const rest = found.rest.find((part) => part.kind === 'text' && goesOn(whole, part))
  if (rest?.kind !== 'text') return found
  const title = `${found.title} ${wordsOf(rest)}`.slice(0, titleMax)
  return { ...found, title, rest: found.rest.filter((part) => part !== rest) }
}

/** A sentence that was laid out in two boxes, one below the other. */
function goesOn(part: TextPart, next: TextPart): boolean {
  if (part.box === undefined || next.box === undefined || next.paragraphs.length !== 1) return false
  const gap = next.box[1] - part.box[1]
  const isBelow = gap > 0 && gap < 0.3 && overlap(part.box[0], part.box[2], next.box[0], next.box[2]) > 0.5
  return (
    isBelow &&
    /^\p{Ll}/u.test(wordsOf(next)) &&
    !/[.!?:;。]$/u.test(wordsOf(part)) &&
    wordsOf(part).length + wordsOf(next).length < titleMax
  )
}

/** A title that is a whole paragraph stays one: the first line of it names the slide. */
function titled(part: TextPart, parts: readonly Part[], titleFrom: TitleFrom, isTitleSure: boolean): Titled {
  // Who speaks and when, below the name of the talk in smaller type, is no part of it; nor are several lines in another colour.
  const [first] = part.paragraphs
  const count = part.paragraphs.length
  const other = part.paragraphs.findIndex(
    ({ size, ink, text }, at) =>
      first !== undefined && (size < first.size * 0.85 || (at < count - 1 && (ink !== first.ink || isDate(text)))),
  )
  const upTo = other < 1 ? count : other
  const whole = wordsOf({ paragraphs: part.paragraphs.slice(0, upTo) })
  const lines = whole.length <= titleMax && (titleFrom === 'placeholder' || upTo <= 2) ? upTo : 1
  const title = wordsOf({ paragraphs: part.paragraphs.slice(0, lines) })
  const below: Part[] = lines < part.paragraphs.length ? [{ ...part, placeholder: 'body', paragraphs: part.paragraphs.slice(lines) }] : []
  return { title: title.slice(0, titleMax).trim(), titleFrom, isTitleSure, rest: parts.flatMap((each) => (each === part ? below : [each])) }
}

const upperPart = 0.4
const titleWordsMax = 18

/** The largest type, if it is short; of equal ones the uppermost. Sure where nothing else comes near its size. */
function guessTitle(texts: readonly TextPart[]): { part: TextPart; isSure: boolean } | undefined {
  const sizeOf = ({ paragraphs }: TextPart) => paragraphs[0]?.size ?? 0
  const topOf = ({ box }: TextPart) => box?.[1] ?? 1
  const can = texts.filter(
    (part) =>
      part.paragraphs[0]?.bullet === 'none' &&
      part.paragraphs[0].code === undefined &&
      (/\s/.test(part.paragraphs[0].text) || !/[/@]/.test(part.paragraphs[0].text)) &&
      part.paragraphs[0].text.split(' ').length <= titleWordsMax &&
      /\p{L}{2}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u.test(part.paragraphs[0].text),
  )
  const best = can.toSorted((one, other) => sizeOf(other) - sizeOf(one) || topOf(one) - topOf(other))[0]
  if (best === undefined) return undefined
  const others = texts.filter((part) => part !== best).map(sizeOf)
  const isLargest = sizeOf(best) >= Math.max(0, ...others) * 1.2
  const isUpper = topOf(best) <= upperPart
  // One label of a drawing is no title.
  if (!isLargest && (!isUpper || texts.filter(isLoose).length >= drawingMin)) return undefined
  return { part: best, isSure: isLargest && (isUpper || texts.length === 1) }
}

/** A text of a few words that is no placeholder: the label of a drawing, where there are several of them. */
function isLoose(part: Part): part is TextPart {
  if (!hasWords(part) || part.placeholder !== undefined || part.paragraphs.length > 3) return false
  const text = wordsOf(part)
  const isPlain = part.paragraphs.every(({ bullet, code, url }) => bullet === 'none' && code === undefined && url === undefined)
  return isPlain && text.length <= 48 && text.split(' ').length <= 6 && !/[.!?。]$/u.test(text)
}

const near = 0.06
/** So many labels are a drawing of their own. */
const drawingMin = 6

/** A short text right above a longer one in its column heads it. */
function headedBy(part: TextPart, parts: readonly Part[]): TextPart | undefined {
  const { box, paragraphs } = part
  const [only] = paragraphs
  if (box === undefined || only === undefined || paragraphs.length > 1 || only.bullet !== 'none' || only.text.length > 60) return undefined
  if (/[.!?。]$/u.test(only.text) || only.url !== undefined || only.code !== undefined) return undefined
  return parts.find((other): other is TextPart => {
    if (other === part || !hasWords(other) || other.box === undefined || wordsOf(other).length < only.text.length * 1.5) return false
    if (wordsOf(other).split(' ').length < 7 && !/[.!?。]$/u.test(wordsOf(other))) return false
    const gap = other.box[1] - (box[1] + box[3])
    return gap > -near && gap < near && overlap(box[0], box[2], other.box[0], other.box[2]) > 0.6
  })
}

function blocksFor(parts: readonly Part[]): Draft[] {
  const isCrowded = parts.filter(isLoose).length >= drawingMin
  const heads = new Map(
    parts.filter(hasWords).flatMap((part) => {
      const below = isCrowded && isLoose(part) ? undefined : headedBy(part, parts)
      return below === undefined ? [] : [[part, below] as const]
    }),
  )
  const loose = parts.filter((part) => isLoose(part) && !heads.has(part))
  const isDrawing = loose.length >= 3 || (loose.length >= 2 && parts.some(({ kind }) => kind === 'connector'))
  const blocks: Draft[] = []
  const done = new Set<Part>()
  const emit = (part: Part): void => {
    if (done.has(part)) return
    done.add(part)
    if (isDrawing && isLoose(part) && !heads.has(part)) {
      for (const each of loose) done.add(each)
      blocks.push(drawingOf(loose.filter(isLoose)))
      return
    }
    const below = part.kind === 'text' ? heads.get(part) : undefined
    if (below === undefined || done.has(below)) return void blocks.push(...partBlocks(part))
    blocks.push({ kind: 'heading', level: 3, text: wordsOf({ paragraphs: part.kind === 'text' ? part.paragraphs : [] }), ...boxesOf(part) })
    emit(below)
  }
  for (const part of parts) emit(part)
  return blocks
}

const boxesOf = ({ box }: Placed): { boxes?: readonly Box[] } => (box === undefined ? {} : { boxes: [box] })

function drawingOf(labels: readonly TextPart[]): Draft {
  const boxes = labels.flatMap(({ box }) => box ?? [])
  return {
    kind: 'figure',
    shows: 'diagram',
    labels: labels.map((part) => ({ text: wordsOf(part), ...boxesOf(part) })),
    ...(boxes.length > 0 && { boxes: labels.flatMap(({ box }) => (box === undefined ? [] : [box])) }),
  }
}

function partBlocks(part: Part): Draft[] {
  switch (part.kind) {
    case 'text':
      // A letter or a number in a badge.
      if (part.placeholder === undefined && hasWords(part) && wordsOf(part).length <= 3) return [drawingOf([part])]
      return blocksOf(part.paragraphs, { ...boxesOf(part), isBody: bodyPlaceholders.has(part.placeholder ?? '') })
    case 'table':
      return tableBlocks(part)
    case 'chart':
      return chartBlocks(part.chart, part)
    case 'diagram': {
      const items = part.items.map((item) => ({ ...item, ...boxesOf(part) }))
      if (items.length > 0) return [{ kind: 'list', items }]
      return part.alt === undefined ? [] : [{ kind: 'figure', shows: 'diagram', labels: [], alt: { text: part.alt }, ...boxesOf(part) }]
    }
    case 'picture': {
      const caption = part.video === undefined || part.video === '' ? undefined : { text: part.video }
      if (part.alt === undefined && caption === undefined) return []
      const alt = part.alt === undefined ? {} : { alt: { text: part.alt, ...boxesOf(part) } }
      return [
        { kind: 'figure', shows: 'picture', labels: [], ...(part.alt === undefined && caption && { caption }), ...alt, ...boxesOf(part) },
      ]
    }
    case 'connector':
      return []
  }
}

function chartBlocks(
  { title, axes, data }: { title: string; axes: readonly string[]; data?: ChartData },
  part: Placed & { alt?: string },
): Draft[] {
  const caption: Words | undefined = title === '' ? undefined : { text: title }
  if (caption === undefined && axes.length === 0 && data === undefined && part.alt === undefined) return []
  return [
    {
      kind: 'figure',
      shows: 'chart',
      labels: axes.map((text) => ({ text })),
      ...(data && { data }),
      ...(caption && { caption }),
      ...(part.alt !== undefined && { alt: { text: part.alt } }),
      ...boxesOf(part),
    },
  ]
}

/** A table of one column or one row is a way to lay out text. */
function tableBlocks({ rows, hasHeader }: Extract<Part, { kind: 'table' }>): Draft[] {
  const held = rows.filter((row) => row.some(({ paragraphs }) => paragraphs.length > 0))
  const columns = Math.max(0, ...held.map((row) => row.length))
  const used = Array.from({ length: columns }, (_, at) => held.some((row) => (row[at]?.paragraphs.length ?? 0) > 0))
  const kept = held.map((row) => row.filter((_, at) => used[at] === true))
  if (held.length <= 1 || used.filter(Boolean).length <= 1) {
    return kept.flat().flatMap((cell) => blocksOf(cell.paragraphs, { ...boxesOf(cell), isBody: true }))
  }
  const [first = []] = kept
  const isBold = (row: readonly CellPart[]) => row.every(({ paragraphs }) => paragraphs.every((each) => each.isBold))
  const isHeader = hasHeader || (isBold(first) && !kept.slice(1).every(isBold))
  return [{ kind: 'table', hasHeader: isHeader, rows: kept.map((row) => row.map((cell) => ({ text: cellText(cell), ...boxesOf(cell) }))) }]
}

function cellText({ paragraphs }: CellPart): string {
  const isList = paragraphs.length > 1 && paragraphs.every(({ bullet }) => bullet !== 'none')
  return withoutLeader(paragraphs.map(({ text }) => text).join(isList ? '; ' : ' '))
}

/** The dots that lead the eye from a heading to its page. */
function withoutLeader(text: string): string {
  let end = text.length
  while (end > 0 && /[.…\s]/.test(text.charAt(end - 1))) end--
  return text.length - end > 3 ? text.slice(0, end) : text
}
