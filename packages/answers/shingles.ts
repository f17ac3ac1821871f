// The second net against leaks, for text a model made: five words in a row of private notes that are not public, and single words that
// only the notes hold. Extractive answers cannot hold notes in the first place, and a model is never given them.
import { tokenise } from './ranking/tokens.ts'

const size = 5

/** `question`: what was asked; its words are no secret, since whoever asked knows them. */
export type LeakTest = (text: string, question?: string) => boolean

function shinglesOf(text: string, language: string): string[] {
  const words = tokenise(text, language).map(({ word }) => word)
  return words.slice(size - 1).map((_, at) => words.slice(at, at + size).join(' '))
}

/** Words that say something, by their stem. */
const termsOf = (text: string, language: string): string[] =>
  tokenise(text, language).flatMap(({ term, weight }) => (weight < 1 ? [] : [term]))

/** What `of` gives of all texts, a text a step. */
function* gathered(texts: readonly string[], of: (text: string) => readonly string[]): Generator<undefined, Set<string>> {
  const into = new Set<string>()
  for (const text of texts) {
    for (const found of of(text)) into.add(found)
    yield
  }
  return into
}

/** Those of `texts` that `open` does not hold. */
function* hidden(
  texts: readonly string[],
  of: (text: string) => readonly string[],
  open: ReadonlySet<string>,
): Generator<undefined, Set<string>> {
  return yield* gathered(texts, (text) => of(text).filter((found) => !open.has(found)))
}

const [pieceLength, overlap] = [4_000, 400]

/** Of a long text, cut at spaces; neighbours share more than five words, so that no words in a row are lost. */
function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += pieceLength) {
    const from = at === 0 ? 0 : Math.max(text.lastIndexOf(' ', at - overlap), at - 2 * overlap)
    const space = text.lastIndexOf(' ', at + pieceLength)
    pieces.push(text.slice(from, space > at ? space : at + pieceLength))
  }
  return [...pieces, text.slice(-overlap)]
}

export interface LeakTests {
  /** True for text holding five words in a row of `notes` that `publicTexts` do not hold. */
  runs: LeakTest
  /** Stricter, for sentences of a model: also a word that the notes hold and neither `publicTexts` nor the question do. */
  strict: LeakTest
}

export function* leakTests(notes: readonly string[], publicTexts: readonly string[], language: string): Generator<undefined, LeakTests> {
  const shingles = (text: string) => shinglesOf(text, language)
  const terms = (text: string) => termsOf(text, language)
  const [open, closed] = [publicTexts.flatMap(piecesOf), notes.flatMap(piecesOf)]
  const secret = yield* hidden(closed, shingles, yield* gathered(open, shingles))
  const only = yield* hidden(closed, terms, yield* gathered(open, terms))
  const runs: LeakTest = (text) => secret.size > 0 && shingles(text).some((shingle) => secret.has(shingle))
  return {
    runs,
    strict(text, question = '') {
      if (runs(text)) return true
      const found = terms(text).filter((term) => only.has(term))
      if (found.length === 0) return false
      const asked = new Set(terms(question))
      return found.some((term) => !asked.has(term))
    },
  }
}
