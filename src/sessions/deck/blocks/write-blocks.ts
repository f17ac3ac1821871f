// Writes blocks out as the text of a slide (`textContent`), title first, in the Markdown that `parse-blocks.ts` reads: the same
// blocks come back.
import type { Block, ChartData, Draft, PageDraft, Piece, Reading, Words } from './block.ts'

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
