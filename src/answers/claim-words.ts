// The words a claim is judged by, whatever deck it is about: promises, denials, opposites, comparisons and units of measure, of every
// language (`languages`).
import { everyWord, inEveryLanguage, languageOf, perLanguage, type Language } from '../platform/languages.ts'
import { lazily } from '../platform/lazily.ts'
import { insidePattern } from '../platform/word-pattern.ts'
import { fold } from './ranking/fold.ts'

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

const opposites = lazily(() => {
  const pairs = inEveryLanguage(({ claims }) => claims.opposites).map((pair) => pair.split(' '))
  return Map.groupBy(
    pairs.flatMap(([one = '', other = '']) => [
      [one, other],
      [other, one],
    ]),
    ([from]) => from,
  )
})

/** Whether the claim says a word, and the source its opposite and not the word itself. */
export function isTurnedAround(claim: ReadonlySet<string>, source: ReadonlySet<string>): boolean {
  return [...claim].some(
    (word) => !source.has(word) && (opposites().get(word) ?? []).some(([, other = '']) => source.has(other) && !claim.has(other)),
  )
}

export interface Measure {
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
export function signsAsWords(text: string): string {
  return text
    .replaceAll('€', ' EUR ')
    .replaceAll('£', ' GBP ')
    .replace(/R\$/gu, ' BRL ')
    .replaceAll('$', ' USD ')
    .replace(/[%٪]/gu, ' percent ')
}
