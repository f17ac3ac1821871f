// What a talk comes back to at its end: three statements that carried most, from three slides, or none.
import type { Sentence } from './narration.ts'
import { countWords, isEnded, isFragment, isReference, keyOf, wordsOf } from './spoken-words.ts'

const statementsMost = 3
const wordsLeast = 5
const wordsMost = 20
const plainWordsLeast = 7

/** In their order; of slides whose words are their author's own, nothing is taken. */
export function closingStatements(slides: readonly (readonly Sentence[])[], language: string): string[] {
  const frequency = new Map<string, number>()
  for (const { text } of slides.flat())
    for (const word of new Set(wordsOf(text, language))) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const found = slides.flatMap((sentences, at) =>
    sentences.flatMap(({ statement: text, isAuthored, waitMs }) => {
      if (text === undefined || isAuthored === true || waitMs !== undefined || /[:;?!：；？！؛؟]|^["“„«(]/u.test(text)) return []
      const words = wordsOf(text, language)
      const count = countWords(text, language)
      // Without a stop it may be a label, a name, a reference: only a long plain line is taken for a sentence.
      if (!isEnded(text) && (count < plainWordsLeast || /[()“”'"]|\p{Lu}-?\d/u.test(text))) return []
      if (count < wordsLeast || count > wordsMost || isFragment(text, language) || isReference(text)) return []
      // What the talk speaks of again and again is its subject; a figure is what one remembers.
      const subject = words.reduce((sum, word) => sum + Math.log(1 + (word.length > 3 ? (frequency.get(word) ?? 0) : 0)), 0) / words.length
      // What its author ended as a sentence is one; a line of a list, or of a picture, often is none.
      return [{ text, at, weight: subject + (/\d/u.test(text) ? 1 : 0) + (count >= 8 ? 0.3 : 0) + (isEnded(text) ? 2 : 0) }]
    }),
  )
  const best: typeof found = []
  for (const one of found.toSorted((a, b) => b.weight - a.weight || a.at - b.at)) {
    if (best.length >= statementsMost) break
    if (!best.some(({ at, text }) => at === one.at || keyOf(text) === keyOf(one.text))) best.push(one)
  }
  return best.length < statementsMost ? [] : best.toSorted((a, b) => a.at - b.at).map(({ text }) => text)
}
