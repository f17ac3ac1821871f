// The presenter's own words around what the slides say (`languages`). What follows a colon or stands between commas fits whatever its
// grammar is.
import type { Language } from '../../../platform/languages.ts'

export type Phrases = Language['script']

/** "three", or figures beyond what a language counts in words here. */
export function countWord(phrases: Phrases, count: number): string {
  return phrases.counts[count - 2] ?? String(count)
}
