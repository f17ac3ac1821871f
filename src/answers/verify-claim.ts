// Checks one sentence a model made against the public text it cites: deterministic, no model. A claim passes only when every figure,
// name, address and promise in it is in its sources, each beside the words it is said of; when it denies and compares as they do; and
// when most of its words are theirs.
import { baseLanguage } from '../platform/languages.ts'
import {
  addressesIn,
  claimTokens,
  deniedIn,
  figuresIn,
  isFigure,
  measuresNamed,
  promiseRoot,
  type SourceFacts,
  sourceFacts,
  type UnitFacts,
} from './claim-facts.ts'
import { figureFault } from './claim-figures.ts'
import { fitMin, fitOf, isMisplaced } from './claim-places.ts'
import { isMonth, isTurnedAround, measureNamed, promisesIn } from './claim-words.ts'
import { type QueryTerm, readQuestion } from './ranking/question.ts'
import { holdOf, type SessionIndex } from './ranking/session-index.ts'
import type { Token } from './ranking/tokens.ts'

export interface Claim {
  text: string
  /** Ids of slides or passages. */
  sources: readonly string[]
}

export interface ClaimContext {
  /** Of this session alone: an id that it does not know is no source. */
  index: SessionIndex
  /** Of the session: a name in it needs no other source. */
  title: string
  question: string
  /** True for text that holds what only private notes hold (leak-check.ts); words of the question are no secret. */
  leaks(text: string, question: string): boolean
}

export type ClaimFault =
  | 'empty'
  | 'too_long'
  | 'no_source'
  | 'unknown_source'
  | 'leak'
  | 'address'
  | 'figure'
  | 'measure'
  | 'name'
  | 'promise'
  | 'denial'
  | 'opposite'
  | 'misplaced'
  | 'support'

export type ClaimVerdict = { ok: true; support: number } | { ok: false; reason: ClaimFault }

const lengthMax = 400
const supportMin = 0.55
/** German writes every noun as a name, so there the words themselves must carry more. */
const supportMinGerman = 0.7

const no = (reason: ClaimFault): ClaimVerdict => ({ ok: false, reason })

const wordMax = 24
const letterRunMax = 2

/** What is no word of any language here: letters strung out one by one, a word with a capital inside, or one beyond all length. */
function hidesText(text: string, tokens: readonly Token[], cited: readonly SourceFacts[]): boolean {
  const isKnown = (word: string) => cited.some(({ words }) => words.has(word.toLowerCase()))
  const odd = text.match(/(?<![\p{L}\p{N}])[\p{L}\p{N}]*?\p{Ll}\p{Lu}[\p{L}\p{N}]*/gu) ?? []
  if (odd.some((word) => !isKnown(word)) || tokens.some(({ word }) => word.length > wordMax && !isKnown(word))) return true
  return tokens.filter(({ word }) => word.length === 1 && /[a-z]/u.test(word) && !isKnown(word)).length > letterRunMax
}

/** Capitalised words after the first of a sentence, months, and words mixed with figures; German nouns are no names. */
function namesIn(tokens: readonly Token[], language: string): Token[] {
  const isMixed = (word: string) => /\p{L}/u.test(word) && /\p{N}/u.test(word)
  const hasNames = baseLanguage(language) !== 'de'
  return tokens.filter(
    ({ word, isCapital, weight }, at) => isMixed(word) || (hasNames && (isMonth(word) || (isCapital && weight > 0 && at > 0))),
  )
}

function nameFault(
  tokens: readonly Token[],
  text: string,
  cited: readonly SourceFacts[],
  units: readonly UnitFacts[],
  { index, title }: ClaimContext,
): 'name' | 'misplaced' | null {
  const titled = new Set(claimTokens(title, index.language).map(({ term }) => term))
  const known = new Set(cited.flatMap((source) => [...source.terms]))
  for (const { term } of namesIn(tokens, index.language)) {
    if (!known.has(term)) {
      if (titled.has(term)) continue
      return 'name'
    }
    if (isMisplaced(term, (unit) => unit.terms.has(term), text, units, index)) return 'misplaced'
  }
  return null
}

/** A promise that no unit gives, or one that gives it of something else. */
function promisesElsewhere(text: string, tokens: readonly Token[], units: readonly UnitFacts[], index: SessionIndex): boolean {
  return promisesIn(text).some((word) => {
    const term = tokens.find((token) => token.word === word)?.term ?? ''
    const holds = ({ promises }: UnitFacts) => promises.has(promiseRoot(word))
    return !units.some(holds) || isMisplaced(term, holds, text, units, index)
  })
}

/** What the claim denies, a source must deny; what a source denies, the claim may not simply say. */
function deniesOtherwise(text: string, tokens: readonly Token[], cited: readonly SourceFacts[], language: string): boolean {
  const own = deniedIn(text, language)
  const theirs = cited.flatMap(({ denied }) => denied)
  const meets = (a: readonly string[], b: readonly string[]) => a.some((term) => b.includes(term))
  if (own.some((words) => !theirs.some((other) => meets(words, other)))) return true
  const said = new Set(tokens.map(({ term }) => term))
  return theirs.some((words) => words.length > 0 && words.every((term) => said.has(term)) && !own.some((other) => meets(words, other)))
}

const isMet = ({ variants }: QueryTerm, units: readonly UnitFacts[]) =>
  variants.some(({ id }) => units.some(({ unit }) => holdOf(unit, id) > 0))

/** Share of the claim's words that its sources hold, themselves or in a related form; a measure in any spelling, a figure compared with. */
function supportOf(
  tokens: readonly Token[],
  terms: readonly QueryTerm[],
  cited: readonly SourceFacts[],
  units: readonly UnitFacts[],
  { question, index }: ClaimContext,
): number {
  const { language } = index
  const spelt = new Map(tokens.map(({ term, word }) => [term, measureNamed(word, language)?.name]))
  const asked = new Set(
    claimTokens(question, language)
      .filter(isFigure)
      .map(({ term }) => term),
  )
  const counted = terms.filter((term) => !(term.isNumber && asked.has(term.stem) && !isMet(term, units)))
  const met = counted.filter((term) => {
    const measure = spelt.get(term.stem)
    return isMet(term, units) || (measure !== undefined && cited.some(({ measures }) => measures.has(measure)))
  })
  return counted.length === 0 ? 0 : met.length / counted.length
}

/** The verdict on one claim; the first rule broken names the reason. Pure. */
export function verifyClaim(claim: Claim, context: ClaimContext): ClaimVerdict {
  const { text } = claim
  const { index, question } = context
  const { language } = index
  if (!/[\p{L}\p{N}]/u.test(text)) return no('empty')
  if (text.length > lengthMax) return no('too_long')
  if (claim.sources.length === 0) return no('no_source')
  const cited: SourceFacts[] = []
  for (const id of claim.sources) {
    const facts = sourceFacts(index, id)
    if (facts === null) return no('unknown_source')
    cited.push(facts)
  }
  if (context.leaks(text, question)) return no('leak')
  const units = cited.flatMap((source) => source.units)
  if (addressesIn(text).some((given) => !cited.some(({ addresses }) => addresses.has(given)))) return no('address')
  const tokens = claimTokens(text, language)
  if (promisesElsewhere(text, tokens, units, index)) return no('promise')
  const figures = figuresIn(tokens, language)
  const fault = figureFault({ text, figures, cited, units, question, index }) ?? nameFault(tokens, text, cited, units, context)
  if (fault !== null) return no(fault)
  if (hidesText(text, tokens, cited)) return no('name')
  if ([...measuresNamed(tokens, language)].some((name) => !cited.some(({ measures }) => measures.has(name)))) return no('measure')
  if (deniesOtherwise(text, tokens, cited, language)) return no('denial')
  const { terms } = readQuestion(text, index)
  const support = supportOf(tokens, terms, cited, units, context)
  if (support < (baseLanguage(language) === 'de' ? supportMinGerman : supportMin)) return no('support')
  const best = Math.max(...units.map((unit) => fitOf(unit, terms)))
  const closest = units.filter((unit) => fitOf(unit, terms) >= best * fitMin)
  const words = new Set(tokens.map(({ word }) => word))
  return closest.every((unit) => isTurnedAround(words, unit.words)) ? no('opposite') : { ok: true, support }
}
