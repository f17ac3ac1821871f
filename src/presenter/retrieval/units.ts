// Cuts public content into the pieces that are compared with a question and quoted in an answer: a bullet of a slide, a sentence of a
// passage. Units are grouped into chunks of at most 2,000 characters, the documents of the ranking.
import type { DeckContent, Passage, SlideText, SourceRef } from '../../decks/content.ts'
import { sentenceSpans } from '../../decks/sentences.ts'
import { linesOf } from '../../decks/slide-lines.ts'

export interface Unit {
  /** Verbatim: `source text.slice(start, end)`. */
  text: string
  start: number
  end: number
  /** Words that belong to the unit although they stand elsewhere: slide title, parent bullet, passage title. */
  context: string
}

export interface Chunk {
  source: SourceRef
  title: string
  units: Unit[]
}

const chunkMax = 2_000
const unitMax = 600

function chunksOf(source: SourceRef, title: string, units: readonly Unit[]): Chunk[] {
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

/** A title is a unit of its own only where it says something: alone on its slide, with a figure, or long enough to be a statement. */
function slideChunks(slide: SlideText): Chunk[] {
  const lines = linesOf(slide)
  const units: Unit[] = []
  for (const line of lines) {
    const parent = line.parent === undefined ? '' : (lines[line.parent]?.text.slice(0, parentMax) ?? '')
    const context = `${slide.title}\n${parent}`
    for (const { start, end } of boundedSpans(line.text).slice(0, unitsMost - units.length))
      units.push({ text: line.text.slice(start, end), start: line.start + start, end: line.start + end, context })
  }
  const at = slide.text.indexOf(slide.title)
  const isFact = units.length === 0 || /\d/u.test(slide.title) || slide.title.split(/\s+/u).length > 4
  if (isFact && slide.title !== '' && at >= 0) units.unshift({ text: slide.title, start: at, end: at + slide.title.length, context: '' })
  return chunksOf({ type: 'slide', id: slide.id, index: slide.index }, slide.title, units)
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

export const chunksOfDeck = (content: Pick<DeckContent, 'slides' | 'passages'>): Chunk[] => [...chunksBySource(content)].flat()
