// Words that say little about a subject: stop words carry no weight, weak words (those that any question may hold) a part of it.
// Languages without a file rely on document frequency (session-index.ts).
import { findLanguage, perLanguage } from '../../platform/languages.ts'
import { fold } from './fold.ts'

/** Folded stop words of a primary language subtag; empty for a language without a list. */
export const stopWords = perLanguage((_english, tag): ReadonlySet<string> => new Set(findLanguage(tag)?.words.empty.map(fold)))

/** Folded words that count for less, of a primary language subtag. */
export const weakWords = perLanguage((_english, tag): ReadonlySet<string> => new Set(findLanguage(tag)?.words.weak.map(fold)))
