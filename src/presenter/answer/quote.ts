// Turns ranked units into spoken quotes with citations. A quote is cut from the source by its offsets, never re-worded.
import type { SlideText, SourceRef } from '../../decks/content.ts'
import { isDeck } from '../retrieval/answerability.ts'
import type { Candidate } from '../retrieval/rank.ts'
import type { IndexedUnit } from '../retrieval/session-index.ts'
import type { AnswerSession, Citation } from './answer-part.ts'
import { asSentence, tell, type Told } from './evidence.ts'
import { wishOf, type Wish } from './wish.ts'

const quoteMax = 700
/** A second place is told only when it comes close; on decks closer, since two bullets of one deck are seldom both meant. */
const secondMargin = { deck: 1.6, prose: 5 }
/** Places that are looked at for something to say. */
const lookedAt = 12

export interface Quote {
  candidate: Pick<Candidate, 'chunk' | 'unit'>
  told: readonly Told[]
}

/** At most two places worth telling, the best first; the second only when it comes close and says something else. */
export function chooseQuotes(candidates: readonly Candidate[], question: string, session: AnswerSession): Quote[] {
  const wish = wishOf(question)
  const kind = isDeck(session.index) ? 'deck' : 'prose'
  const found: (Quote & { score: number })[] = []
  for (const candidate of candidates.slice(0, lookedAt)) {
    const first = found[0]
    if (first !== undefined && first.score - candidate.score >= secondMargin[kind]) continue
    const told = tellCandidate(candidate, wish, session)
    const isNew = told.some(({ text }) => !found.some((quote) => quote.told.some((other) => saysSame(other.text, text))))
    if (told.length > 0 && isNew) found.push({ candidate: placed(candidate, session), told, score: candidate.score })
    if (found.length === 2) break
  }
  return found
}

function saysSame(one: string, other: string): boolean {
  const [first, second] = [comparable(one), comparable(other)]
  return first.includes(second) || second.includes(first)
}

/** A line of an agenda stands for the slide that it names. */
function placed(candidate: Pick<Candidate, 'chunk' | 'unit'>, { index, content }: AnswerSession): Pick<Candidate, 'chunk' | 'unit'> {
  const { chunk, unit } = candidate
  if (chunk.source.type !== 'slide' || unit.place === undefined) return candidate
  const words = comparable(unit.text)
  const named = content.slides.find(
    (slide) => slide.index !== chunk.source.index && slide.blocks.length > 0 && comparable(slide.title) === words,
  )
  if (named === undefined || (unit.place.block < 0 && content.slides[chunk.source.index]?.blocks.length !== 0)) return candidate
  const ofTitle = ({ place }: IndexedUnit) => place?.block === -1
  const target = index.chunks.find(({ source, units }) => source.id === named.id && units.some(ofTitle))
  const title = target?.units.find(ofTitle)
  return target === undefined || title === undefined ? candidate : { chunk: target, unit: title }
}

const comparable = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

export function tellCandidate(candidate: Pick<Candidate, 'chunk' | 'unit'>, wish: Wish, session: AnswerSession): Told[] {
  const { chunk, unit } = placed(candidate, session)
  const { language } = session.content
  const slide = chunk.source.type === 'slide' ? session.content.slides[chunk.source.index] : undefined
  if (slide !== undefined && unit.place !== undefined) return tell(slide, unit.place, wish, language)
  return [{ text: asSentence(cut(unit.text), language), start: unit.start, end: unit.end }]
}

/** Sentences with their citations, numbered from `first`; two sentences of one place share one. */
export function citedSentences({ candidate: { chunk }, told }: Quote, session: AnswerSession, first: number): Cited[] {
  return cited({ ...chunk.source, title: chunk.title }, textOf(chunk.source, session), told, first)
}

export function citedSlide({ id, index, title, text }: SlideText, told: readonly Told[], first: number): Cited[] {
  return cited({ type: 'slide', id, index, title }, text, told, first)
}

interface Cited {
  text: string
  citations: Citation[]
}

function cited(source: SourceRef & { title: string }, text: string, told: readonly Told[], first: number): Cited[] {
  const spans = new Map<number, Citation>()
  return told.map((each) => {
    const quote = cut(text.slice(each.start, each.end))
    const same = spans.get(each.start)
    const citation = same ?? { ...source, n: first + spans.size, quote, start: each.start, end: each.start + quote.length }
    spans.set(each.start, citation)
    return { text: each.text, citations: [citation] }
  })
}

function textOf({ type, index }: SourceRef, { content }: AnswerSession): string {
  return (type === 'slide' ? content.slides[index]?.text : content.passages[index]?.content) ?? ''
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
