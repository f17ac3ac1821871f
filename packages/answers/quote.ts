// Turns ranked units into spoken quotes with citations. A quote is cut from the source by its offsets, never re-worded.
import type { Citation } from '@rostrum/contract/answer'
import type { Source } from '@rostrum/contract/room'
import { wordsOf } from '@rostrum/languages/languages'
import type { DeckContent, SlideText } from '@rostrum/contract/content'
import { countWords, hasVerb, withoutPlace } from '@rostrum/telling/spoken-words'
import type { AnswerSession } from './answer-part.ts'
import { asSentence, led, tell, type Told } from './evidence.ts'
import { plainWords, type Wish, wishOf, without } from './intents.ts'
import { asksForDefinition } from './ranking/general-questions.ts'
import type { Query } from './ranking/question.ts'
import { type Candidate, isDeck, type Ranking, type Verdict } from './ranking/rank.ts'
import type { IndexedUnit, SessionIndex } from './ranking/session-index.ts'
import { stemOf, tokenise, weakWords } from './ranking/tokens.ts'
import { seriesNamed, valueBit, valueBitsOf } from './ranking/values.ts'

const quoteMax = 700
/** A second place is told only when it comes close; on decks closer, since two bullets of one deck are seldom both meant. */
const secondMargin = { deck: 1.6, prose: 5 }
/** Places that are looked at for something to say. */
const lookedAt = 12

export interface Sentence {
  text: string
  citations: readonly Citation[]
}

export const plain = (text: string): Sentence => ({ text, citations: [] })

export interface Quote {
  candidate: Pick<Candidate, 'chunk' | 'unit'>
  told: readonly Told[]
}

/** Kinds of value that their form is sure to tell. */
const sureValues =
  valueBit.money | valueBit.date | valueBit.duration | valueBit.contact | valueBit.percent | valueBit.weight | valueBit.temperature
/** Units between what is told and the value that belongs to it. */
const reach = 3

/** The unit of the same slide that holds the kind of value asked for, where what is told of the place does not: the only one, or one near by. */
function withValue(quote: Quote, wanted: number, wish: Wish, session: AnswerSession): Quote {
  const sure = wanted & sureValues
  const { chunk, unit } = quote.candidate
  const holds = (text: string) => (valueBitsOf(text) & sure) !== 0
  if (sure === 0 || chunk.source.type !== 'slide' || quote.told.some(({ text }) => holds(text))) return quote
  const at = unit.place?.block === -1 ? 0 : chunk.units.indexOf(unit)
  const holding = chunk.units.flatMap((each, place) =>
    each.place?.block !== -1 && (each.values & sure) !== 0 && /\d|@/u.test(each.text) ? [{ each, far: Math.abs(place - at) }] : [],
  )
  const nearest = holding.toSorted((one, other) => one.far - other.far)[0]
  if (nearest === undefined || (holding.length > 1 && nearest.far > reach)) return quote
  const told = tellCandidate({ chunk, unit: nearest.each }, wish, session)
  const isNew = !quote.told.some(({ text }) => told.some((other) => saysSame(other.text, text)))
  return isNew && told.length > 0 ? { ...quote, told: [...quote.told.slice(0, 1), ...told] } : quote
}

/** A list of more is more than who speaks, and when. */
const coverLines = 2
/** Fewer words are a label. */
const statementWords = 6

/** What the talk is called, and by whom it is given, is no list of anything, nor a reason. */
function notOfCover(ranked: readonly Candidate[], [first]: readonly SlideText[]): readonly Candidate[] {
  const isContent = first?.blocks.some((block) => block.kind === 'table' || (block.kind === 'list' && block.items.length > coverLines))
  const others = isContent === true ? [] : ranked.filter(({ chunk: { source } }) => source.type !== 'slide' || source.index > 0)
  return others.length > 0 ? others : ranked
}

/** At most two places worth telling, the best first; the second only when it comes close and says something else. */
export function chooseQuotes(ranked: readonly Candidate[], question: string, session: AnswerSession, query: Query): Quote[] {
  const wish = wishOf(question)
  const { wanted } = query
  const candidates = wish === 'statement' ? ranked : notOfCover(ranked, session.content.slides)
  const kind = isDeck(session.index) ? 'deck' : 'prose'
  const found: (Quote & { score: number })[] = []
  for (const candidate of candidates.slice(0, lookedAt)) {
    const first = found[0]
    if (first !== undefined && first.score - candidate.score >= secondMargin[kind]) continue
    if (first !== undefined && kind === 'deck' && !isToThePoint(candidate, wanted)) continue
    const told = sayable(tellCandidate(candidate, wish, session), candidate)
    const anew = told.filter(({ text }) => !found.some((quote) => quote.told.some((other) => saysSame(other.text, text))))
    const isEcho = !addsTo(question, anew, session)
    if ((wish !== 'statement' && isEcho) || anew.every(({ text }) => isCode(text))) continue
    const opening = /^.{2,80}?[:：] ?/u.exec(first?.told.at(-1)?.text ?? '')?.[0] ?? ' '
    // "First step of any app" says under its title what that is.
    const once = (isEcho && asksForDefinition(question) ? named({ candidate, told: anew }, session).told : anew).map((each) =>
      each.text.startsWith(opening) ? { ...each, text: asSentence(each.text.slice(opening.length), session.content.language) } : each,
    )
    if (once.length > 0) found.push({ candidate: placed(candidate, session), told: once, score: candidate.score })
    if (found.length === 2) break
  }
  const [first, ...others] = found
  if (first === undefined) return []
  const whole = withValue(first, wanted, wish, session)
  return [whole, ...others.filter(({ told }) => !told.every(({ text }) => whole.told.some((other) => saysSame(other.text, text))))]
}

/** Words of programs, three of which make no sentence. */
const reserved =
  /(?<![\p{L}'’-])(?:public|private|static|void|class|return|import|def|assert|extends|throws?|const|var|let|this|new)(?![\p{L}'’-])/gu
const reservedFewest = 3

const isCode = (text: string): boolean =>
  /[{}][^{}]*[;=]|\);|^(?:\/\/|\$ )/u.test(text) || ((text.match(reserved)?.length ?? 0) >= reservedFewest && !/[.!?] \p{Lu}/u.test(text))

/** Without the number of the page, and code beside what is none. */
function sayable(told: readonly Told[], { chunk: { source } }: Pick<Candidate, 'chunk'>): readonly Told[] {
  const isNumber = ({ text }: Told) => source.type === 'slide' && text === `${source.index + 1}.`
  const words = told.filter((each) => !isNumber(each))
  return words.some(({ text }) => !isCode(text)) ? words.filter(({ text }) => !isCode(text)) : words
}

/** "Why is it like baking powder?" is not answered by "It is like baking powder!"; "Is it open?" is by "It is open." */
function addsTo(question: string, told: readonly Told[], { content: { language } }: AnswerSession): boolean {
  const asked = new Set(tokenise(question, language).map(({ term }) => term))
  return told.some(({ text }) => tokenise(text, language).some(({ term, weight }) => weight > 0 && !asked.has(term)))
}

/** Holds the kind of value asked for, and says more than what the talk is called. */
const isToThePoint = ({ chunk: { source }, unit }: Candidate, wanted: number): boolean =>
  (source.type !== 'slide' || source.index > 0) && (wanted === 0 || (unit.values & wanted) !== 0)

function saysSame(one: string, other: string): boolean {
  const [first, second] = [comparable(one), comparable(other)]
  return first.includes(second) || second.includes(first)
}

const titles = new WeakMap<DeckContent, ReadonlyMap<string, SlideText>>()

/** Slides that say something, by what they are called; "(1 of 2)" is no part of it. */
function byTitle(content: DeckContent): ReadonlyMap<string, SlideText> {
  const known = titles.get(content)
  if (known !== undefined) return known
  const told = content.slides.filter(({ blocks }) => blocks.length > 0).toReversed()
  const made = new Map(told.map((slide) => [comparable(withoutPlace(slide.title)), slide]))
  titles.set(content, made)
  return made
}

/** A slide that is a question alone is answered by the next. */
const isDivider = ({ place, text }: IndexedUnit, { blocks }: SlideText) =>
  place?.block === -1 && blocks.length === 0 && /[?？؟]\s*$/u.test(text)

/** A line of an agenda stands for the slide that it names. */
function placed(candidate: Pick<Candidate, 'chunk' | 'unit'>, { index, content }: AnswerSession): Pick<Candidate, 'chunk' | 'unit'> {
  const { chunk, unit } = candidate
  const slide = chunk.source.type === 'slide' ? content.slides[chunk.source.index] : undefined
  if (slide === undefined || unit.place === undefined) return candidate
  const named = isDivider(unit, slide) ? content.slides[slide.index + 1] : byTitle(content).get(comparable(unit.text))
  if (named === undefined || named.index === slide.index || (unit.place.block < 0 && slide.blocks.length > 0)) return candidate
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

/** Its own words, though others stand under it. */
export const itself = (candidate: Quote['candidate'], { content: { language } }: AnswerSession): Quote => {
  const { text, start, end } = candidate.unit
  return { candidate, told: [{ text: asSentence(cut(text), language), start, end }] }
}

export function tellCandidate(candidate: Pick<Candidate, 'chunk' | 'unit'>, wish: Wish, session: AnswerSession): Told[] {
  const { chunk, unit } = placed(candidate, session)
  const { language } = session.content
  const slide = chunk.source.type === 'slide' ? session.content.slides[chunk.source.index] : undefined
  if (slide !== undefined && unit.place !== undefined) return tell(slide, unit.place, wish, language)
  return [...itself({ chunk, unit }, session).told]
}

/** Sentences with their citations, numbered from `first`; two sentences of one place share one. */
export function citedSentences({ candidate: { chunk }, told }: Quote, session: AnswerSession, first: number): Sentence[] {
  return cited({ ...chunk.source, title: chunk.title }, textOf(chunk.source, session), told, first)
}

export function citedSlide({ id, index, title, text }: SlideText, told: readonly Told[], first: number): Sentence[] {
  return cited({ type: 'slide', id, index, title }, text, told, first)
}

function cited(source: Source & { title: string }, text: string, told: readonly Told[], first: number): Sentence[] {
  const spans = new Map<number, Citation>()
  return told.map((each) => {
    const quote = cut(text.slice(each.start, each.end))
    const same = spans.get(each.start)
    const citation = same ?? { ...source, n: first + spans.size, quote, start: each.start, end: each.start + quote.length }
    spans.set(each.start, citation)
    return { text: each.text, citations: [citation] }
  })
}

function textOf({ type, index }: Source, { content }: AnswerSession): string {
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

// What a question pins its answer to, and what of that does not stand where the answer stands: then the answer is not told plainly, and
// says what is missing.

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
export function asksForSight(question: string, { type }: Query, told: readonly string[], language: string): boolean {
  const { sight, figures } = wordsOf(language)
  if (type === 'count' && isUntold(question, [], Object.values(figures).flat())) return true
  if (told.some((text) => (valueBitsOf(text) & valueBit.colour) !== 0)) return false
  return sight.some((phrase) => isUntold(question, told, [phrase]))
}

/** Why is told by a sentence, or by what stands under the same question. */
function givesReason(question: string, quotes: readonly Quote[], language: string): boolean {
  if (wishOf(question) !== 'reason') return true
  const isAsked = quotes.some(({ candidate: { chunk } }) => wishOf(chunk.title) === 'reason')
  return isAsked || toldIn(quotes).some((text) => countWords(text, language) >= statementWords && hasVerb(text, language))
}

/** A count is a figure that the question did not bring: "no" and "single" are none, nor is the year of a footer. */
function holdsFigure({ type, terms }: Query, told: readonly string[]): boolean {
  if (type !== 'count') return true
  const asked = new Set(terms.flatMap(({ isNumber, word }) => (isNumber ? [word] : [])))
  const figures = told.flatMap((text) => text.match(/(?<![$€£¥₹\d.,] ?|[a-z]-?)\d[\d.,]*(?! ?[%€£¥])/giu) ?? [])
  const isYear = (figure: string) => /^(?:19[5-9]|20[0-4])[1-9]\b/u.test(figure)
  return figures.some((figure) => !asked.has(figure) && !isYear(figure)) || told.some((text) => seriesNamed(text) !== undefined)
}

/** Plain only where what the question pins down, and the kind of value that it asks for, stand in what is told. */
export function verdictOf(
  question: string,
  verdict: Verdict,
  quotes: readonly Quote[],
  lacking: readonly string[],
  query: Query,
  language: string,
): Verdict {
  if (verdict !== 'unknown' && quotes.length === 0) return 'unknown'
  if (verdict !== 'answered') return verdict
  const told = toldIn(quotes)
  const holdsValue = query.wanted === 0 || told.some((text) => (valueBitsOf(text) & query.wanted) !== 0)
  const { extremes, derived } = wordsOf(language)
  const isWhole =
    holdsValue &&
    holdsFigure(query, told) &&
    givesReason(question, quotes, language) &&
    lacking.length === 0 &&
    !isUntold(question, told, extremes) &&
    !(query.wanted !== 0 && isUntold(question, told, derived)) &&
    !asksForSight(question, query, told, language)
  return isWhole ? 'answered' : 'near'
}

/** What is said before an answer that is not told plainly. */
export function doubtOf(
  question: string,
  query: Query,
  quotes: readonly Quote[],
  lacking: readonly string[],
  language: string,
): string | undefined {
  const slide = quotes[0]?.candidate.chunk.source
  if (slide?.type === 'slide' && asksForSight(question, query, toldIn(quotes), language))
    return wordsOf(language).unseen.replace('{slide}', String(slide.index + 1))
  return lacking.length > 0 ? lacks(lacking, language) : undefined
}

/** With what its slide is called. */
function named({ candidate, told: [first, ...rest] }: Quote, { content: { language } }: AnswerSession): Quote {
  const title = withoutPlace(candidate.chunk.title)
  if (first === undefined) return { candidate, told: [] }
  const isNamed = plainWords(first.text).includes(plainWords(title).trim())
  return { candidate, told: [isNamed ? first : { ...first, text: led(title, first.text, language) }, ...rest] }
}
