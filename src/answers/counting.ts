// "How many X are there?" where the slides do not say the number: a list whose lead is X is counted, and told whole. What is counted is
// named over the list, at the head of each of its lines, or before a colon; anything less sure is left to the ranking.
import type { Citation } from '../contract/answer.ts'
import { fill, type TalkWords, wordsOf } from '../languages/languages.ts'
import { type Block, type Piece, piecesOf } from '../sessions/deck/block.ts'
import type { SlideText } from '../sessions/deck/content.ts'
import { withoutPlace } from '../sessions/script/compile/spoken-words.ts'
import type { AnswerSession } from './answer-part.ts'
import { leadOf, led, nested, numbered, tellSeries, type Told } from './evidence.ts'
import { plainWords, without } from './intents.ts'
import { chooseQuotes, type Quote } from './quote.ts'
import type { Query } from './ranking/question.ts'
import { type Candidate, judge, rank, type Ranking } from './ranking/rank.ts'
import type { IndexedChunk, IndexedUnit } from './ranking/session-index.ts'
import { tokenise } from './ranking/tokens.ts'
import { seriesNamed } from './ranking/values.ts'

const questionMax = 200
const slidesMost = 6
const [countFewest, countMost] = [2, 30]

/** The words of what is to be counted, and all the question pins it to; undefined where no count is asked for. */
function countedIn(question: string, tag: string): { noun: readonly string[]; terms: readonly string[] } | undefined {
  if (question.length > questionMax) return undefined
  const text = plainWords(question)
  const words = wordsOf(tag)
  const phrase = words.howMany.map(plainWords).find((each) => text.includes(each) || text.includes(each.trim()))
  if (phrase === undefined) return undefined
  const behind = text.slice(text.indexOf(phrase.trim()) + phrase.trim().length)
  const content = (part: string) => tokenise(part, tag).flatMap(({ term, weight }) => (weight === 0 ? [] : [term]))
  // What is counted stands before the first word that only makes the question.
  const rest = without(` ${behind.trim()} `, words.countRest)
  const nounText = firstRun(behind, rest)
  const noun = content(nounText)
  return noun.length === 0 ? undefined : { noun, terms: content(rest) }
}

/** The words at the start of `text` that are all left in `rest`. */
function firstRun(text: string, rest: string): string {
  const left = new Set(rest.trim().split(/\s+/u))
  const words = text.trim().split(/\s+/u)
  const from = words.findIndex((word) => left.has(word))
  const to = words.findIndex((word, at) => at > from && !left.has(word))
  return from < 0 ? rest : words.slice(from, to < 0 ? undefined : to).join(' ')
}

interface Series {
  pieces: readonly Piece[]
  lead: string
  /** They stand over others: of several kinds, unless each says what it is ("mode 1: ..."). */
  isMixed?: boolean
}

/** "Step 1", "Step 2". */
const stepLabel = /^(\p{L}{2,20}) (\d{1,2})(?![\p{L}\p{N}])/u

/** However they are set. */
function numberedOf(slide: SlideText): Series[] {
  const pieces = slide.blocks.flatMap((block) => piecesOf<Piece>(block))
  return numbered(pieces, ({ text }) => text, stepLabel, 2).map(({ run }) => ({ pieces: run, lead: slide.title }))
}

/** Lists, rows and headings of a slide, with what they stand under. */
function seriesOf(slide: SlideText, language: string): Series[] {
  // One part of several, "(1 of 2)": what it holds is not all.
  if (withoutPlace(slide.title) !== slide.title) return []
  const headings = slide.blocks.flatMap((block) => (block.kind === 'heading' ? [block] : []))
  return [
    ...numberedOf(slide),
    ...slide.blocks.flatMap((block, at) => seriesIn(block, leadOf(slide, at), language)),
    ...(headings.length > 1 ? [{ pieces: headings, lead: slide.title }] : []),
  ]
}

function seriesIn(block: Block, lead: string, language: string): Series[] {
  if (block.kind === 'table') {
    const rows = block.rows.slice(block.hasHeader ? 1 : 0)
    const named = block.hasHeader ? (block.rows[0]?.[0]?.text ?? '') : ''
    const pieces = rows.flatMap((row) => row.slice(0, 1))
    return [{ pieces, lead: `${lead} ${named}` }]
  }
  if (block.kind === 'paragraph') return inlineOf(block, language)
  if (block.kind !== 'list') return []
  const items = nested(block.items)
  const under = (at: number, level: number) => {
    const end = items.findIndex((item, place) => place > at && item.level < level)
    return items.slice(at + 1, end < 0 ? undefined : end).filter((item) => item.level === level)
  }
  const isFlat = items.every(({ level }) => level === 0)
  return [
    { pieces: items.filter(({ level }) => level === 0), lead, isMixed: !isFlat },
    ...items.flatMap((item, at) => {
      const children = under(at, item.level + 1)
      return children.length > 0 ? [{ pieces: children, lead: item.text }] : []
    }),
    ...items.flatMap((item) => inlineOf(item, language)),
  ]
}

const partWords = 5

/** "Agencies: DoD, HUD, and GSA." is a list of three. */
function inlineOf(piece: Piece, language: string): Series[] {
  const colon = piece.text.search(/[:：]\s/u)
  if (colon < 0) return []
  const and = new Intl.ListFormat(language, { type: 'conjunction' }).formatToParts(['1', '2'])[1]?.value ?? ' and '
  const parts = piece.text
    .slice(colon + 1)
    .replaceAll(' & ', and)
    .split(and)
    .flatMap((part) => part.split(/[,;，、；،]/u))
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const isList = parts.length > 1 && parts.every((part) => part.split(/\s+/u).length <= partWords)
  return isList ? [{ pieces: parts.map(() => piece), lead: piece.text.slice(0, colon) }] : []
}

export interface Counted {
  opening?: string
  quotes: Quote[]
}

/** Undefined where no count is asked for, or nothing is there that is sure to be what is counted. */
export function countAsked(question: string, { candidates, query }: Ranking, session: AnswerSession): Counted | undefined {
  const { language, slides } = session.content
  const asked = query.type === 'count' ? countedIn(question, language) : undefined
  if (asked === undefined) return undefined
  const idsOf = (text: string) => new Set(tokenise(text, language).map(({ term }) => session.index.vocabulary.get(term) ?? -1))
  const subject = idsOf(`${session.title} ${slides[0]?.text.slice(0, 500) ?? ''}`)
  const meets = (term: string, ids: ReadonlySet<number>) =>
    query.terms.some(({ stem, variants }) => stem === term && variants.some(({ id, weight }) => weight >= 0.6 && ids.has(id)))
  const chunks = distinctSlides(candidates.map(({ chunk }) => chunk))
  for (const chunk of chunks.slice(0, slidesMost)) {
    const slide = slides[chunk.source.index]
    if (slide === undefined) continue
    const around = new Set([...idsOf(slide.title), ...subject])
    for (const { pieces, lead, isMixed } of seriesOf(slide, language)) {
      const led = idsOf(`${lead} ${slide.title}`)
      const named = pieces.filter(({ text }) =>
        asked.noun.every((term) =>
          meets(
            term,
            idsOf(
              text
                .split(/\s+/u)
                .slice(0, asked.noun.length + 1)
                .join(' '),
            ),
          ),
        ),
      )
      const isLed = asked.noun.every((term) => meets(term, led)) && asked.noun.some((term) => meets(term, idsOf(lead)))
      const counted = isLed && isMixed !== true ? pieces : named.length > 1 ? named : []
      const held = new Set([...led, ...around])
      const isPinned = asked.terms.every((term) => asked.noun.includes(term) || meets(term, held))
      // A lead that holds a number says itself how many there are.
      if (counted.length < countFewest || counted.length > countMost || !isPinned || /\d/u.test(lead)) continue
      return toldCount(chunk, counted, lead, session)
    }
  }
  return undefined
}

function distinctSlides(chunks: readonly IndexedChunk[]): IndexedChunk[] {
  return chunks.filter(({ source }, at) => source.type === 'slide' && chunks.findIndex((other) => other.source.id === source.id) === at)
}

function toldCount(
  chunk: IndexedChunk,
  pieces: readonly Piece[],
  lead: string,
  { content: { language } }: AnswerSession,
): Counted | undefined {
  const [unit] = chunk.units
  if (unit === undefined) return undefined
  const opening = fill(wordsOf(language).counted, { count: pieces.length, slide: chunk.source.index + 1 })
  const distinct = pieces.filter((piece, at) => pieces.indexOf(piece) === at)
  const [only] = distinct
  const told: Told =
    distinct.length === 1 && only !== undefined
      ? { text: only.text, start: only.start, end: only.end }
      : tellSeries(distinct, lead, language)
  return { opening, quotes: [{ candidate: { chunk, unit }, told: [told] }] }
}

const quoted = /["“”„«»「」『』]([^"“”„«»「」『』]{1,60})["“”«»」』]/u

/** "Lesson 1", "Lesson 2" over slides, where as many are asked for, or how many there are. */
function numberedTitles(question: string, terms: Ranking['query']['terms'], { content: { slides, language } }: AnswerSession) {
  const [isCount, count] = [countedIn(question, language) !== undefined, seriesNamed(question)]
  if (!isCount && count === undefined) return undefined
  const means = (word: string) => tokenise(word, language).some(({ term }) => terms.some(({ stem }) => stem === term))
  return numbered(slides, ({ title }) => title, stepLabel, 2).find(({ before, run }) => means(before) && (isCount || run.length === count))
    ?.run
}

/** How often the words in quotation marks stand on each slide, or how many charts it was drawn from; undefined where neither is asked for. */
function heldBy(question: string, { type, terms }: Ranking['query'], session: AnswerSession): ((slide: SlideText) => number) | undefined {
  const { language } = session.content
  const words = quoted.exec(question)?.[1]?.trim().toLowerCase()
  const isLetter = (sign = '') => /[\p{L}\p{N}]/u.test(sign) && !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(sign)
  if (type === 'frequency' && words !== undefined && words !== '')
    return ({ text }) => {
      const parts = text.toLowerCase().split(words)
      return parts.slice(1).filter((behind, at) => !isLetter(parts[at]?.at(-1)) && !isLetter(behind[0])).length
    }
  const run = numberedTitles(question, terms, session)
  if (run !== undefined) return (slide) => (run.includes(slide) ? 1 : 0)
  const { chart } = wordsOf(language).figures
  const noun = type === 'count' ? countedIn(question, language) : undefined
  const isChart =
    noun !== undefined && noun.noun.length === noun.terms.length && without(plainWords(question), chart) !== plainWords(question)
  return isChart ? ({ blocks }) => blocks.filter((block) => block.kind === 'figure' && block.data !== undefined).length : undefined
}

/** What is counted over all slides, or those that are named: the words "as they stand", charts, or slides that number themselves; cited by what each says first. */
export function countOver(question: string, query: Ranking['query'], named: readonly number[], session: AnswerSession) {
  const { language, slides } = session.content
  const held = heldBy(question, query, session)
  const among = slides.filter(({ index }) => named.length === 0 || named.includes(index))
  const places = held === undefined ? [] : among.map((slide) => ({ slide, count: held(slide) })).filter(({ count }) => count > 0)
  if (places.length === 0) return undefined
  const citations = places.flatMap(({ slide }, at): Citation[] => {
    const { id, index, title, text } = slide
    const [quote = ''] = text.split('\n')
    return [{ type: 'slide', id, index, n: at + 1, title, quote, start: 0, end: quote.length }]
  })
  const words = wordsOf(language)
  const count = places.reduce((sum, place) => sum + place.count, 0)
  const numbers = new Intl.ListFormat(language, { type: 'conjunction' }).format(places.map(({ slide }) => String(slide.index + 1)))
  const text = fill(places.length === 1 ? words.counted : words.countedOver, { count, slide: numbers, slides: numbers })
  const isSure = among.every(({ blocks }) =>
    blocks.every((block) => piecesOf<Piece>(block).every(({ confidence }) => confidence === undefined)),
  )
  const isRun = places.length > 1 && places.every((place) => place.count === 1 && stepLabel.test(place.slide.title))
  const titles = isRun
    ? tellSeries(
        places.map(({ slide }) => ({ text: slide.title, start: 0, end: 0 })),
        '',
        language,
      ).text
    : ''
  return { sentence: { text: `${text} ${titles}`.trim(), citations }, isSure: isRun || (isSure && query.type === 'frequency') }
}

// "What is the difference between X and Y?": the two sides, each found by itself, best where one slide sets them side by side.

const sideMost = 8

function sidesIn(text: string, words: TalkWords, tag: string): [string, string] | undefined {
  const rest = without(text, words.compare)
  if (rest === text) return undefined
  const unspaced = /[\p{Script=Han}\p{Script=Hiragana}]/u
  let parts = [rest]
  for (const word of words.between) parts = parts.flatMap((part) => part.split(unspaced.test(word) ? word : ` ${word} `))
  const content = (part: string) => tokenise(part, tag).filter(({ weight }) => weight > 0).length
  const sides = parts.map((part) => bareSide(part, tag)).filter((part) => content(part) > 0 && content(part) <= sideMost)
  const [first, second] = sides
  return first === undefined || second === undefined || sides.length > 3 ? undefined : [first, second]
}

/** Without the words of the question around it: "what is the first plan" asks for another plan than "first plan". */
function bareSide(part: string, tag: string): string {
  const words = part.trim().split(/\s+/u)
  const says = (word: string) => tokenise(word, tag).some(({ weight }) => weight > 0)
  return words.slice(words.findIndex(says), words.findLastIndex(says) + 1).join(' ')
}

/** Undefined where nothing is compared. `tag`: the language of the talk. */
export function sidesOf(question: string, tag: string): [string, string] | undefined {
  return question.length > questionMax ? undefined : sidesIn(plainWords(question), wordsOf(tag), tag)
}

/** Slides of a side, and places of each, that are looked at for a partner. */
const [sourcesMost, placesMost] = [6, 3]
const pairsMost = 8
/** For two that stand on one slide, and for each that opens with its side ("Events carry facts"). */
const togetherBonus = 1.5
const opensBonus = 1.5
/** For each that speaks of the other side too: it tells the two apart less well. What a slide says first of a thing says what it is. */
const mixedLoss = 1
const laterLoss = 0.1

const opensWith = ({ sequence }: IndexedUnit, { terms, byTerm }: Query) =>
  terms.length > 0 && terms.every((_term, at) => byTerm.get(sequence[at] ?? -1)?.some((met) => met.at === at) === true)
const holdsAll = ({ sequence }: IndexedUnit, { terms }: Query) =>
  terms.length > 0 && terms.every(({ variants }) => variants.some(({ id }) => sequence.includes(id)))

function placesOf(candidates: readonly Candidate[]): Candidate[] {
  const sources = [...Map.groupBy(candidates, ({ chunk }) => chunk.sourceAt).values()].slice(0, sourcesMost)
  return sources.flatMap((places) => places.slice(0, placesMost))
}

/** Sides that come from two slides are told with what these are called. */
function named({ candidate, told: [first, ...rest] }: Quote, { content: { language } }: AnswerSession): Quote {
  const title = withoutPlace(candidate.chunk.title)
  if (first === undefined) return { candidate, told: [] }
  const isNamed = plainWords(first.text).includes(plainWords(title).trim())
  return { candidate, told: [isNamed ? first : { ...first, text: led(title, first.text, language) }, ...rest] }
}

/** What is told of each side, where both are found, in two places or more. */
export function bothSides(question: string, session: AnswerSession): Quote[] | undefined {
  const sides = sidesOf(question, session.content.language)
  if (sides === undefined) return undefined
  const [one, other] = sides.map((side) => rank(side, session.index))
  if (one === undefined || other === undefined) return undefined
  if ([one, other].some((ranking) => judge(ranking, session.index).verdict === 'unknown')) return undefined
  const fit = ({ unit, unitAt, score }: Candidate, own: Query, opposite: Query) =>
    score + (opensWith(unit, own) ? opensBonus : 0) - (holdsAll(unit, opposite) ? mixedLoss : 0) - laterLoss * Math.min(10, unitAt)
  const pairs = placesOf(one.candidates).flatMap((first) =>
    placesOf(other.candidates).flatMap((second) => {
      if (first.unit === second.unit) return []
      const isTogether = first.chunk.sourceAt === second.chunk.sourceAt
      const score = fit(first, one.query, other.query) + fit(second, other.query, one.query) + (isTogether ? togetherBonus : 0)
      return [{ first, second, score }]
    }),
  )
  for (const { first, second } of pairs.toSorted((x, y) => y.score - x.score).slice(0, pairsMost)) {
    const [told] = chooseQuotes([first], question, session)
    const [next] = chooseQuotes([second], question, session)
    if (told === undefined || next === undefined || told.told[0]?.text === next.told[0]?.text) continue
    const isApart = told.candidate.chunk.sourceAt !== next.candidate.chunk.sourceAt
    return isApart ? [told, next].map((quote) => named(quote, session)) : [told, next]
  }
  return undefined
}
