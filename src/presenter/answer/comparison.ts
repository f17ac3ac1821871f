// "What is the difference between X and Y?": the two sides, each to be found by itself.
import { tokenise } from '../retrieval/tokens.ts'
import { wordsInOrder, type LanguageWords } from './languages/language.ts'
import { plainWords, without } from './whole-talk.ts'

const questionMax = 200
const sideMost = 8

function sidesIn(text: string, words: LanguageWords, tag: string): [string, string] | undefined {
  const rest = without(text, words.compare)
  if (rest === text) return undefined
  const unspaced = /[\p{Script=Han}\p{Script=Hiragana}]/u
  let parts = [rest]
  for (const word of words.between) parts = parts.flatMap((part) => part.split(unspaced.test(word) ? word : ` ${word} `))
  const content = (part: string) => tokenise(part, tag).filter(({ weight }) => weight > 0).length
  const sides = parts.map((part) => part.trim()).filter((part) => content(part) > 0 && content(part) <= sideMost)
  const [first, second] = sides
  return first === undefined || second === undefined || sides.length > 3 ? undefined : [first, second]
}

/** Undefined where nothing is compared. `tag`: the language of the talk. */
export function sidesOf(question: string, tag: string): [string, string] | undefined {
  if (question.length > questionMax) return undefined
  const text = plainWords(question)
  for (const words of wordsInOrder(tag).slice(0, 1)) {
    const sides = sidesIn(text, words, tag)
    if (sides !== undefined) return sides
  }
  return undefined
}
