// "What did I miss?": the first statement of each slide passed, quoted; at most five slides, the latest ones. "What is this talk
// about?": its title, and titles of slides from all over the deck, quoted.
import type { DeckContent } from '../../decks/content.ts'
import { linesOf } from '../../decks/slide-lines.ts'
import type { Citation } from './answer-part.ts'
import { sentenceFor } from './quote.ts'
import type { Templates } from './templates.ts'

const slidesMax = 5

export interface Summary {
  sentences: string[]
  /** By sentence. */
  citations: Citation[][]
}

/** The statement a slide opens with: its first line, or its title when it has no other text. */
function openingOf(slide: DeckContent['slides'][number], n: number): Citation | undefined {
  const common = { type: 'slide', id: slide.id, index: slide.index, n, title: slide.title } as const
  const [line] = linesOf(slide)
  if (line) return { ...common, quote: line.text, start: line.start, end: line.end }
  const start = slide.text.indexOf(slide.title)
  return slide.title === '' || start < 0 ? undefined : { ...common, quote: slide.title, start, end: start + slide.title.length }
}

/** Covers the slides before and including `slideIndex`; the whole deck when it is left out. */
export function summaryOf(content: DeckContent, slideIndex: number | undefined, templates: Templates): Summary {
  const passed = content.slides.filter(({ index }) => slideIndex === undefined || index <= slideIndex)
  const quoted = passed.slice(-slidesMax).flatMap((slide) => openingOf(slide, 0) ?? [])
  const citations = quoted.map((citation, at): Citation => ({ ...citation, n: at + 1 }))
  if (citations.length === 0) return { sentences: [templates.nothingYet], citations: [[]] }
  return {
    sentences: [templates.soFar, ...citations.map((citation) => sentenceFor(citation, templates))],
    citations: [[], ...citations.map((citation) => [citation])],
  }
}

/** The lines of one slide, or its title where it has no other text. */
export function slideSummaryOf(slide: DeckContent['slides'][number], templates: Templates): Summary {
  const { id, index, title } = slide
  const lines = linesOf(slide).slice(0, slidesMax)
  const [opening] = lines.length === 0 ? [openingOf(slide, 1)] : []
  const quoted = lines.map(({ text, start, end }, at): Citation => ({
    type: 'slide',
    id,
    index,
    title,
    n: at + 1,
    quote: text,
    start,
    end,
  }))
  const citations = opening === undefined ? quoted : [opening]
  if (citations.length === 0) return { sentences: [templates.unknown], citations: [[]] }
  return {
    sentences: citations.map((citation, at) => sentenceFor(citation, templates, citations[at - 1])),
    citations: citations.map((citation) => [citation]),
  }
}

/** The title of the talk and at most five titles of slides, spread over the deck. */
export function overviewOf(title: string, content: DeckContent, templates: Templates): Summary {
  const titled = content.slides.flatMap((slide): Citation[] => {
    const start = slide.text.indexOf(slide.title)
    if (slide.title === '' || slide.title === title || start < 0) return []
    const end = start + slide.title.length
    return [{ type: 'slide', id: slide.id, index: slide.index, n: 0, title: slide.title, quote: slide.title, start, end }]
  })
  const distinct = titled.filter(({ quote }, at) => titled.findIndex((other) => other.quote === quote) === at)
  const step = Math.max(1, distinct.length / slidesMax)
  const chosen = distinct.filter((_citation, at) => Math.floor(at / step) !== Math.floor((at - 1) / step)).slice(0, slidesMax)
  const citations = chosen.map((citation, at): Citation => ({ ...citation, n: at + 1 }))
  if (citations.length === 0) return { sentences: [templates.about(title)], citations: [[]] }
  return { sentences: [templates.about(title), templates.covers(citations.map(({ quote }) => quote))], citations: [[], citations] }
}
