// What a question pins its answer to, and what of that does not stand where the answer stands: then the answer is not told plainly, and
// says what is missing.
import { wordsOf } from '../platform/languages.ts'
import type { Quote } from './quote.ts'
import type { Judgement } from './ranking/answerability.ts'
import { seriesNamed } from './ranking/named.ts'
import type { Ranking } from './ranking/rank.ts'
import type { SessionIndex } from './ranking/session-index.ts'
import { stemOf } from './ranking/tokens.ts'
import { valueBit, valueBitsOf } from './ranking/value-types.ts'
import { weakWords } from './ranking/word-weights.ts'
import { plainWords, without } from './whole-talk.ts'

/** Names, years and figures that the question pins its answer to and that do not stand where the answer stands, nor in what the talk is of. */
export function lackingIn(question: string, { query, candidates }: Ranking, index: SessionIndex): string[] {
  const [best] = candidates
  const subject = index.chunks[0]
  if (best === undefined) return []
  const stands = (id: number) => best.chunk.terms.has(id) || subject?.terms.has(id) === true
  const text = plainWords(question)
  const isThere = wordsOf(index.language).exists.some((phrase) => text.startsWith(plainWords(phrase)))
  // "Is there a grant?" is not answered by what a slide grants: other words for it count where they say something themselves.
  const weak = new Set(isThere ? [...weakWords(index.language)].map((word) => stemOf(word, index.language)) : [])
  const says = (id: number, stem: string) => stands(id) && (index.stems[id] === stem || !weak.has(index.stems[id] ?? ''))
  return query.terms
    .filter(({ isName, isNumber, stem, variants }, at) => {
      if (isThere && at === 0) return !variants.some(({ id }) => says(id, stem))
      return (isName || isNumber) && !variants.some(({ id }) => stands(id))
    })
    .map(({ word }) => word)
}

function lacks(words: readonly string[], language: string): string {
  const named = new Intl.ListFormat(language, { type: 'conjunction' }).format(words.map((word) => `"${word}"`))
  return wordsOf(language).lacks.replace('{words}', named)
}

/** Whether `question` asks, in one of `phrases`, for what none of `told` says in any of them. */
function isUntold(question: string, told: readonly string[], phrases: readonly string[]): boolean {
  const holds = (text: string) => without(plainWords(text), phrases) !== plainWords(text)
  return holds(question) && !told.some(holds)
}

const toldIn = (quotes: readonly Quote[]) => quotes.flatMap(({ told }) => told.map(({ text }) => text))

/** Asks for what only a picture shows, and what is told does not put it in words. */
export function asksForSight(question: string, { type }: Ranking['query'], told: readonly string[], language: string): boolean {
  const { sight, figures } = wordsOf(language)
  if (type === 'count' && isUntold(question, [], Object.values(figures).flat())) return true
  if (told.some((text) => (valueBitsOf(text) & valueBit.colour) !== 0)) return false
  return sight.some((phrase) => isUntold(question, told, [phrase]))
}

/** A count is a figure that the question did not bring: "no" and "single" are not. */
function holdsFigure({ type, terms }: Ranking['query'], told: readonly string[]): boolean {
  if (type !== 'count') return true
  const asked = new Set(terms.flatMap(({ isNumber, word }) => (isNumber ? [word] : [])))
  const figures = told.flatMap((text) => text.match(/(?<![$€£¥₹\d.,] ?)\d[\d.,]*(?! ?[%€£¥])/gu) ?? [])
  return figures.some((figure) => !asked.has(figure)) || told.some((text) => seriesNamed(text) !== undefined)
}

/** Plain only where what the question pins down, and the kind of value that it asks for, stand in what is told. */
export function verdictOf(
  question: string,
  { verdict }: Judgement,
  quotes: readonly Quote[],
  lacking: readonly string[],
  { query }: Ranking,
  language: string,
): Judgement['verdict'] {
  if (verdict !== 'unknown' && quotes.length === 0) return 'unknown'
  if (verdict !== 'answered') return verdict
  const told = toldIn(quotes)
  const holdsValue = query.wanted === 0 || told.some((text) => (valueBitsOf(text) & query.wanted) !== 0)
  const { extremes, derived } = wordsOf(language)
  const isWhole =
    holdsValue &&
    holdsFigure(query, told) &&
    lacking.length === 0 &&
    !isUntold(question, told, extremes) &&
    !(query.wanted !== 0 && isUntold(question, told, derived)) &&
    !asksForSight(question, query, told, language)
  return isWhole ? 'answered' : 'near'
}

/** What is said before an answer that is not told plainly. */
export function doubtOf(
  question: string,
  query: Ranking['query'],
  quotes: readonly Quote[],
  lacking: readonly string[],
  language: string,
): string | undefined {
  const slide = quotes[0]?.candidate.chunk.source
  if (slide?.type === 'slide' && asksForSight(question, query, toldIn(quotes), language))
    return wordsOf(language).unseen.replace('{slide}', String(slide.index + 1))
  return lacking.length > 0 ? lacks(lacking, language) : undefined
}
