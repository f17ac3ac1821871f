// The second net against leaks, for text a model made: five words in a row of private notes that are not public, and single words that
// only the notes hold. Extractive answers cannot hold notes in the first place, and a model is never given them.
import { tokenise } from '../retrieval/tokens.ts'

const size = 5

/** `question`: what was asked; its words are no secret, since whoever asked knows them. */
export type LeakTest = (text: string, question?: string) => boolean

function shinglesOf(text: string, language: string): string[] {
  const words = tokenise(text, language).map(({ word }) => word)
  return words.slice(size - 1).map((_, at) => words.slice(at, at + size).join(' '))
}

/** Words that say something, by their stem. */
const termsOf = (texts: readonly string[], language: string): Set<string> =>
  new Set(texts.flatMap((text) => tokenise(text, language).flatMap(({ term, weight }) => (weight < 1 ? [] : [term]))))

/** Returns a test that is true for text holding five words in a row of `notes` that `publicTexts` do not hold. */
export function leakTest(notes: readonly string[], publicTexts: readonly string[], language: string): LeakTest {
  const open = new Set(publicTexts.flatMap((text) => shinglesOf(text, language)))
  const secret = new Set(notes.flatMap((text) => shinglesOf(text, language)).filter((shingle) => !open.has(shingle)))
  return (text) => secret.size > 0 && shinglesOf(text, language).some((shingle) => secret.has(shingle))
}

/** Stricter, for sentences of a model: also a word that the notes hold and neither `publicTexts` nor the question do. */
export function strictLeakTest(notes: readonly string[], publicTexts: readonly string[], language: string): LeakTest {
  const holdsRun = leakTest(notes, publicTexts, language)
  const open = termsOf(publicTexts, language)
  const secret = [...termsOf(notes, language)].filter((term) => !open.has(term))
  const only = new Set(secret)
  return (text, question = '') => {
    if (holdsRun(text)) return true
    const found = [...termsOf([text], language)].filter((term) => only.has(term))
    if (found.length === 0) return false
    const asked = termsOf([question], language)
    return found.some((term) => !asked.has(term))
  }
}
