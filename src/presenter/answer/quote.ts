// Turns ranked units into spoken quotes with citations. A quote is cut from the source by its offsets, never re-worded.
import type { Candidate } from '../retrieval/rank.ts'
import type { Citation } from './answer-part.ts'
import type { Templates } from './templates.ts'

const quoteMax = 420
/** A second quote is given only when it comes close; on decks closer, since two bullets of one deck are seldom both meant. */
const secondMargin = { deck: 1.6, prose: 5 }

/** At most two units worth saying, the best first; the second only when it comes close. */
export function chooseQuotes(candidates: readonly Candidate[], kind: 'deck' | 'prose'): Candidate[] {
  const [best, ...others] = candidates
  if (!best) return []
  const second = others
    .filter(({ unit }) => unit.text !== best.unit.text)
    .reduce<Candidate | undefined>((top, candidate) => (top && top.score >= candidate.score ? top : candidate), undefined)
  return second && best.score - second.score < secondMargin[kind] ? [best, second] : [best]
}

/** The unit, or its beginning up to a word end where it is too long to be spoken. */
function cut(text: string): string {
  if (text.length <= quoteMax) return text
  const space = text.lastIndexOf(' ', quoteMax)
  const end = space > quoteMax / 2 ? space : quoteMax
  return text.slice(0, end).toWellFormed() === text.slice(0, end) ? text.slice(0, end) : text.slice(0, end - 1)
}

export function citationOf({ chunk, unit }: Pick<Candidate, 'chunk' | 'unit'>, n: number): Citation {
  const quote = cut(unit.text)
  return { ...chunk.source, n, title: chunk.title, quote, start: unit.start, end: unit.start + quote.length }
}

/** White space folded: what is spoken of a quote. */
export function spokenQuote(quote: string): string {
  return quote.replace(/\s+/gu, ' ').trim()
}

/** `before`: the citation of the sentence before. */
export function sentenceFor(citation: Citation, templates: Templates, before?: Citation): string {
  const quote = spokenQuote(citation.quote)
  if (before?.type === citation.type && before.index === citation.index) return templates.alsoSays(quote)
  return citation.type === 'slide'
    ? templates.slideSays(citation.index + 1, quote)
    : templates.passageSays(spokenQuote(citation.title), quote)
}
