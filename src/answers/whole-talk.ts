// Questions about the talk as a whole, and what people say to be kind: known by whole phrases between words that add nothing.
import { type TalkWords, wordsInOrder } from '../platform/languages.ts'
import { fold } from './ranking/fold.ts'

export type WholeTalk =
  | { type: 'summary' | 'speaker' | 'audience' | 'simpler' | 'agenda' | 'upcoming' }
  | { type: 'small_talk'; reply: string }

const questionMax = 140
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

/** Comparable: words with one space between and around them. */
export function plainWords(text: string): string {
  const words = fold(text)
    .toLowerCase()
    .replace(/[أإآ]/gu, 'ا')
    .replace(/[’`]/gu, "'")
    .replace(/[^\p{L}\p{N}']+/gu, ' ')
    .trim()
  return ` ${words} `
}

const made = new WeakMap<readonly string[], readonly string[]>()

/** Longest first, so that a phrase goes before its own parts. */
function comparable(phrases: readonly string[]): readonly string[] {
  let words = made.get(phrases)
  if (words === undefined) {
    words = phrases.map(plainWords).toSorted((one, other) => other.length - one.length)
    made.set(phrases, words)
  }
  return words
}

/** Without the phrases; a language without spaces is searched within its runs of signs. */
export function without(text: string, phrases: readonly string[]): string {
  let rest = text
  for (const phrase of comparable(phrases)) {
    const [found, left] = unspaced.test(phrase) ? [phrase.trim(), ' '] : [phrase, ' ']
    while (rest.includes(found)) rest = rest.replace(found, left)
  }
  return rest
}

const isEmpty = (rest: string) => rest.replace(/\s+/gu, '').length === 0

function among(text: string, words: TalkWords): WholeTalk | undefined {
  const kinds = [
    ['agenda', words.agenda, []],
    ['summary', words.summary, []],
    ['speaker', words.speaker, words.speakerRest],
    ['audience', words.audience, []],
    ['simpler', words.simpler, []],
    ['upcoming', words.upcoming, []],
  ] as const
  for (const [type, asked, more] of kinds) {
    const rest = without(text, asked)
    if (rest !== text && isEmpty(without(rest, [...words.talk, ...words.filler, ...more]))) return { type }
  }
  let rest = text
  let reply: string | undefined
  for (const [kind, { said, reply: kindReply }] of Object.entries(words.smallTalk).toReversed()) {
    const left = without(rest, said)
    if (left !== rest && (reply === undefined || kind === 'bye')) reply = kindReply
    rest = left
  }
  if (reply !== undefined && isEmpty(without(rest, [...words.talk, ...words.filler]))) return { type: 'small_talk', reply }
  // "Nice slides, thank you so much": kind words in any order.
  const unpraised = without(rest, words.praiseWords)
  if (unpraised !== rest) reply ??= words.smallTalk.praise.reply
  return reply !== undefined && isEmpty(without(unpraised, [...words.talk, ...words.praiseRest]))
    ? { type: 'small_talk', reply }
    : undefined
}

/** Undefined for a question about something in the talk. `tag`: the language of the talk. */
export function wholeTalkOf(question: string, tag: string): WholeTalk | undefined {
  if (question.length > questionMax) return undefined
  const text = plainWords(question)
  for (const words of wordsInOrder(tag)) {
    const found = among(text, words)
    if (found !== undefined) return found
  }
  return undefined
}
