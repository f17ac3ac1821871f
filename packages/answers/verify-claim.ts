// Checks one sentence a model made against the public text it cites: deterministic, no model. A claim passes only when every figure,
// name, address and promise in it is in its sources, each beside the words it is said of; when it denies and compares as they do; and
// when most of its words are theirs.
import type { Citation } from '@rostrum/contract/answer'
import { baseLanguage } from '@rostrum/languages/languages'
import {
  addressesIn,
  claimTokens,
  clauseEnd,
  compares,
  deniedIn,
  type Figure,
  figuresIn,
  isFigure,
  isMonth,
  measureNamed,
  measuresNamed,
  promiseRoot,
  promisesIn,
  type SourceFacts,
  sourceFacts,
  type UnitFacts,
} from './claim-facts.ts'
import { citationOf } from './quote.ts'
import { type QueryTerm, readQuestion } from './ranking/question.ts'
import { holdOf, type IndexedUnit, type SessionIndex } from './ranking/session-index.ts'
import type { Token } from './ranking/tokens.ts'

// Whether a figure, a name or a promise stands in its source beside the words that the claim says it of. "Graz: 12 sites" is in the
// source only where one unit of text says both. Pure.

/** It must stand in a unit that fits the words around it about as well as the best one does. */
const fitMin = 0.85

/** How well a unit fits some terms: their number, each by how it is met; a title's words count half. */
function fitOf({ unit }: UnitFacts, terms: readonly QueryTerm[], without = ''): number {
  return terms.reduce((sum, { stem, variants }) => {
    if (stem === without) return sum
    return sum + variants.reduce((best, { id, weight }) => Math.max(best, weight * holdOf(unit, id)), 0)
  }, 0)
}

/** What is said with a figure or name: the whole claim, and the part between two stops or "and"s that holds it. */
function partsWith(text: string, term: string, index: SessionIndex): (readonly QueryTerm[])[] {
  const { language } = index
  const clause = text.split(clauseEnd()).find((part) => claimTokens(part, language).some((token) => token.term === term))
  const whole = readQuestion(text, index).terms
  if (clause === undefined || clause === text) return [whole]
  const measures = new Set(claimTokens(clause, language).flatMap((token) => (measureNamed(token.word, language) ? [token.term] : [])))
  const terms = readQuestion(clause, index).terms
  // A part of figures and measures alone is said of what the rest of the claim names.
  const says = ({ stem, variants, isNumber }: QueryTerm) => stem !== term && !isNumber && variants.length > 0 && !measures.has(stem)
  return terms.some(says) ? [terms, whole] : [whole]
}

/** It stands elsewhere in the sources than what is said with it. */
function isMisplaced(
  term: string,
  holds: (unit: UnitFacts) => boolean,
  text: string,
  units: readonly UnitFacts[],
  index: SessionIndex,
): boolean {
  return partsWith(text, term, index).every((terms) => {
    const best = Math.max(0, ...units.map((unit) => fitOf(unit, terms, term)))
    const own = Math.max(0, ...units.filter(holds).map((unit) => fitOf(unit, terms, term)))
    return own < best * fitMin
  })
}

/** Within one unit: the figure stands in one part, and another part with a figure of its own, which the claim leaves out, fits better. */
function isOutdone(value: string, figures: readonly Figure[], text: string, units: readonly UnitFacts[], language: string): boolean {
  const said = new Set(figures.map((figure) => figure.value))
  const terms = new Set(claimTokens(text, language).flatMap(({ term, weight }) => (weight > 0 && term !== value ? [term] : [])))
  const fit = (part: UnitFacts['parts'][number]) => [...terms].filter((term) => part.terms.has(term)).length
  return units
    .filter((unit) => unit.values.has(value))
    .every(({ parts }) => {
      const own = Math.max(0, ...parts.filter((part) => part.values.has(value)).map(fit))
      const rivals = parts.filter((part) => part.values.size > 0 && ![...part.values].some((other) => said.has(other)))
      return rivals.some((part) => fit(part) > own)
    })
}

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
  | 'misplaced'
  | 'support'

export type ClaimVerdict = { ok: true; support: number } | { ok: false; reason: ClaimFault }

const lengthMax = 400
const supportMin = 0.55

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
  return support < supportMin ? no('support') : { ok: true, support }
}

// The figures of a claim against those of its sources: the value, the measure beside it, what it counts, and where it stands. Pure.

export interface FigureCheck {
  text: string
  figures: readonly Figure[]
  cited: readonly SourceFacts[]
  units: readonly UnitFacts[]
  question: string
  index: SessionIndex
}

/** "14 hours" is not "14 days": the measure is that of the source, or one it names where it says none beside the figure. */
function hasMeasure({ value, measures }: Figure, { units, cited }: FigureCheck): boolean {
  return measures.every(({ name }) =>
    units.some((unit) => {
      const same = unit.figures.filter((figure) => figure.value === value)
      if (same.some((figure) => figure.measures.some((measure) => measure.name === name))) return true
      const isOpen = same.some((figure) => figure.counts === undefined && figure.measures.length === 0)
      return isOpen && cited.some((source) => source.measures.has(name))
    }),
  )
}

/** A figure that the claim repeats more often than its sources say it. */
function isRepeated({ figures, units }: FigureCheck): boolean {
  const times = (all: readonly Figure[], value: string) => all.filter((figure) => figure.value === value).length
  const theirs = units.flatMap((unit) => unit.figures)
  return figures.some(({ value }) => times(figures, value) > 1 && times(figures, value) > times(theirs, value))
}

function faultOf(figure: Figure, check: FigureCheck): 'figure' | 'measure' | 'misplaced' | null {
  const { value } = figure
  const { text, figures, units, index } = check
  if (!hasMeasure(figure, check)) return 'measure'
  const isElsewhere = isMisplaced(value, (unit) => unit.values.has(value), text, units, index)
  return isElsewhere || isOutdone(value, figures, text, units, index.language) ? 'misplaced' : null
}

/** The first fault in the figures of a claim; null when they all stand in its sources as it says them. */
function figureFault(check: FigureCheck): 'figure' | 'measure' | 'misplaced' | null {
  const { text, figures, cited, question, index } = check
  const known = new Set(cited.flatMap((source) => [...source.values]))
  const asked = new Set(
    claimTokens(question, index.language)
      .filter(isFigure)
      .map(({ term }) => term),
  )
  const mayCompare = compares(text) && figures.some(({ value }) => known.has(value))
  if (isRepeated(check)) return 'figure'
  for (const figure of figures) {
    if (!known.has(figure.value)) {
      if (mayCompare && asked.has(figure.value)) continue
      return 'figure'
    }
    const fault = faultOf(figure, check)
    if (fault !== null) return fault
  }
  return null
}

// What a verified claim rests on, verbatim: of each source it names, the unit of text that fits its words best.

/** One citation a source, numbered from `first`; `sources` are ids that the verifier has found. */
export function claimCitations(text: string, sources: readonly string[], index: SessionIndex, first: number): Citation[] {
  const { terms } = readQuestion(text, index)
  const fit = (unit: IndexedUnit) =>
    terms.reduce((sum, { variants, value }) => sum + value * Math.max(0, ...variants.map(({ id, weight }) => weight * holdOf(unit, id))), 0)
  return [...new Set(sources)].flatMap((id, at) => {
    const units = index.chunks.flatMap((chunk) =>
      chunk.source.id === id ? chunk.units.map((unit) => ({ chunk, unit, score: fit(unit) })) : [],
    )
    const best = units.reduce<(typeof units)[number] | undefined>((top, one) => (top && top.score >= one.score ? top : one), undefined)
    return best === undefined ? [] : [citationOf(best, first + at)]
  })
}
