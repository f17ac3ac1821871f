// What the sources of a session state, in the form in which claims are checked against them: figures with their measures, names,
// addresses and promises by unit of text. Made once a source and index, and kept while the index lives. Pure.
import { everyWord, inEveryLanguage, type Language, languageOf, perLanguage } from '@rostrum/languages/languages'
import { lazily } from '@rostrum/base/work'
import { insidePattern } from '@rostrum/languages/word-pattern'
import { isNegated } from './ranking/question.ts'
import type { IndexedUnit, SessionIndex } from './ranking/session-index.ts'
import { fold, type Token, tokenise } from './ranking/tokens.ts'

const promise = lazily(() =>
  insidePattern(
    inEveryLanguage(({ claims }) => claims.promise),
    'gu',
  ),
)

/** Words that bind or give away, as they stand: they may be said only where the source says them. */
export function promisesIn(text: string): string[] {
  return (fold(text).toLowerCase().match(promise()) ?? []).map((word) => word.trim())
}

/** Where one part of a sentence ends and the next begins. */
export const clauseEnd = lazily(() => new RegExp(String.raw`[,;]\s+|(?<!\s)\s+(?:${everyWord(({ claims }) => claims.parts)})\s+`, 'iu'))

const comparison = lazily(() => insidePattern(inEveryLanguage(({ claims }) => claims.compare)))

/** A comparison may name the figure of the question beside that of the source. */
export const compares = (text: string): boolean => comparison().test(fold(text).toLowerCase())

interface Measure {
  name: string
  dimension: string
}

const measuresIn = (words: readonly Language[]): ReadonlyMap<string, Measure> =>
  new Map(
    words.flatMap(({ values }) =>
      Object.entries(values.measures).flatMap(([dimension, names]) =>
        Object.entries(names).flatMap(([name, list]) => list.split(' ').map((word): [string, Measure] => [word, { name, dimension }])),
      ),
    ),
  )
const measures = perLanguage((own) => measuresIn([languageOf('en'), own]))

/** The measure that a folded lower-case word names, in this language or in English. */
export const measureNamed = (word: string, language: string): Measure | undefined => measures(language).get(word)

const months = lazily(() => new Set(inEveryLanguage(({ values }) => values.months)))

export const isMonth = (word: string): boolean => months().has(word)

/** Signs written as words, so that a reader of words finds them. */
function signsAsWords(text: string): string {
  return text
    .replaceAll('€', ' EUR ')
    .replaceAll('£', ' GBP ')
    .replace(/R\$/gu, ' BRL ')
    .replaceAll('$', ' USD ')
    .replace(/[%٪]/gu, ' percent ')
}

// The words a claim is judged by, whatever deck it is about: promises, denials, comparisons and units of measure, of every
// language (`languages`).

/** A figure with the measures that stand beside it. */
export interface Figure {
  value: string
  measures: readonly Measure[]
  /** The word after it, unless that is a measure: what it counts. */
  counts?: string
}

export interface UnitFacts {
  unit: IndexedUnit
  text: string
  values: ReadonlySet<string>
  figures: readonly Figure[]
  promises: ReadonlySet<string>
  /** Between its commas and "and"s. */
  parts: readonly { values: ReadonlySet<string>; terms: ReadonlySet<string> }[]
  terms: ReadonlySet<string>
}

export interface SourceFacts {
  values: ReadonlySet<string>
  terms: ReadonlySet<string>
  words: ReadonlySet<string>
  measures: ReadonlySet<string>
  /** What is denied: after each "no", "not" or "without", the words it is said of. */
  denied: readonly (readonly string[])[]
  addresses: ReadonlySet<string>
  units: readonly UnitFacts[]
}

const address =
  /(?<![^\s"'<>()@])[^\s"'<>()@]+@[^\s"'<>()@]+\.[^\s"'<>()@.,;:]+|(?:https?:\/\/|www\.)[^\s"'<>()]+[^\s"'<>().,;:]|(?<![a-z0-9-]|[a-z0-9-]\.)[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|io|eu|co|uk|de|at|ch|fr|es|pt|br|app|dev|ai|info|example|test)\b(?:\/[^\s"'<>()]*[^\s"'<>().,;:])?/giu

const rootLength = 6

/** "guaranteed" is the promise of "guarantee". */
export const promiseRoot = (word: string): string => word.slice(0, rootLength)

/** E-mail addresses and links, however they are written. */
export function addressesIn(text: string): string[] {
  return (text.match(address) ?? []).map((found) =>
    found
      .toLowerCase()
      .replace(/^https?:\/\//u, '')
      .replace(/^www\./u, '')
      .replace(/\/$/u, ''),
  )
}

export const isFigure = ({ isNumber, term }: Token): boolean => isNumber || /^\d+(?:\.\d+)?$/u.test(term)

/** Tokens in which signs such as € and % are words. */
export const claimTokens = (text: string, language: string): Token[] => tokenise(signsAsWords(text), language)

const deniedMax = 3
const deniedReach = 6

/** The words that a denial is said of: the next three that say something, or those before it where none follow. */
export function deniedIn(text: string, language: string): string[][] {
  return text.split(/[,;.!?](?:\s|$)/u).flatMap((part) => {
    const tokens = claimTokens(part, language)
    const told = (some: readonly Token[]) =>
      some.filter(({ word, weight }) => weight > 0 && !isNegated(word, language)).map(({ term }) => term)
    const free = [...part.matchAll(/(?<!\p{L})(\p{L}+)-free\b/giu)].map(([, word = '']) =>
      claimTokens(word, language).map(({ term }) => term),
    )
    return [
      ...free,
      ...tokens.flatMap(({ word }, at) => {
        if (!isNegated(word, language)) return []
        const after = told(tokens.slice(at + 1, at + 1 + deniedReach)).slice(0, deniedMax)
        return [after.length > 0 ? after : told(tokens.slice(Math.max(0, at - deniedReach), at)).slice(-deniedMax)]
      }),
    ]
  })
}

export function figuresIn(tokens: readonly Token[], language: string): Figure[] {
  return tokens.flatMap((token, at): Figure[] => {
    if (!isFigure(token)) return []
    const measureAt = (place: number) => measureNamed(tokens[place]?.word ?? '', language)
    const [before, after] = [measureAt(at - 1), measureAt(at + 1)]
    const second = after?.dimension === 'size' ? measureAt(at + 2) : undefined
    const found = [before?.dimension === 'money' ? before : undefined, after, second]
    const next = tokens[at + 1]
    const counts = after === undefined && next !== undefined && next.weight > 0 && !isFigure(next) ? { counts: next.term } : {}
    return [{ value: token.term, measures: found.filter((measure) => measure !== undefined), ...counts }]
  })
}

const values = (tokens: readonly Token[]) => new Set(tokens.filter(isFigure).map(({ term }) => term))
const wordSet = (tokens: readonly Token[]) => new Set(tokens.map(({ word }) => word))

export const measuresNamed = (tokens: readonly Token[], language: string): Set<string> =>
  new Set(tokens.flatMap(({ word }) => measureNamed(word, language)?.name ?? []))

function partsOf(text: string, language: string): UnitFacts['parts'] {
  const parts = text.split(clauseEnd()).map((part) => claimTokens(part, language))
  return parts.map((tokens) => ({ values: values(tokens), terms: new Set(tokens.map(({ term }) => term)) }))
}

function unitFacts(unit: IndexedUnit, title: string, language: string): UnitFacts {
  const own = claimTokens(unit.text, language)
  const all = [...own, ...claimTokens(title, language)]
  return {
    unit,
    text: unit.text,
    values: values(own),
    figures: figuresIn(own, language),
    promises: new Set(promisesIn(unit.text).map(promiseRoot)),
    parts: partsOf(unit.text, language),
    terms: new Set(all.map(({ term }) => term)),
  }
}

const kept = new WeakMap<SessionIndex, Map<string, SourceFacts | null>>()

function make(index: SessionIndex, id: string): SourceFacts | null {
  const chunks = index.chunks.filter(({ source }) => source.id === id)
  if (chunks.length === 0) return null
  const { language } = index
  const units = chunks.flatMap((chunk) => chunk.units.map((unit) => unitFacts(unit, chunk.title, language)))
  const title = chunks[0]?.title ?? ''
  const text = units.map((unit) => unit.text).join('\n')
  const tokens = claimTokens(`${title}\n${text}`, language)
  return {
    values: values(claimTokens(text, language)),
    terms: new Set(tokens.map(({ term }) => term)),
    words: wordSet(tokens),
    measures: measuresNamed(tokens, language),
    denied: units.flatMap((unit) => deniedIn(unit.text, language)),
    addresses: new Set(addressesIn(`${title}\n${text}`)),
    units,
  }
}

/** What the source of this id states; null: the session has no such source, or it says nothing. */
export function sourceFacts(index: SessionIndex, id: string): SourceFacts | null {
  const facts = kept.get(index) ?? new Map<string, SourceFacts | null>()
  kept.set(index, facts)
  const known = facts.get(id)
  if (known !== undefined) return known
  const made = make(index, id)
  facts.set(id, made)
  return made
}
