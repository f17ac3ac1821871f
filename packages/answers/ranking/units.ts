// Cuts public content into the pieces that are compared with a question and quoted in an answer: a bullet of a slide, a sentence of a
// passage. Units are grouped into chunks of at most 2,000 characters, the documents of the ranking.
import { isSure, piecesOf } from '@rostrum/deck/block'
import type { Block } from '@rostrum/contract/block'
import type { DeckContent, Passage, SlideText } from '@rostrum/contract/content'
import type { Source } from '@rostrum/contract/room'
import { sentenceSpans } from '@rostrum/deck/sentences'

/** Of a unit in the blocks of its slide. */
export interface Place {
  /** -1: the title. */
  block: number
  /** Which piece of the block; of a paragraph, an offset in its text. */
  piece: number
}

export interface Unit {
  /** Verbatim: `source text.slice(start, end)`. */
  text: string
  start: number
  end: number
  /** Words that belong to the unit although they stand elsewhere: slide title, parent bullet, passage title. */
  context: string
  /** In a slide. */
  place?: Place
}

export interface Chunk {
  source: Source
  title: string
  units: Unit[]
}

const chunkMax = 2_000
const unitMax = 600

function chunksOf(source: Source, title: string, units: readonly Unit[]): Chunk[] {
  const chunks: Chunk[] = []
  let current: Unit[] = []
  let size = 0
  for (const unit of units) {
    if (current.length > 0 && size + unit.text.length > chunkMax) {
      chunks.push({ source, title, units: current })
      current = []
      size = 0
    }
    current.push(unit)
    size += unit.text.length
  }
  if (current.length > 0) chunks.push({ source, title, units: current })
  return chunks
}

/** Spans of at most `unitMax` characters, cut at white space where a "sentence" runs on without a stop. */
function boundedSpans(text: string): { start: number; end: number }[] {
  return sentenceSpans(text).flatMap(({ start, end }) => {
    const pieces: { start: number; end: number }[] = []
    let from = start
    while (end - from > unitMax) {
      const space = text.lastIndexOf(' ', from + unitMax)
      const to = space > from + unitMax / 2 ? space : from + unitMax - (isHighSurrogate(text, from + unitMax - 1) ? 1 : 0)
      pieces.push({ start: from, end: to })
      from = text[to] === ' ' ? to + 1 : to
    }
    pieces.push({ start: from, end })
    return pieces
  })
}

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xd800 && code <= 0xdbff
}

/** No slide that can be read has more; what is not indexed is not answered from. */
const unitsMost = 400
/** Of a line that others are indented under: words behind these are no heading. */
const parentMax = 300

/** A title is a unit of its own where something stands under it, or where it says something by itself. */
function slideChunks(slide: SlideText): Chunk[] {
  const units: Unit[] = []
  const parents: string[] = []
  const unsure: string[] = []
  for (const [block, each] of slide.blocks.entries()) {
    for (const [piece, words] of piecesOf(each).entries()) {
      const { text, start, end } = words
      // Half of what such words say is wrong: they lead to the slide, and nobody is told them.
      if (!isSure(words)) {
        unsure.push(text)
        continue
      }
      const level = each.kind === 'list' ? (each.items[piece]?.level ?? 0) + 1 : 1
      parents.length = Math.min(parents.length, each.kind === 'heading' ? 0 : level)
      const context = [slide.title, ...parents, ...headerOf(each, piece)].join('\n')
      if (each.kind === 'list' || each.kind === 'heading') parents[each.kind === 'list' ? level : 0] = text.slice(0, parentMax)
      // Words that were joined from several lines stand in the slide with their line ends: quoted whole.
      const isVerbatim = slide.text.startsWith(text, start)
      for (const span of boundedSpans(text).slice(0, unitsMost - units.length)) {
        const place = { block, piece: each.kind === 'paragraph' ? span.start : piece }
        const at = isVerbatim ? { start: start + span.start, end: start + span.end } : { start, end }
        units.push({ text: text.slice(span.start, span.end), ...at, context, place })
      }
    }
  }
  const at = slide.text.indexOf(slide.title)
  if (slide.title !== '' && at >= 0)
    units.push({
      text: slide.title,
      start: at,
      end: at + slide.title.length,
      context: unsure.join('\n').slice(0, chunkMax),
      place: { block: -1, piece: 0 },
    })
  return chunksOf({ type: 'slide', id: slide.id, index: slide.index }, slide.title, units)
}

/** The names of the row and the column of a cell. */
function headerOf(block: Block, piece: number): string[] {
  if (block.kind !== 'table') return []
  let at = piece
  for (const [index, row] of block.rows.entries()) {
    if (at >= row.length) {
      at -= row.length
      continue
    }
    const names = [row[0]?.text, block.hasHeader && index > 0 ? block.rows[0]?.[at]?.text : undefined]
    return names.filter((name) => name !== undefined)
  }
  return []
}

function passageChunks(passage: Passage): Chunk[] {
  const context = passage.title ?? ''
  const units = boundedSpans(passage.content).map(({ start, end }) => ({ text: passage.content.slice(start, end), start, end, context }))
  return chunksOf({ type: 'knowledge', id: passage.id, index: passage.index }, context, units)
}

/** The chunks of a deck, source by source: slides first, in order. */
export function* chunksBySource({ slides, passages }: Pick<DeckContent, 'slides' | 'passages'>): Generator<Chunk[]> {
  for (const slide of slides) yield slideChunks(slide)
  for (const passage of passages) yield passageChunks(passage)
}
