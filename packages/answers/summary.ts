// What a talk says in a few sentences: the statements that say most of the slides passed, what one slide tells, titles from all over the
// deck, and whom its slides name. Quoted and cited.
import type { Citation } from '@rostrum/contract/answer'
import { fill, inEveryLanguage, languageOf, wordsOf } from '@rostrum/languages/languages'
import { lazily } from '@rostrum/base/work'
import { insidePattern } from '@rostrum/languages/word-pattern'
import { isDate, isSure, piecesOf } from '@rostrum/deck/block'
import type { DeckContent, SlideText } from '@rostrum/contract/content'
import { isCode, isJunk } from '@rostrum/telling/spoken-words'
import { sentenceSpans } from '@rostrum/deck/sentences'
import type { AnswerSession } from './answer-part.ts'
import { asSentence, tell, type Told } from './evidence.ts'
import { plainWords, without } from './intents.ts'
import { citedSlide, plain, type Sentence } from './quote.ts'
import { fold, tokenise } from './ranking/tokens.ts'

interface TalkPoint {
  slide: SlideText
  told: readonly Told[]
}

const tellWhole = (slide: SlideText, language: string) => tell(slide, { block: -1, piece: 0 }, 'list', language)

const pointsMost = 3
const [wordsFewest, wordsMost] = [6, 32]
const charsMost = 260

/** The slide that sums up where there is one, else the statements of different slides that say most of what the talk is of. */
function keyPoints(session: AnswerSession, until?: number): TalkPoint[] {
  const { language, slides } = session.content
  const passed = slides.filter(({ index }) => until === undefined || index <= until)
  const words = wordsOf(language)
  const conclusion =
    until === undefined ? passed.findLast(({ title, blocks }) => blocks.length > 0 && isOnly(title, words.conclusion)) : undefined
  if (conclusion !== undefined) {
    const told = tellWhole(conclusion, language)
    if (told.length > 0) return [{ slide: conclusion, told }]
  }
  const held = spread(passed, language)
  // The first slide says what the talk is called, and who gives it.
  const best = passed.flatMap((slide) => (slide.index === 0 && passed.length > pointsMost ? [] : (bestOf(slide, held, language) ?? [])))
  const chosen: Scored[] = []
  for (const point of best.toSorted((one, other) => other.score - one.score))
    if (chosen.length < pointsMost && !chosen.some(({ terms }) => overlapOf(point.terms, terms) > overlapMost)) chosen.push(point)
  return chosen.toSorted((one, other) => one.slide.index - other.slide.index).map(({ slide, told }) => ({ slide, told: [told] }))
}

/** The slide that lists the parts of the talk. */
export function agendaOf({ content: { slides, language } }: AnswerSession): TalkPoint | undefined {
  const { agenda } = wordsOf(language)
  const slide = slides.find(({ title, blocks }) => blocks.length > 0 && isOnly(title, agenda))
  const told = slide === undefined ? [] : tellWhole(slide, language)
  return slide === undefined || told.length === 0 ? undefined : { slide, told }
}

const isOnly = (title: string, phrases: readonly string[]) => {
  const text = plainWords(title)
  const rest = without(text, phrases)
  return rest !== text && rest.trim().split(/\s+/u).filter(Boolean).length <= 2
}

/** On how many slides each term stands. */
function spread(slides: readonly SlideText[], language: string): ReadonlyMap<string, number> {
  const held = new Map<string, number>()
  for (const { text } of slides) {
    const terms = new Set(tokenise(text, language).flatMap(({ term, weight }) => (weight < 1 ? [] : [term])))
    for (const term of terms) held.set(term, (held.get(term) ?? 0) + 1)
  }
  return held
}

interface Scored {
  slide: SlideText
  told: Told
  terms: readonly string[]
  score: number
}

/** Of its own words that another point says too; one of more says the same again. */
const overlapMost = 0.5
const overlapOf = (terms: readonly string[], others: readonly string[]) =>
  terms.filter((term) => others.includes(term)).length / Math.max(1, terms.length)
/** Small words make a sentence of a label ("OWASP Top 10 Risk Rating Methodology"); so many are enough. */
const [sayingWeight, smallShare] = [4, 0.3]

function bestOf(slide: SlideText, held: ReadonlyMap<string, number>, language: string): Scored | undefined {
  let best: Scored | undefined
  const titled = new Set(tokenise(slide.title, language).map(({ term }) => term))
  for (const block of slide.blocks) {
    if (block.kind !== 'paragraph' && block.kind !== 'list' && block.kind !== 'quote') continue
    for (const piece of piecesOf(block)) {
      if (piece.confidence !== undefined) continue
      for (const span of sentenceSpans(piece.text)) {
        const text = piece.text.slice(span.start, span.end)
        const tokens = tokenise(text, language)
        if (tokens.length < wordsFewest || tokens.length > wordsMost * 1.5 || text.length > charsMost || !isStatement(text)) continue
        const told = tokens.filter(({ weight }) => weight > 0)
        const topical = told.reduce((sum, { term }) => sum + Math.log(held.get(term) ?? 1) + (titled.has(term) ? 0.5 : 0), 0)
        const saying = sayingWeight * Math.min(smallShare, 1 - told.length / tokens.length)
        const score = topical / Math.sqrt(tokens.length) + saying + (/[.!。！]\s*$/u.test(text) ? 0.3 : 0)
        if (best !== undefined && score <= best.score) continue
        const terms = told.map(({ term }) => term)
        best = { slide, told: { text: asSentence(text, language), start: piece.start, end: piece.end }, terms, score }
      }
    }
  }
  return best
}

/** No code, no address, no question, no footnote, nothing that only opens a list. */
const isStatement = (text: string) => !/^[*†(]|[:?？：]\s*$|[{}|<>=]|https?:|\w\(|\w_\w/u.test(text)

const nameLike =
  /^(?:(?:Dr|Prof|Mr|Ms|Mrs|Herr|Frau)\.?\s)?\p{Lu}[\p{L}.'’-]{0,30}(?:\s(?:\p{Lu}[\p{L}.'’-]{0,30}|de|da|van|von|der|di|del)){1,4}$/u
const marked = lazily(() => insidePattern(inEveryLanguage((language) => language.talk.speakerTold)))
const isMarked = (text: string) => text.includes('@') || marked().test(fold(text).toLowerCase())
const [namesMost, lineCharsMost] = [3, 120]

/** A name that was misread in a picture is nobody's, nor is the number of the page. */
const surePieces = ({ blocks, index }: SlideText) =>
  blocks
    .flatMap((block) => piecesOf(block))
    .filter((piece) => isSure(piece) && piece.text.length <= lineCharsMost && piece.text !== String(index + 1))

/** Words of the first and the last slide that name a person. A first slide of a title and a line or two mostly says who speaks. */
export function peopleOf({ content: { slides, language } }: AnswerSession): TalkPoint | undefined {
  const [first] = slides
  const last = slides.at(-1)
  const point = (slide: SlideText, pieces: ReturnType<typeof surePieces>): TalkPoint => ({
    slide,
    told: pieces.map(({ text, start, end }) => ({ text: asSentence(text, language), start, end })),
  })
  if (first === undefined || last === undefined) return undefined
  for (const slide of [first, last]) {
    const all = surePieces(slide).filter(({ text }) => text !== slide.title)
    const isNamed = ({ text }: { text: string }) => nameLike.test(text.split(/[,|(–-]\s/u)[0]?.trim() ?? '') || isMarked(text)
    // "Accessibility Forum", above a date, is the occasion, where another line names somebody.
    const occasion = all.findIndex((piece, at) => isNamed(piece) && isDate(all[at + 1]?.text ?? ''))
    const pieces = occasion >= 0 && all.slice(occasion + 2).some(isNamed) ? all.slice(occasion + 2) : all
    const named = pieces.findIndex(isNamed)
    if (named >= 0) return point(slide, pieces.slice(named, named + namesMost))
  }
  const pieces = surePieces(first)
  return pieces.length === 0 || pieces.length > namesMost ? undefined : point(first, pieces)
}

/** One word may be said of anything, but where the line opens with it ("Audience: nurses"). */
function saysWhom(text: string, phrases: readonly string[]): boolean {
  const line = plainWords(text)
  return phrases.map(plainWords).some((phrase) => line.startsWith(phrase) || (/\S\s\S/u.test(phrase) && line.includes(phrase)))
}

/** Where the slides say whom the talk is for; undefined where none does. */
export function audienceOf({ content: { slides, language } }: AnswerSession): TalkPoint | undefined {
  const { audience, audienceTold } = wordsOf(language)
  const holds = (text: string, phrases: readonly string[]) => without(plainWords(text), phrases) !== plainWords(text)
  for (const slide of slides) {
    if (holds(slide.title, audience) || holds(slide.title, audienceTold)) {
      const told = tellWhole(slide, language)
      if (told.length > 0) return { slide, told }
    }
    for (const { text, start, end } of slide.blocks.flatMap((block) => piecesOf(block)))
      if (saysWhom(text, audienceTold)) return { slide, told: [{ text: asSentence(text, language), start, end }] }
  }
  return undefined
}

const titlesMost = 5

/** Sentences of several slides, their citations numbered through. */
export function pointsTold(points: readonly TalkPoint[], opening: readonly Sentence[] = []): Sentence[] {
  const sentences = [...opening]
  let cited = opening.reduce((sum, { citations }) => sum + citations.length, 0)
  for (const { slide, told } of points) {
    const said = citedSlide(slide, told, cited + 1)
    cited += new Set(said.flatMap(({ citations }) => citations.map(({ n }) => n))).size
    sentences.push(...said)
  }
  return sentences
}

/** Of the slides before and including `slideIndex`; of the whole deck when it is left out. */
export function soFarOf(session: AnswerSession, slideIndex: number | undefined): Sentence[] {
  const { language, slides } = session.content
  if (slideIndex === undefined && slides.length > 0) return overviewOf(session)
  const points = keyPoints(session, slideIndex)
  const { nothingYet, soFar } = languageOf(language).answers
  return pointsTold(points, [plain(points.length === 0 ? nothingYet : soFar)])
}

/** All that a slide says; its title where it says nothing else. */
export function slideTold(slide: SlideText, { language }: DeckContent): Sentence[] {
  const told = tellWhole(slide, language)
  return told.length === 0 ? [plain(languageOf(language).answers.unknown)] : pointsTold([{ slide, told }])
}

const isSpeakable = (title: string) => !/^(?:https?:|\[)|[©®]/u.test(title) && !isCode(title) && !isJunk(title)

/** Titles of slides, each once and none that of the talk, with their citations. */
function titlesOf({ title, content }: AnswerSession): Citation[] {
  const titled = content.slides.flatMap((slide): Citation[] => {
    const start = slide.text.indexOf(slide.title)
    if (slide.title === '' || slide.title === title || start < 0 || !isSpeakable(slide.title)) return []
    const end = start + slide.title.length
    return [{ type: 'slide', id: slide.id, index: slide.index, n: 0, title: slide.title, quote: slide.title, start, end }]
  })
  return titled.filter(({ quote }, at) => titled.findIndex((other) => other.quote === quote) === at)
}

/** What slides after `slideIndex` are called; undefined behind the last that has a title of its own. */
export function upcomingOf(session: AnswerSession, slideIndex: number): Sentence[] | undefined {
  const { language } = session.content
  const ahead = titlesOf(session).filter(({ index }) => index > slideIndex)
  const citations = ahead.slice(0, titlesMost).map((citation, at): Citation => ({ ...citation, n: at + 1 }))
  if (citations.length === 0) return undefined
  const titles = new Intl.ListFormat(language, { type: 'conjunction' }).format(citations.map(({ quote }) => quote))
  return [{ text: fill(wordsOf(language).ahead, { titles }), citations }]
}

/** All that slide `index` says, for who wants a thing explained: a quote is not made simpler. */
export function againOf({ content }: AnswerSession, index: number | undefined): Sentence[] | undefined {
  const slide = index === undefined ? undefined : content.slides[index]
  if (slide === undefined) return undefined
  const told = tellWhole(slide, content.language)
  const opening = fill(wordsOf(content.language).onlyQuotes, { slide: slide.index + 1 })
  return told.length === 0 ? undefined : pointsTold([{ slide, told }], [plain(opening)])
}

/** The title of the talk, at most five titles of slides spread over the deck, and what it says most. */
export function overviewOf(session: AnswerSession): Sentence[] {
  const { title, content } = session
  const words = languageOf(content.language).answers
  const distinct = titlesOf(session)
  const step = Math.max(1, distinct.length / titlesMost)
  const chosen = distinct.filter((_citation, at) => Math.floor(at / step) !== Math.floor((at - 1) / step)).slice(0, titlesMost)
  const [first] = content.slides
  const at = title === '' ? -1 : (first?.text.indexOf(title) ?? -1)
  const text = fill(words.about, { title })
  const opening = first !== undefined && at >= 0 ? citedSlide(first, [{ text, start: at, end: at + title.length }], 1) : [plain(text)]
  const from = opening.flatMap(({ citations }) => citations).length + 1
  const citations = chosen.map((citation, place): Citation => ({ ...citation, n: from + place }))
  const titles = citations.map(({ quote }) => fill(words.quoted, { title: quote })).join(words.comma)
  const covers = citations.length === 0 ? [] : [{ text: fill(words.covers, { titles }), citations }]
  return pointsTold(keyPoints(session), [...opening, ...covers])
}
