// "What did I miss?": the first statement of each slide passed, quoted; at most five slides, the latest ones.
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
