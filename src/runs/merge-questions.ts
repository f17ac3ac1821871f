// Finds the waiting question that asks the same: votes add up and one answer serves all who asked.
import type { Question, RunState } from './state/run-state.ts'

const stop = new Set(
  'a an and are as at be by can could did do does for from has have how i in is it me my of on or our please so tell that the their there this to us was we what when where which who will with would you your about'.split(
    ' ',
  ),
)

/** Of a question: two that differ only behind these are one. */
const termsMost = 100

/** The words that carry a question, folded and in order; their multiset decides whether two questions are the same. */
export function termsOf(text: string): string[] {
  const folded = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const words = folded.match(/[\p{L}\p{N}]+(?:[.,]\p{N}+)*/gu) ?? []
  const kept = words.filter((word) => !stop.has(word)).map((word) => (word.length > 4 ? word.replace(/(?:ies|es|s|ing|ed)$/, '') : word))
  return [...new Set(kept)].slice(0, termsMost).sort()
}

/** Whether two questions have the same terms, or nearly all of them when both have four or more. */
export function mergesByWords(a: string, b: string): boolean {
  return haveSameTerms(termsOf(a), termsOf(b))
}

const haveSameTerms = (a: readonly string[], b: readonly string[]): boolean => a.length > 0 && overlap(a, b) >= 0.8

/** The waiting public question that asks the same: by its words, or as `isSame` judges who knows the content of the talk. */
export function mergeTarget(text: string, state: RunState, isSame?: (a: string, b: string) => boolean): Question | null {
  const terms = termsOf(text)
  if (terms.length === 0) return null
  for (const id of state.waiting) {
    const question = state.questions.get(id)
    if (question === undefined || question.isPrivate) continue
    if (haveSameTerms(terms, termsOf(question.text)) || isSame?.(text, question.text) === true) return question
  }
  return null
}

/** The question that stands for this one, answered or not: itself, or the one that it was joined to in the end. */
export function standsFor(id: string, state: RunState): Question | undefined {
  const question = state.questions.get(id)
  return question === undefined || question.mergedInto === null ? question : standsFor(question.mergedInto, state)
}

/** Those that were joined to one of these and still wait for what becomes of it. */
export function joinedTo(ids: readonly string[], { questions }: RunState): Question[] {
  const targets = new Set(ids)
  return [...questions.values()].filter(({ status, mergedInto }) => status === 'merged' && mergedInto !== null && targets.has(mergedInto))
}

/** Jaccard of two term sets; short questions must agree in full, since one word may turn their sense. */
function overlap(a: readonly string[], b: readonly string[]): number {
  const other = new Set(b)
  const shared = a.filter((term) => other.has(term)).length
  const all = a.length + b.length - shared
  const score = all === 0 ? 0 : shared / all
  return Math.min(a.length, b.length) < 4 && score < 1 ? 0 : score
}
