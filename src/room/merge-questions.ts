// Finds the waiting question that asks the same: votes add up and one answer serves all who asked.
import type { Question, RunState } from './run-state.ts'

const stop = new Set(
  'a an and are as at be by can could did do does for from has have how i in is it me my of on or our please so tell that the their there this to us was we what when where which who will with would you your about'.split(
    ' ',
  ),
)

/** The words that carry a question, folded and in order; their multiset decides whether two questions are the same. */
export function termsOf(text: string): string[] {
  const folded = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const words = folded.match(/[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu) ?? []
  const kept = words.filter((word) => !stop.has(word)).map((word) => (word.length > 4 ? word.replace(/(?:ies|es|s|ing|ed)$/, '') : word))
  return [...new Set(kept)].sort()
}

/** The waiting public question with the same terms, or with nearly all of them when both have four or more. */
export function mergeTarget(text: string, state: RunState): Question | null {
  const terms = termsOf(text)
  if (terms.length === 0) return null
  for (const id of state.waiting) {
    const question = state.questions.get(id)
    if (question === undefined || question.isPrivate) continue
    if (overlap(terms, termsOf(question.text)) >= 0.8) return question
  }
  return null
}

/** Jaccard of two term sets; short questions must agree in full, since one word may turn their sense. */
function overlap(a: readonly string[], b: readonly string[]): number {
  const shared = a.filter((term) => b.includes(term)).length
  const all = a.length + b.length - shared
  const score = all === 0 ? 0 : shared / all
  return Math.min(a.length, b.length) < 4 && score < 1 ? 0 : score
}
