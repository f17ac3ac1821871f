// The second net against leaks: five-word runs of private notes that are not public. For text a model made; extractive answers cannot
// hold notes in the first place. Catches copied fragments, not re-worded ones.
import { tokenise } from '../retrieval/tokens.ts'

const size = 5

function shinglesOf(text: string, language: string): string[] {
  const words = tokenise(text, language).map(({ word }) => word)
  return words.slice(size - 1).map((_, at) => words.slice(at, at + size).join(' '))
}

/** Returns a test that is true for text holding five words in a row of `notes` that `publicTexts` do not hold. */
export function leakTest(notes: readonly string[], publicTexts: readonly string[], language: string): (text: string) => boolean {
  const open = new Set(publicTexts.flatMap((text) => shinglesOf(text, language)))
  const secret = new Set(notes.flatMap((text) => shinglesOf(text, language)).filter((shingle) => !open.has(shingle)))
  return (text) => secret.size > 0 && shinglesOf(text, language).some((shingle) => secret.has(shingle))
}
