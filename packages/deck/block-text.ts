// Reads the text of a slide as people and `writeBlocks` write it: a title on the first line, then bullets (indented ones below
// their parent), Markdown's tables, code, quotes and links, and prose.
import type { PageDraft, Reading } from './block.ts'
import type { Block, ChartData, Draft, ListItem, Piece, Words } from '@rostrum/contract/block'

interface Line {
  raw: string
  /** Offset of the line in the text. */
  at: number
}

const bulletMark = /^(?:[-*+•‣▪▸►●○◦·–—・❏❑➢➤→✓✔]|\d{1,2}[.)]|[a-z][.)])\s+/u
const bareMark = /^[•‣▪▸►●○◦・❏❑➢➤]/u
const headingMark = /^(#{1,6})\s+/u
const separatorRow = /^\|?(?:\s{0,20}:?-{3,20}:?\s{0,20}\|){0,40}\s{0,20}(?::?-{3,20}:?)?\s{0,20}$/u
const label = /^\[([^[\]|]{1,200})\]$/u
const alt = /^!\[([^[\]]{1,1000})\]$/u
const linkLine = /^\[([^[\]]{1,500})\]\(([^()\s]{1,2000})\)$/u
const addressLine = /^(?:https?:\/\/|www\.)[^\s]{1,2000}$/u
const saysSomething = (text: string) => /[\p{L}\p{N}]/u.test(text)

/** A line of prose this long was wrapped where the next goes on in small letters. */
const wrappedMin = 45

/** The title a slide's text begins with: its first line that holds words, or an empty string. */
export function titleOf(text: string): string {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start)
    const { words } = stripped(text.slice(start, end < 0 ? undefined : end))
    if (saysSomething(words)) return words.replace(/\s+/gu, ' ').slice(0, 200)
    if (end < 0) break
    start = end + 1
  }
  return ''
}

/** The blocks below the title. A first line that repeats the title is left out; a title kept apart from the text loses nothing. */
export function parseBlocks(text: string, title: string): Block[] {
  const lines = linesOf(text)
  const first = lines.findIndex(({ raw }) => saysSomething(stripped(raw).words))
  const isTitle =
    first >= 0 &&
    stripped(lines[first]?.raw ?? '')
      .words.replace(/\s+/gu, ' ')
      .slice(0, 200) === title
  const blocks: Block[] = []
  for (let at = isTitle ? first + 1 : 0; at < lines.length;) at = readBlock(lines, at, blocks)
  return blocks
}

/** Of slides that came as text. */
export function parsedReading(text: string, title: string, titleFrom: 'given' | 'first_line'): Reading {
  return { titleFrom: title === '' ? 'none' : titleFrom, isTitleSure: true, blocks: parseBlocks(text, title), furniture: [] }
}

function linesOf(text: string): Line[] {
  let at = 0
  return text.split('\n').map((raw) => {
    const line = { raw, at }
    at += raw.length + 1
    return line
  })
}

function stripped(raw: string): { words: string; offset: number; isBullet: boolean; isOrdered: boolean } {
  const indent = raw.length - raw.trimStart().length
  const body = raw.trim()
  const mark = bulletMark.exec(body)?.[0] ?? bareMark.exec(body)?.[0] ?? ''
  const heading = headingMark.exec(body)?.[0] ?? ''
  const rest = body.slice(mark.length + heading.length)
  const words = rest.trimStart()
  return {
    words,
    offset: indent + mark.length + heading.length + (rest.length - words.length),
    isBullet: mark !== '',
    isOrdered: /^[\da-z]/u.test(mark),
  }
}

const piece = (text: string, start: number): Piece => ({ text, start, end: start + text.length })

/** Reads the block that begins on the line at `at`, and gives the line after it. */
function readBlock(lines: readonly Line[], at: number, into: Block[]): number {
  const line = lines[at]
  if (line === undefined) return at + 1
  const body = line.raw.trim()
  if (body.startsWith('```')) return readCode(lines, at, into)
  if (body.includes('|') && isTable(lines, at)) return readTable(lines, at, into)
  if (!saysSomething(body)) return at + 1
  if (label.test(body)) return readLabels(lines, at, into)
  const start = line.at + line.raw.indexOf(body)
  const described = alt.exec(body)?.[1]
  if (described !== undefined) {
    into.push({ kind: 'figure', shows: 'picture', labels: [], alt: piece(described, start + 2) })
    return at + 1
  }
  const link = linkLine.exec(body)
  if (link?.[1] !== undefined && link[2] !== undefined) {
    into.push({ kind: 'link', url: link[2], ...piece(link[1], start + 1) })
    return at + 1
  }
  if (addressLine.test(body)) {
    into.push({ kind: 'link', url: body, ...piece(body, start) })
    return at + 1
  }
  if (body.startsWith('>')) return readQuote(lines, at, into)
  const { isBullet, words, offset } = stripped(line.raw)
  const level = headingMark.exec(body)?.[1]?.length
  if (level !== undefined) {
    into.push({ kind: 'heading', level: Math.max(2, level), ...piece(words, line.at + offset) })
    return at + 1
  }
  return isBullet || isIndentedList(lines, at) ? readList(lines, at, into) : readParagraph(lines, at, into)
}

/** A line with lines indented below it is the parent of a list, bulleted or not. */
function isIndentedList(lines: readonly Line[], at: number): boolean {
  const [here, next] = [lines[at]?.raw ?? '', lines[at + 1]?.raw ?? '']
  return depthOf(here) > 0 || (saysSomething(next) && depthOf(next) > depthOf(here) && !next.trim().startsWith('```'))
}

function depthOf(raw: string): number {
  const indent = raw.slice(0, raw.length - raw.trimStart().length)
  return indent.replaceAll('\t', '  ').length
}

function readCode(lines: readonly Line[], at: number, into: Block[]): number {
  let end = at + 1
  while (end < lines.length && lines[end]?.raw.trim().startsWith('```') !== true) end++
  const held = lines.slice(at + 1, end)
  const text = held.map(({ raw }) => raw).join('\n')
  if (saysSomething(text)) into.push({ kind: 'code', ...piece(text, held[0]?.at ?? 0) })
  return Math.min(end + 1, lines.length)
}

const isRow = (line: Line | undefined) => line !== undefined && line.raw.includes('|') && line.raw.trim() !== '|'

/** Rows that begin with a bar, or that stand above a row of dashes. */
function isTable(lines: readonly Line[], at: number): boolean {
  const [here, next] = [lines[at], lines[at + 1]]
  if (!isRow(here)) return false
  return here?.raw.trim().startsWith('|') === true || (isRow(next) && separatorRow.test(next?.raw.trim() ?? ''))
}

function readTable(lines: readonly Line[], from: number, into: Block[]): number {
  let at = from
  let hasHeader = false
  const rows: Piece[][] = []
  for (; isRow(lines[at]); at++) {
    const line = lines[at]
    if (line === undefined) break
    if (separatorRow.test(line.raw.trim())) hasHeader ||= rows.length === 1
    else rows.push(cellsOf(line))
  }
  if (rows.some((row) => row.some(({ text }) => saysSomething(text)))) into.push({ kind: 'table', hasHeader, rows })
  return Math.max(at, from + 1)
}

function cellsOf({ raw, at }: Line): Piece[] {
  const cells: Piece[] = []
  let start = raw.trimStart().startsWith('|') ? raw.indexOf('|') + 1 : 0
  const end = raw.trimEnd().endsWith('|') ? raw.lastIndexOf('|') : raw.length
  while (start <= end) {
    const bar = raw.indexOf('|', start)
    const to = bar < 0 || bar > end ? end : bar
    const cell = raw.slice(start, to)
    cells.push(piece(cell.trim(), at + start + (cell.length - cell.trimStart().length)))
    start = to + 1
  }
  return cells
}

function readLabels(lines: readonly Line[], from: number, into: Block[]): number {
  const labels: Piece[] = []
  let at = from
  for (; ; at++) {
    const line = lines[at]
    const words = line && label.exec(line.raw.trim())?.[1]
    if (line === undefined || words === undefined) break
    labels.push(piece(words, line.at + line.raw.indexOf('[') + 1))
  }
  into.push({ kind: 'figure', shows: 'diagram', labels })
  return at
}

function readQuote(lines: readonly Line[], from: number, into: Block[]): number {
  let at = from
  while (lines[at]?.raw.trimStart().startsWith('>') === true) at++
  // Marks of the lines between stay out of what is said, so each line is a quote of its own where there are several.
  for (const { raw, at: start } of lines.slice(from, at)) {
    const words = raw.trimStart().slice(1).trim()
    if (saysSomething(words)) into.push({ kind: 'quote', ...piece(words, start + raw.indexOf(words)) })
  }
  return at
}

function readList(lines: readonly Line[], from: number, into: Block[]): number {
  const items: (Piece & ListItem)[] = []
  const open: number[] = []
  let at = from
  for (; at < lines.length; at++) {
    const line = lines[at]
    if (line === undefined) break
    const { words, offset, isBullet, isOrdered } = stripped(line.raw)
    if (!saysSomething(words)) {
      if (line.raw.trim() === '' && isBulletLine(lines[at + 1])) continue
      break
    }
    const depth = depthOf(line.raw)
    if (at > from && !isBullet && depth <= (open[0] ?? 0)) break
    while (open.length > 0 && (open.at(-1) ?? 0) >= depth) open.pop()
    items.push({ level: open.length, ...(isOrdered && { isOrdered: true }), ...piece(words, line.at + offset) })
    open.push(depth)
  }
  into.push({ kind: 'list', items })
  return at
}

const isBulletLine = (line: Line | undefined) => line !== undefined && stripped(line.raw).isBullet

function readParagraph(lines: readonly Line[], from: number, into: Block[]): number {
  const first = lines[from]
  if (first === undefined) return from + 1
  const start = first.at + (first.raw.length - first.raw.trimStart().length)
  let last = first
  let at = from + 1
  for (; goesOn(last, lines[at]); at++) last = lines[at] ?? last
  const text = lines
    .slice(from, at)
    .map(({ raw }) => raw.trim())
    .join(' ')
  into.push({ kind: 'paragraph', text, start, end: last.at + last.raw.trimEnd().length })
  return at
}

/** Prose that was wrapped by whoever pasted it. */
function goesOn(line: Line, next: Line | undefined): boolean {
  const words = next?.raw.trim() ?? ''
  return line.raw.length >= wrappedMin && /^\p{Ll}/u.test(words) && !/[.!?…:;]$/u.test(line.raw.trimEnd()) && !isBulletLine(next)
}

// Writes blocks out as the text of a slide (`textContent`), title first, in the Markdown that `parseBlocks` reads: the same
// blocks come back.

/** As much as a slide may hold (`textContent`). */
export const textMax = 20_000

export interface Written {
  title: string
  text: string
  reading: Reading
}

/** Blocks that no longer fit are left out whole; `isCut` where there are any. */
export function writeBlocks({ title, titleFrom, isTitleSure, blocks: drafts, furniture }: PageDraft): Written & { isCut: boolean } {
  let text = title
  let isCut = false
  const blocks: Block[] = []
  for (const draft of drafts) {
    const written = write(draft, text === '' ? 0 : text.length + 1)
    if (written.lines.length === 0) {
      // A picture without words has its place on the page all the same.
      if (written.block.kind === 'figure' && written.block.boxes !== undefined) blocks.push(written.block)
      continue
    }
    const next = `${text}${text === '' ? '' : '\n'}${written.lines.join('\n')}`
    if (next.length > textMax) {
      isCut = true
      continue
    }
    text = next
    blocks.push(written.block)
  }
  return { title, text, reading: { titleFrom, isTitleSure, blocks, furniture }, isCut }
}

interface WrittenBlock {
  block: Block
  lines: string[]
}

/** `from`: where its first line begins in the text. */
function write(draft: Draft, from: number): WrittenBlock {
  const lines: string[] = []
  let at = from
  const place = <W extends Words>(words: W, before = '', after = ''): W & Piece => {
    const start = at + before.length
    lines.push(`${before}${words.text}${after}`)
    at = start + words.text.length + after.length + 1
    return { ...words, start, end: start + words.text.length }
  }
  const line = (words: string) => {
    lines.push(words)
    at += words.length + 1
  }
  return { block: placed(draft, place, line), lines }
}

type Place = <W extends Words>(words: W, before?: string, after?: string) => W & Piece

function placed(draft: Draft, place: Place, line: (words: string) => void): Block {
  switch (draft.kind) {
    case 'heading':
      return place(draft, `${'#'.repeat(draft.level)} `)
    case 'paragraph':
      return place(draft)
    case 'list': {
      let number = 0
      const items = draft.items.map((item) => {
        number = item.isOrdered && item.level === 0 ? number + 1 : number
        return place(item, `${'  '.repeat(item.level)}${item.isOrdered ? `${item.level === 0 ? number : 1}.` : '-'} `)
      })
      return { ...draft, items }
    }
    case 'table':
      return { ...draft, rows: draft.rows.map((row, at) => placedRow(row, at === 0 && draft.hasHeader, place, line)) }
    case 'code': {
      line('```')
      const code = place(draft)
      line('```')
      return code
    }
    case 'quote':
      return place(draft, '> ', draft.by === undefined ? '' : ` (${draft.by})`)
    case 'link':
      return draft.text === draft.url ? place(draft) : place(draft, '[', `](${draft.url})`)
    case 'figure':
      return placedFigure(draft, place, line)
  }
}

function placedFigure(draft: Extract<Draft, { kind: 'figure' }>, place: Place, line: (words: string) => void): Block {
  const { caption, alt, ...figure } = draft
  const placedCaption = caption && place(caption)
  const labels = draft.labels.map((label) => place(label, '[', ']'))
  if (draft.data !== undefined) for (const row of rowsOf(draft.data)) line(`| ${row.join(' | ')}`)
  const placedAlt = alt && place(alt, '![', ']')
  return { ...figure, labels, ...(placedCaption && { caption: placedCaption }), ...(placedAlt && { alt: placedAlt }) }
}

/** The figures stand in the text for whoever reads or searches it; the block has them as data. */
function rowsOf({ categories, series }: ChartData): string[][] {
  return [['', ...categories], ...series.map(({ name, values }) => [name, ...values.map((value) => String(value ?? ''))])]
}

function placedRow(row: readonly Words[], isHeader: boolean, place: Place, line: (words: string) => void): Piece[] {
  // One line, built from its cells: their offsets follow from the lengths before them.
  const whole = { text: row.map(({ text }) => text).join(' | ') }
  let at = place(whole, '| ').start
  if (isHeader) line(`|${' --- |'.repeat(row.length)}`)
  return row.map((cell) => {
    const piece = { ...cell, start: at, end: at + cell.text.length }
    at = piece.end + 3
    return piece
  })
}
