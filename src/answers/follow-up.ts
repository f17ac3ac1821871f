// A question that leans on the one before it: it is asked with what that one was about, in the place of what it names anew.
import { wordsInOrder } from '../platform/languages.ts'
import type { Turn } from './answer-part.ts'
import { isFollowUp } from './intents.ts'
import { questionTypeOf } from './ranking/question-types.ts'
import { type Token, tokenise } from './ranking/tokens.ts'
import type { ValueType } from './ranking/value-types.ts'
import { plainWords } from './whole-talk.ts'

export interface Carried {
  /** The question before, for what kind of answer is asked for. */
  question: string
  terms: readonly Token[]
  type?: ValueType
  /** Slides that the last answer was taken from. */
  slides: readonly number[]
}

/** Of more words a question says itself what it is about. */
const wordsMost = 8

/** "And silver?": whatever the words are found in, they go on from the question before. */
export function opensOn(question: string, tag: string): boolean {
  const text = plainWords(question)
  return wordsInOrder(tag)
    .slice(0, 1)
    .some(({ openers }) => openers.some((opener) => startsWith(text, plainWords(opener))))
}

const startsWith = (text: string, opener: string) =>
  text.startsWith(opener) || (/[\p{Script=Han}\p{Script=Hiragana}]/u.test(opener) && text.trimStart().startsWith(opener.trim()))

/** Undefined where the question stands alone. `isOwnSubject`: its own words are found in one place. */
export function carriedInto(question: string, history: readonly Turn[], tag: string, isOwnSubject: boolean): Carried | undefined {
  const last = history.at(-1)
  if (last === undefined) return undefined
  const own = tokenise(question, tag).filter(({ weight }) => weight > 0)
  const isOpened = opensOn(question, tag) && own.length <= wordsMost
  if (!isOpened && (isOwnSubject || !isFollowUp(question))) return undefined
  const before = tokenise(last.question, tag).filter(({ weight }) => weight > 0)
  // What is named anew stands where the old name stood.
  const hasName = own.some(({ isCapital }) => isCapital)
  const names = new Set(before.slice(1).flatMap(({ isCapital, term }) => (isCapital ? [term] : [])))
  const terms = before.filter(({ term }) => !(isOpened && hasName && names.has(term)) && !own.some((token) => token.term === term))
  const type = questionTypeOf(question, tag) ?? questionTypeOf(last.question, tag)
  return { question: last.question, terms, slides: last.slides ?? [], ...(type !== undefined && { type }) }
}
