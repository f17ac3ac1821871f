// "What is the difference between X and Y?": the two sides, each found by itself, best where one slide sets them side by side.
import { type TalkWords, wordsInOrder } from '../platform/languages.ts'
import { withoutPlace } from '../sessions/script/compile/spoken-words.ts'
import type { AnswerSession } from './answer-part.ts'
import { led } from './evidence.ts'
import { chooseQuotes, type Quote } from './quote.ts'
import { judge } from './ranking/answerability.ts'
import type { Query } from './ranking/question.ts'
import { type Candidate, rank } from './ranking/rank.ts'
import type { IndexedUnit } from './ranking/session-index.ts'
import { tokenise } from './ranking/tokens.ts'
import { answerabilityWeights, rankWeights } from './ranking/weights.ts'
import { plainWords, without } from './whole-talk.ts'

const questionMax = 200
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
  if (question.length > questionMax) return undefined
  const text = plainWords(question)
  for (const words of wordsInOrder(tag).slice(0, 1)) {
    const sides = sidesIn(text, words, tag)
    if (sides !== undefined) return sides
  }
  return undefined
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
  const [one, other] = sides.map((side) => rank(side, session.index, { weights: rankWeights }))
  if (one === undefined || other === undefined) return undefined
  if ([one, other].some((ranking) => judge(ranking, session.index, answerabilityWeights).verdict === 'unknown')) return undefined
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
