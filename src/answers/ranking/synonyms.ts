// Words that ask for the same thing (`languages`): versioned by hand, of general use, none taken from a deck or a benchmark.
// A ring lets "How heavy is it?" meet "weight"; a match through a ring counts for less than the word itself (question.ts).
import { baseLanguage, findLanguage } from '../../platform/languages.ts'
import { fold } from './fold.ts'
import { stemOf } from './tokens.ts'

/** Raised when a ring changes, so that trained weights can name the list they were trained with. */
export const synonymsVersion = 3

function readRings(language: string): Map<string, readonly string[]> {
  const map = new Map<string, Set<string>>()
  for (const ring of findLanguage(language)?.synonyms ?? []) {
    const terms = ring.split(/\s+/u).flatMap((word) => (word.includes('-') ? [] : [stemOf(fold(word).toLowerCase(), language)]))
    for (const term of terms) {
      const others = map.get(term) ?? new Set<string>()
      for (const other of terms) if (other !== term) others.add(other)
      map.set(term, others)
    }
  }
  return new Map([...map].map(([term, others]) => [term, [...others]]))
}

const byLanguage = new Map<string, Map<string, readonly string[]>>()

/** Other stems that stand for the same idea in the language of `tag`. */
export function synonymsOf(term: string, tag: string): readonly string[] {
  const language = baseLanguage(tag)
  let map = byLanguage.get(language)
  if (!map) {
    map = readRings(language)
    byLanguage.set(language, map)
  }
  return map.get(term) ?? []
}

const kinds = new Map<string, ReadonlyMap<string, readonly string[]>>()

/** What a general noun may stand for, one way: asked for a religion, a text that names one will do. */
export function kindsOf(term: string, tag: string): readonly string[] {
  const language = baseLanguage(tag)
  let own = kinds.get(language)
  if (!own) {
    const stems = (list: string) => list.split(' ').map((word) => stemOf(word, language))
    own = new Map(Object.entries(findLanguage(language)?.kinds ?? {}).map(([name, list]) => [stemOf(name, language), stems(list)]))
    kinds.set(language, own)
  }
  return own.get(term) ?? []
}
