// Words that say little about a subject: stop words carry no weight, weak words (those that any question may hold) a part of it.
// Languages without a file rely on document frequency (session-index.ts).
import { findLanguage } from '../../platform/languages.ts'
import { fold } from './fold.ts'

const sets = { empty: new Map<string, ReadonlySet<string>>(), weak: new Map<string, ReadonlySet<string>>() }

function setOf(kind: keyof typeof sets, language: string): ReadonlySet<string> {
  let found = sets[kind].get(language)
  if (found === undefined) sets[kind].set(language, (found = new Set(findLanguage(language)?.words[kind].map(fold))))
  return found
}

/** Folded stop words of a primary language subtag; empty for a language without a list. */
export const stopWords = (language: string): ReadonlySet<string> => setOf('empty', language)

/** Folded words that count for less, of a primary language subtag. */
export const weakWords = (language: string): ReadonlySet<string> => setOf('weak', language)
