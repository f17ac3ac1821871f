// What is said of a place that was found: never a heading alone but what stands under it, a list whole, a row by its column names, a
// piece of a drawing by its labels. Cut from the slide by offsets and cited; only stops, commas and the words before a colon are ours.
import { everyWord } from '@rostrum/languages/languages'
import { lazily } from '@rostrum/base/work'
import { drawnWords, isSaying, isSure, piecesOf } from '@rostrum/deck/block'
import type { Block, Piece } from '@rostrum/contract/block'
import type { SlideText } from '@rostrum/contract/content'
import { sentenceSpans } from '@rostrum/deck/sentences'
import { withoutPlace } from '@rostrum/telling/spoken-words'
import type { Wish } from './intents.ts'
import { asksForDefinition } from './ranking/general-questions.ts'
import type { Place } from './ranking/units.ts'

/** Lines that number themselves from one without a gap ("Step 1", "A01:2025"), by what stands before the number. */
export function numbered<T>(lines: readonly T[], textOf: (line: T) => string, label: RegExp, fewest: number) {
  const found = lines.flatMap((line) => {
    const [, before, number] = label.exec(textOf(line)) ?? []
    return before === undefined ? [] : [{ before, line, number: Number(number) }]
  })
  return [...Map.groupBy(found, ({ before }) => before)]
    .filter(([, run]) => run.length >= fewest && run.every(({ number }, at) => number === at + 1))
    .map(([before, run]) => ({ before, run: run.map(({ line }) => line) }))
}

const runFewest = 3
const runLabel = /^(\D{0,10}|\d{4} ?[-–:] ?\p{L}{0,3})(\d{1,2})(?!\d)/u

/**
 * Lines that number themselves wherever they stand are a list, but for labels of a drawing: that which `place` is a line of, or a title
 * stands over where it is most of the slide; of a paragraph, `piece` is an offset.
 */
function numberedAt(blocks: readonly Block[], place: Place): Piece[] {
  const lines = blocks.flatMap((each, block) =>
    each.kind === 'figure' || each.kind === 'code' ? [] : piecesOf(each).map((piece, index) => ({ piece, block, index })),
  )
  const isAt = ({ block, index }: (typeof lines)[number]) =>
    block === place.block && (index === place.piece || blocks[block]?.kind === 'paragraph')
  const sure = lines.filter(({ piece }) => isSure(piece))
  const runs = numbered(sure, ({ piece }) => piece.text, runLabel, runFewest)
  return runs.find(({ run }) => (place.block < 0 ? run.length * 2 >= lines.length : run.some(isAt)))?.run.map(({ piece }) => piece) ?? []
}

/** A sentence, and where in the slide it stands. */
export interface Told {
  text: string
  start: number
  end: number
}

const itemsMost = 12
const listCharsMost = 700
const bodyCharsMost = 420
const rowsMost = 6
const labelsMost = 8
/** An item of more words is a sentence of its own. */
const longItem = 60
const headingWords = 6

const stop = (language: string) => (/^(?:zh|ja)/.test(language) ? '。' : '.')

/** Begins and ends as a sentence; nothing else of the words is changed. "iPhone", "f(x)" and "npm:" are written as they are. */
export function asSentence(words: string, language: string): string {
  const plain = words.replace(/\s+/gu, ' ').trim()
  const text = /^\p{Ll}[\p{Ll}'’-]*[ ,]/u.test(plain) ? capital(plain, language) : plain
  return /[.!?…。！？؟][)"'”’»」』]{0,3}$/u.test(text) ? text : `${text.replace(/[:：;；,，、]$/u, '')}${stop(language)}`
}

const capital = (text: string, language: string) => text.charAt(0).toLocaleUpperCase(language) + text.slice(1)
const joined = (items: readonly string[], language: string) => new Intl.ListFormat(language, { type: 'conjunction' }).format(items)
const bare = (text: string) => text.replace(/\s+/gu, ' ').replace(/[.;,:：。；，、\s]{1,3}$/u, '')
/** What a list goes on from: "We sell:", "a foundation of another kind…". */
const opensList = (text: string) => /(?:[:：…]|\.{3})\s*$/u.test(text)
const isQuestion = (text: string) => /[?？؟]\s*$/u.test(text)
const says = (text: string) => /[\p{L}\p{N}]/u.test(text)

/** Words before a colon: a title or what opens a list; a question opens nothing, unless it names what it asks ("Asset maps: where?"). */
export function led(lead: string, words: string, language: string): string {
  const opening = bare(lead)
  if (isQuestion(lead) && /[:：] /u.test(lead)) return `${opening} ${asSentence(capital(words, language), language)}`
  if (opening === '' || isQuestion(lead) || asksForDefinition(lead)) return asSentence(capital(words, language), language)
  return asSentence(`${opening}${/^(?:zh|ja)/.test(language) ? '：' : ': '}${words}`, language)
}

/** What is told of `place` in `slide`; empty where it is a heading over nothing. */
export function tell(slide: SlideText, place: Place, wish: Wish, language: string): Told[] {
  const { blocks } = slide
  const run = wish === 'list' ? numberedAt(blocks, place) : []
  if (run.length > 0) return tellList(lifted(run), withoutPlace(slide.title), language)
  if (place.block < 0) return blocks.length > 0 ? tellBody(blocks, withoutPlace(slide.title), wish, language) : tellTitle(slide, language)
  const block = blocks[place.block]
  if (block === undefined) return []
  switch (block.kind) {
    case 'heading':
      // "Price: 5,000 EUR" in large letters is a statement.
      if (/[:：].{0,20}\d/u.test(block.text)) return [toldOf(block, language)]
      return tellSection(block, blocks.slice(place.block + 1, sectionEnd(blocks, place.block)), wish, language)
    case 'paragraph':
      return tellParagraph(blocks, place, wish, language)
    case 'list':
      return tellItem(slide, place.block, block, place.piece, wish, language)
    case 'table':
      return tellRow(block, rowAt(block, place.piece), language, block.rows.flat()[place.piece])
    case 'figure':
      return tellFigure(block, leadOf(slide, place.block), language)
    case 'code':
    case 'quote':
    case 'link':
      return [toldOf(block, language)]
  }
}

const toldOf = ({ text, start, end }: Piece, language: string): Told => ({ text: asSentence(text, language), start, end })

/** Words and a figure after them: "Revenue 12 million euro". */
const isNamedFigure = (text: string): boolean => {
  const first = text.search(/\p{L}/u)
  return first !== -1 && /\d/.test(text.slice(first))
}

/** Of "Revenue 12 million euro" in large letters the figure is what was asked for; it is said before what stands under it. */
function tellSection(heading: Extract<Block, { kind: 'heading' }>, body: readonly Block[], wish: Wish, language: string): Told[] {
  const told = tellBody(body, heading.text, wish, language)
  const isSaid = told.some(({ text }) => text.startsWith(bare(heading.text)))
  return isNamedFigure(heading.text) && told.length > 0 && !isSaid ? [toldOf(heading, language), ...told] : told
}

/** All that a slide of a title alone says. */
function tellTitle({ title, text }: SlideText, language: string): Told[] {
  const start = title === '' ? -1 : text.indexOf(title)
  return start < 0 ? [] : [{ text: asSentence(title, language), start, end: start + title.length }]
}

/** Where the section of the heading at `at` ends. */
function sectionEnd(blocks: readonly Block[], at: number): number {
  const heading = blocks[at]
  const level = heading?.kind === 'heading' ? heading.level : 0
  const next = blocks.findIndex((block, place) => place > at && block.kind === 'heading' && block.level <= level)
  return next < 0 ? blocks.length : next
}

/** What a block stands under: the paragraph with a colon before it, its heading, or the title. */
export function leadOf(slide: SlideText, at: number): string {
  const before = slide.blocks[at - 1]
  if (before?.kind === 'paragraph' && opensList(before.text)) return before.text
  const heading = slide.blocks.slice(0, at).findLast((block) => block.kind === 'heading')
  return heading?.kind === 'heading' ? heading.text : withoutPlace(slide.title)
}

function tellBody(body: readonly Block[], lead: string, wish: Wish, language: string): Told[] {
  const headings = body.filter((block) => block.kind === 'heading')
  if (wish === 'list' && headings.length >= 2) return [tellSeries(headings, lead, language)]
  const isDrawing = drawnWords(body).size > 0
  const hasStatements = body.some(isSaying)
  if (isDrawing && !hasStatements && headings.length >= 2) return [tellSeries(headings, lead, language)]
  const told: Told[] = []
  let chars = 0
  for (const [at, block] of body.entries()) {
    if (
      openingOf(block, body[at + 1], language) !== undefined ||
      block.kind === 'heading' ||
      block.kind === 'link' ||
      block.kind === 'code'
    )
      continue
    if (isDrawing && hasStatements && !isSaying(block)) continue
    const before = body[at - 1]
    const opening = before?.kind === 'heading' ? before.text : before && openingOf(before, block, language)
    // A heading is said once.
    const next = tellBlock(block, opening ?? (told.some(({ text }) => text.startsWith(`${bare(lead)}:`)) ? '' : lead), language)
    const size = next.reduce((sum, { text }) => sum + text.length, 0)
    if (told.length > 0 && (chars + size > bodyCharsMost || (wish === 'list' && block.kind !== 'list'))) break
    told.push(...next)
    chars += size
  }
  return told
}

/** The words of `block` that the list behind it stands under: a line with a colon, or a label that is a list of its own. */
function openingOf(block: Block, next: Block | undefined, language: string): string | undefined {
  if (next?.kind !== 'list') return undefined
  if (block.kind === 'paragraph') return opensList(block.text) ? block.text : undefined
  return block.kind === 'list' && isOpening(block, language) && !isOpening(next, language) ? block.items[0]?.text : undefined
}

function tellBlock(block: Block, lead: string, language: string): Told[] {
  switch (block.kind) {
    case 'list':
      return tellList(nested(block.items), lead, language)
    case 'table':
      return tellTable(block, language)
    case 'figure':
      return tellFigure(block, lead, language)
    case 'paragraph':
    case 'quote':
      return says(block.text) ? sentencesOf(block, language) : []
    case 'heading':
    case 'code':
    case 'link':
      return []
  }
}

function sentencesOf({ text, start, end }: Piece, language: string): Told[] {
  const told: Told[] = []
  for (const span of sentenceSpans(text)) {
    const words = text.slice(span.start, span.end)
    if (says(words)) told.push({ text: asSentence(words, language), start, end })
    if (told.reduce((sum, each) => sum + each.text.length, 0) > bodyCharsMost) break
  }
  return told
}

type Item = Piece & { level: number }

/** "The usual types:" among the items stands over those behind it. */
export function nested(items: readonly Item[]): readonly Item[] {
  let opened: number | undefined
  return items.map((item, at) => {
    const isOpening = /[:：]\s*$/u.test(item.text) && items[at + 1]?.level === item.level
    if (opened !== undefined && item.level < opened) opened = undefined
    if (isOpening) opened = item.level
    return opened === undefined || isOpening ? item : { ...item, level: item.level + 1 }
  })
}

const groupsMost = 4

/** A few lines that each stand over others say nothing without them. */
function tellGroups(items: readonly Item[], language: string): Told[] {
  const groups = items.flatMap((item, at) => (item.level === 0 && says(item.text) ? [{ item, under: childrenOf(items, at) }] : []))
  const chars = groups.reduce((sum, { item, under }) => under.reduce((all, { text }) => all + text.length, sum + item.text.length), 0)
  const isWhole = groups.length <= groupsMost && chars <= listCharsMost && groups.filter(({ under }) => under.length > 0).length > 1
  if (!isWhole) return []
  return groups.map(({ item, under }) =>
    under.length === 0 ? toldOf(item, language) : { ...tellSeries(under, item.text, language), start: item.start },
  )
}

function tellList(items: readonly Item[], lead: string, language: string): Told[] {
  const top = items.filter(({ level, text }) => level === 0 && says(text))
  const chars = top.reduce((sum, { text }) => sum + text.length, 0)
  const [only, ...others] = top
  if (only === undefined) return []
  const under = others.length === 0 ? childrenOf(items, items.indexOf(only)) : []
  if (under.length > 0) return tellList(lifted(under), only.text, language)
  const groups = tellGroups(items, language)
  if (groups.length > 0) return groups
  if (chars / top.length <= longItem && chars <= listCharsMost && top.length <= itemsMost) return [tellSeries(top, lead, language)]
  const told: Told[] = []
  for (const [at, item] of top.entries()) {
    if (told.reduce((sum, { text }) => sum + text.length, 0) + item.text.length > listCharsMost && told.length > 1) break
    told.push(at === 0 ? { ...toldOf(item, language), text: led(lead, bare(item.text), language) } : toldOf(item, language))
  }
  return told
}

/** Several pieces in one sentence. */
export function tellSeries(pieces: readonly Piece[], lead: string, language: string): Told {
  const items = pieces.map((piece) => bare(piece.text))
  // Questions side by side keep their marks, and no comma follows them.
  const text = led(lead, items.every(isQuestion) ? items.join(' ') : joined(items, language), language)
  return { text, start: pieces[0]?.start ?? 0, end: pieces.at(-1)?.end ?? 0 }
}

function tellParagraph(blocks: readonly Block[], { block: at, piece }: Place, wish: Wish, language: string): Told[] {
  const block = blocks[at]
  if (block?.kind !== 'paragraph') return []
  const next = blocks[at + 1]
  // "Steps in the model", before its list, ends in nothing.
  const isOpened = opensList(block.text) || (wish === 'list' && !/[.!?。！？]\s*$/u.test(block.text))
  if (next?.kind === 'list' && isOpened) return tellBlock(next, block.text, language)
  const below = tellBelow(blocks, at, block.text, wish, language)
  if (below.length > 0) return below
  if (/[:：]\s*$/u.test(block.text) && next !== undefined && next.kind !== 'heading') return []
  const spans = sentenceSpans(block.text)
  const chosen = spans.findIndex(({ start, end }) => piece >= start && piece < end)
  const from = Math.max(0, chosen)
  // A sentence that leans on the one before it, or gives only half a reason, comes with its neighbour.
  const first = from > 0 && leansBack(block.text.slice(spans[from]?.start, spans[from]?.end)) ? from - 1 : from
  const goesOn = wish === 'reason' || wish === 'procedure' || isQuestion(block.text.slice(spans[from]?.start, spans[from]?.end))
  const last = goesOn ? Math.min(from + 1, spans.length - 1) : from
  const before = blocks[at - 1]
  const back = from === 0 && before?.kind === 'paragraph' && leansBack(block.text) ? sentencesOf(before, language).slice(-1) : []
  const own = spans.slice(first, last + 1).map(({ start, end }) => ({
    text: asSentence(block.text.slice(start, end), language),
    start: block.start,
    end: block.end,
  }))
  return [...back, ...own]
}

/** What stands below a line that says nothing without it: behind a colon the next block, below a label all up to the next one. */
function tellBelow(blocks: readonly Block[], at: number, text: string, wish: Wish, language: string): Told[] {
  const next = blocks[at + 1]
  if (next === undefined || next.kind === 'heading') return []
  if (/[:：]\s*$/u.test(text)) {
    if (next.kind === 'code') return [{ ...toldOf(next, language), text: led(text, next.text, language) }]
    return tellBlock(next, text, language)
  }
  if (!isHeadingLike(text, language)) return []
  const end = blocks.findIndex((each, place) => place > at && isOpening(each, language))
  return tellBody(blocks.slice(at + 1, end < 0 ? undefined : end), text, wish, language)
}

/** A line of a few words that ends in nothing, or a question that the slide goes on to answer. */
function isHeadingLike(text: string, language: string): boolean {
  return isQuestion(text) || (!/[.!…。！;；,，]\s*$/u.test(text) && countOf(text, language) <= headingWords)
}

function isOpening(block: Block, language: string): boolean {
  const line = block.kind === 'list' && block.items.length === 1 ? block.items[0] : block.kind === 'paragraph' ? block : undefined
  return block.kind === 'heading' || (line !== undefined && isHeadingLike(line.text, language))
}

const back = lazily(() => new RegExp(`^(?:${everyWord(({ words }) => words.back)})(?![a-z])`, 'u'))
const leansBack = (text: string) => /^[^\p{Ll}]/u.test(text) && back().test(text.toLowerCase())

/** Fewer words are only half of what is meant: the words above them say the rest. */
const wholeWords = 5
const countOf = (text: string, language: string) =>
  [...new Intl.Segmenter(language, { granularity: 'word' }).segment(text)].filter(({ isWordLike }) => isWordLike).length

function tellItem(slide: SlideText, at: number, block: Block, piece: number, wish: Wish, language: string): Told[] {
  if (block.kind !== 'list') return []
  const items = nested(block.items)
  const item = items[piece]
  if (item === undefined) return []
  if (wish === 'list') {
    const parentAt = items.slice(0, piece).findLastIndex(({ level }) => level < item.level)
    const parent = items[parentAt]
    const own = childrenOf(items, piece)
    if (own.length > 1) return tellList(lifted(own), item.text, language)
    if (parent !== undefined) return tellList(lifted(childrenOf(items, parentAt)), parent.text, language)
    return tellList(items, leadOf(slide, at), language)
  }
  const children = childrenOf(items, piece)
  if (children.length > 0) return tellList(lifted(children), item.text, language)
  const isLabel = items.length === 1 || (piece === items.length - 1 && /[:：]\s*$/u.test(item.text))
  const below = isLabel ? tellBelow(slide.blocks, at, item.text, wish, language) : []
  if (below.length > 0) return below
  const before = items[piece - 1]
  if (before?.level === item.level && leansBack(item.text)) return [toldOf(before, language), toldOf(item, language)]
  const parent = items.slice(0, piece).findLast(({ level }) => level < item.level)?.text ?? leadOf(slide, at)
  const isWhole = countOf(item.text, language) >= wholeWords || /[:：]/u.test(item.text) || parent === item.text
  if (isWhole) return [toldOf(item, language)]
  return [{ ...toldOf(item, language), text: led(parent, bare(item.text), language) }]
}

function childrenOf(items: readonly Item[], at: number): Item[] {
  const level = items[at]?.level ?? 0
  const end = items.findIndex((item, place) => place > at && item.level <= level)
  return items.slice(at + 1, end < 0 ? undefined : end).filter((item) => item.level === level + 1)
}

const lifted = (items: readonly Piece[]): Item[] => items.map((item) => ({ ...item, level: 0 }))

type Table = Extract<Block, { kind: 'table' }>

function rowAt({ rows }: Table, piece: number): number {
  let before = 0
  return rows.findIndex((row) => (before += row.length) > piece)
}

/** "Gold: tickets 4, price 3,000."; of a row that is too long to be said, the cell that was found. */
function tellRow({ rows, hasHeader }: Table, at: number, language: string, cell?: Piece): Told[] {
  const row = rows[at]
  if (row === undefined) return []
  if (cell !== undefined && row.reduce((sum, { text }) => sum + text.length, 0) > listCharsMost) return sentencesOf(cell, language)
  const header = hasHeader && at > 0 ? rows[0] : undefined
  const [name, ...cells] = row
  const parts = cells.flatMap(({ text }, place) => {
    const column = bare(header?.[place + 1]?.text ?? '')
    return says(text) ? [column === '' ? text : `${column} ${text}`] : []
  })
  const [first, last] = [row[0], row.at(-1)]
  if (first === undefined || last === undefined) return []
  const words = parts.length === 0 ? (name?.text ?? '') : parts.join(', ')
  return [
    { text: parts.length === 0 ? asSentence(words, language) : led(name?.text ?? '', words, language), start: first.start, end: last.end },
  ]
}

function tellTable(table: Table, language: string): Told[] {
  const from = table.hasHeader ? 1 : 0
  return table.rows.slice(from, from + rowsMost).flatMap((_row, at) => tellRow(table, at + from, language))
}

function tellFigure(figure: Extract<Block, { kind: 'figure' }>, lead: string, language: string): Told[] {
  const labels = figure.labels.filter(({ text }) => says(text)).slice(0, labelsMost)
  if (labels.length > 0) return [tellSeries(labels, lead, language)]
  const words = figure.alt ?? figure.caption
  return words === undefined ? [] : [toldOf(words, language)]
}
