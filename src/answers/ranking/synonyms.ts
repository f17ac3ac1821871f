// Words that ask for the same thing (`languages`): versioned by hand, of general use, none taken from a deck or a benchmark.
// A ring lets "How heavy is it?" meet "weight"; a match through a ring counts for less than the word itself (question.ts).
import { baseLanguage, findLanguage, perLanguage } from '../../platform/languages.ts'
import { fold } from './fold.ts'
import { stemOf } from './tokens.ts'

/** Raised when a ring changes, so that trained weights can name the list they were trained with. */
export const synonymsVersion = 3

const rings = perLanguage((_english, language): ReadonlyMap<string, readonly string[]> => {
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
})

/** Other stems that stand for the same idea in the language of `tag`. */
export const synonymsOf = (term: string, tag: string): readonly string[] => rings(baseLanguage(tag)).get(term) ?? []

const kinds = perLanguage((_english, language): ReadonlyMap<string, readonly string[]> => {
  const stems = (list: string) => list.split(' ').map((word) => stemOf(word, language))
  return new Map(Object.entries(findLanguage(language)?.kinds ?? {}).map(([name, list]) => [stemOf(name, language), stems(list)]))
})

/** What a general noun may stand for, one way: asked for a religion, a text that names one will do. */
export const kindsOf = (term: string, tag: string): readonly string[] => kinds(baseLanguage(tag)).get(term) ?? []
