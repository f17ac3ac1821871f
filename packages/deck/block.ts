// What a slide says, as its reader saw it: blocks in reading order, each with its place on the page. Script, retrieval, answers and
// screens read blocks; nobody takes the text of a slide apart again. Everything here is public: notes are no block.
import type { Block, BlockOf, Draft, Piece, TitleFrom, Words } from '@rostrum/contract/block'
import type { Box } from '@rostrum/contract/deck'
import { inEveryLanguage } from '@rostrum/languages/languages'
import { lazily } from '@rostrum/base/work'

/** What a reader makes of a page. */
export interface PageDraft {
  title: string
  titleFrom: TitleFrom
  /** Guessed from little, so that its owner should look. */
  isTitleSure: boolean
  /** Below the title. */
  blocks: readonly Draft[]
  /** Running headers and footers, page numbers, dates, brand lines: never said, never searched. */
  furniture: readonly string[]
}

/** What is kept of it beside title and text. */
export interface Reading extends Pick<PageDraft, 'titleFrom' | 'isTitleSure' | 'furniture'> {
  blocks: readonly Block[]
  /** The host wrote the text in the place of what was read. */
  isCorrected?: true
  /** Its fonts tell wrong letters: none of them was kept. */
  isGarbled?: true
}

/** Reads the column; only our own JSON is ever written to it. */
export const readReading = (column: string): Reading => JSON.parse(column) as Reading

/** Words that may be shown as the slide's own: quoted in answers, taken for a title. Others help search and nothing else. */
export const isSure = ({ confidence = 1 }: Words): boolean => confidence >= 0.75

/** Letters and figures. */
export const lettersOf = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0

const dateWords = lazily(() => new Set(['de', 'del', 'of', ...inEveryLanguage(({ values }) => [...values.months, ...values.weekdays])]))

/** "October 12, 2021", "15.06.2021", and no more. */
export const isDate = (text: string): boolean =>
  /(?:19|20)\d\d/u.test(text) &&
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[\s,./–-]+/u)
    .every((word) => /^\d{0,4}(?:st|nd|rd|th|er|º|[年月日])?$/u.test(word) || dateWords().has(word))

/** By letters; undefined where there are none. */
export function meanConfidence(words: readonly { text: string; confidence: number }[]): number | undefined {
  const known = words.reduce((sum, { text }) => sum + lettersOf(text), 0)
  return known === 0 ? undefined : words.reduce((sum, { text, confidence }) => sum + confidence * lettersOf(text), 0) / known
}

/** How sure the recognition is of the words that it gave, by their letters; undefined where all words are the document's own. */
export function confidenceOf({ blocks, titleFrom }: Reading): number | undefined {
  const seen = blocks
    .flatMap((block) => piecesOf(block))
    .filter((piece): piece is typeof piece & { confidence: number } => piece.confidence !== undefined)
  const mean = meanConfidence(seen)
  return mean === undefined ? (titleFrom === 'recognised' ? 1 : undefined) : Math.round(mean * 100) / 100
}

/** The block with those of its words that `keep` wants; undefined where none are left. A table, and what is called or described, stays. */
export function withWords<W>(block: BlockOf<W>, keep: (words: W) => boolean): BlockOf<W> | undefined {
  switch (block.kind) {
    case 'list': {
      const items = block.items.filter(keep)
      return items.length === 0 ? undefined : { ...block, items }
    }
    case 'figure': {
      const labels = block.labels.filter(keep)
      const isEmpty = labels.length === 0 && block.labels.length > 0 && block.boxes === undefined && block.data === undefined
      return isEmpty ? undefined : { ...block, labels }
    }
    case 'table':
      return block
    case 'heading':
    case 'paragraph':
    case 'code':
    case 'quote':
    case 'link':
      return keep(block) ? block : undefined
  }
}

/** Every piece of words of a block, in reading order. */
export function piecesOf<W>(block: BlockOf<W>): readonly W[] {
  switch (block.kind) {
    case 'list':
      return block.items
    case 'table':
      return block.rows.flat()
    case 'figure':
      return [block.caption, ...block.labels, block.alt].filter((piece) => piece !== undefined)
    case 'heading':
    case 'paragraph':
    case 'code':
    case 'quote':
    case 'link':
      return [block]
  }
}

// Where a sentence stands on its slide, as a room is told: few numbers of few digits, since ten thousand people get them with it.

/** More parts than these are lit as the one area around them. */
const partsMost = 6
/** Light on nearly all of a slide shows nothing. */
const shareMost = 0.8

/** Lines that stand together are one part. Undefined where there is nothing to light. */
export function litRegion(boxes: readonly Box[]): Box[] | undefined {
  const parts: Box[] = []
  for (const box of boxes.toSorted((a, b) => a[1] - b[1] || a[0] - b[0])) {
    const at = parts.findIndex((part) => isNextTo(part, box))
    const part = parts[at]
    if (part === undefined) parts.push(box)
    else parts[at] = around([part, box])
  }
  const few = parts.length > partsMost ? [around(parts)] : parts
  const share = few.reduce((sum, [, , width, height]) => sum + width * height, 0)
  return few.length === 0 || share > shareMost ? undefined : few.map(rounded)
}

/** The lines of a slide on which the words from `start` to `end` of its text stand. */
export function boxesAt(blocks: readonly Block[], start: number, end: number): Box[] {
  return blocks.flatMap(piecesOf).flatMap(({ boxes = [], start: from, end: to }) => {
    if (from >= end || to <= start || to <= from) return []
    // A piece of several lines: those that hold its part, as if all were equally long.
    const first = Math.floor((Math.max(0, start - from) / (to - from)) * boxes.length)
    const last = Math.ceil((Math.min(to - from, end - from) / (to - from)) * boxes.length)
    return boxes.slice(first, last)
  })
}

/** Below it, above it or beside it, with less than a line between them, and over the same width. */
function isNextTo([x, y, width, height]: Box, [left, top, wide, high]: Box): boolean {
  const gap = Math.max(top - (y + height), y - (top + high))
  const shared = Math.min(x + width, left + wide) - Math.max(x, left)
  return gap < 0.75 * Math.min(high, height) && shared > 0.3 * Math.min(width, wide)
}

function around(boxes: readonly Box[]): Box {
  const x = Math.min(...boxes.map(([left]) => left))
  const y = Math.min(...boxes.map(([, top]) => top))
  return [
    x,
    y,
    Math.max(...boxes.map(([left, , width]) => left + width)) - x,
    Math.max(...boxes.map(([, top, , height]) => top + height)) - y,
  ]
}

/** A thousandth of a slide is a pixel and a half. */
const rounded = ([x, y, width, height]: Box): Box => [thousandth(x), thousandth(y), thousandth(width), thousandth(height)]
const thousandth = (share: number): number => Math.round(Math.min(1, Math.max(0, share)) * 1_000) / 1_000

/** So many words standing alone are what is written in a drawing, beside which its sentences count. */
const labelsOfDrawing = 4
const labelChars = 32
/** Of a script without spaces each character says as much as three letters. */
const wideCharacter = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu
const isShort = ({ text }: Words): boolean => text.replace(wideCharacter, '...').length <= labelChars

/** Says something by itself, or is a list of points: more than a label. */
export const isSaying = (block: Block): boolean =>
  block.kind === 'list' || block.kind === 'quote' || (block.kind === 'paragraph' && !isShort(block))

/** What is written in the drawing that `blocks` hold where its reader found its words alone; none where there is no drawing. */
export function drawnWords(blocks: readonly Block[]): ReadonlySet<Piece> {
  const alone = blocks.flatMap((block, at) =>
    block.kind === 'paragraph' && isShort(block) && !/[\d.!?:。！？：]/u.test(block.text) ? [{ block, next: blocks[at + 1] }] : [],
  )
  if (alone.length < labelsOfDrawing) return new Set()
  return new Set(alone.filter(({ block, next }) => next === undefined || !isHead(block, next)).map(({ block }) => block))
}

/** Right above what it is the head of, and beginning where that does. */
function isHead({ boxes }: Words, next: Block): boolean {
  const [left, top, , height] = boxes?.[0] ?? []
  const [nextLeft, nextTop] = piecesOf<Words>(next)[0]?.boxes?.[0] ?? []
  if (!isSaying(next) || left === undefined || top === undefined || nextLeft === undefined || nextTop === undefined) return false
  return Math.abs(nextLeft - left) < 0.05 && nextTop > top && nextTop - top < (height ?? 0) * 2.5
}
