// What somebody wants who says something to the presenter: a wish about the talk ("go to slide 4"), a question about it as a whole, kind
// words, an answer of a certain shape, or more of what was asked before. Words are data (`languages`).
// Slides that are named by their place, in every language (`languages`): "the first slide", "this slide", "slide two", "from the
// beginning". They become the number that a sentence about slide 4 would have.
import type { Signal } from '../contract/answer.ts'
import {
  fill,
  inEveryLanguage,
  type Language,
  languageOf,
  languageTags,
  phraseIntents,
  type placeIntents,
  shapeNames,
  signalNames,
  type TalkWords,
  wordsInOrder,
} from '../platform/languages.ts'
import { lazily } from '../platform/lazily.ts'
import { insidePattern, startPattern, wholePattern } from '../platform/word-pattern.ts'
import type { Turn } from './answer-part.ts'
import { questionTypeOf } from './ranking/question.ts'
import { fold, type Token, tokenise } from './ranking/tokens.ts'
import type { ValueType } from './ranking/values.ts'

interface Places {
  /** Slides of the talk. */
  count: number
  /** The one on screen, from 0. */
  at?: number | undefined
}

type Place = number | 'last' | 'shown'

const places = lazily(() => ({
  starts: wholePattern(inEveryLanguage((language) => language.places.start)),
  ends: wholePattern(inEveryLanguage((language) => language.places.end)),
  /** "The last slide", said alone, is the one before. */
  before: wholePattern(inEveryLanguage((language) => language.places.before)),
  named: languageTags().flatMap((tag) => {
    const { written, at, last, shown } = languageOf(tag).places
    const phrases: [Place, readonly string[]][] = [
      ...at.map((phrase, index): [Place, string[]] => [index + 1, [phrase]]),
      ['last', last],
      ['shown', shown],
    ]
    return phrases.map(([place, patterns]) => ({ place, pattern: insidePattern(patterns), written }))
  }),
}))

/** `text` as it is compared: folded, lower case, without marks around it. */
export function numberSlides(text: string, { count, at }: Places): string {
  const { starts, ends, before, named } = places()
  if (before.test(text)) return text
  if (starts.test(text)) return 'go to slide 1'
  if (ends.test(text)) return `go to slide ${count}`
  const numberOf = (place: Place) => (place === 'last' ? count : place === 'shown' ? (at === undefined ? undefined : at + 1) : place)
  for (const { place, pattern, written } of named) {
    const number = numberOf(place)
    if (number !== undefined && pattern.test(text)) return text.replace(pattern, fill(written, { number }))
  }
  return text
}

// Things said to the presenter that are no question about the content: greetings, thanks, "repeat that", "go to slide 4". Short whole
// utterances only, so that a question which merely contains such a word is still answered from the deck.

export type Intent =
  | { type: (typeof phraseIntents)[number] }
  | { type: 'goto'; slide: number }
  | { type: 'slide_text'; slide: number }
  | { type: 'goto_title'; words: string }

const whole = (intent: keyof Language['intents']) => inEveryLanguage(({ intents }) => intents[intent])
const phrases = lazily(() => phraseIntents.map((type): [(typeof phraseIntents)[number], RegExp] => [type, wholePattern(whole(type))]))
/** Each alone: what it takes out of the utterance is its own. */
const placed = lazily(() => {
  const patterns = (intent: (typeof placeIntents)[number]) => whole(intent).map((pattern) => wholePattern([pattern]))
  return { goto: patterns('goto'), slideText: patterns('slide_text'), toTitle: patterns('goto_title') }
})
const found = (patterns: readonly RegExp[], text: string): string | undefined => {
  for (const pattern of patterns) {
    const said = pattern.exec(text)?.[1]
    if (said !== undefined) return said
  }
  return
}
/** Before a wish: "Could you please ...". */
const politely = lazily(() => startPattern(inEveryLanguage(({ polite }) => polite)))

function bare(question: string): string {
  return (
    fold(question)
      .toLowerCase()
      .replace(/[إأآ]/gu, 'ا')
      .replace(/[’`]/gu, "'")
      .replace(/(?<![\p{P}\p{S}])[\p{P}\p{S}]+$/gu, '')
      .replace(/^[\p{P}\p{S}]+/gu, '')
      // "Next slide, please."
      .replace(/[,،、，]/gu, ' ')
      .replace(/\s+/gu, ' ')
      .trim()
  )
}

/** The intent of a whole utterance, or undefined when it is a question about the content. */
export function intentOf(question: string, places: Places): Intent | undefined {
  if (question.length > 120) return undefined
  const text = bare(question)
  return intentIn(numberSlides(text, places)) ?? intentIn(numberSlides(text.replace(politely(), ''), places))
}

function intentIn(text: string): Intent | undefined {
  const { goto, slideText, toTitle } = placed()
  const slide = found(goto, text)
  if (slide !== undefined) return { type: 'goto', slide: Number(slide) }
  const read = found(slideText, text)
  if (read !== undefined) return { type: 'slide_text', slide: Number(read) }
  const phrase = phrases().find(([, pattern]) => pattern.test(text))
  if (phrase) return { type: phrase[0] }
  const words = found(toTitle, text)
  return words === undefined ? undefined : { type: 'goto_title', words }
}

const signals = lazily(() =>
  signalNames.map((name): [Signal, RegExp] => [name, insidePattern(inEveryLanguage((language) => language.signals[name]))]),
)
const wishes = lazily(() => inEveryLanguage((language) => language.wishes).map((wish) => insidePattern([wish])))

/**
 * Whether somebody wants the thing itself: to buy, sign up, book, get an offer, be called. "Where do I sign up?" asks for a way in and
 * not for content, so a deck that has no answer has not failed. Every phrase needs who wants, or an order to the host, beside the act:
 * "How do I register a webhook?" and "Was kostet das?" are questions about the content. Each sentence is looked at alone.
 */
export function isWish(question: string): boolean {
  return bare(question)
    .split(/[.!?;。！？；؟؛]/u)
    .some((sentence) => {
      const alone = sentence.trim()
      return wishes().some((wish) => wish.test(alone))
    })
}

/** What the question shows of the attendee's interest, if anything. */
export function signalOf(question: string): Signal | undefined {
  const text = bare(question)
  return isWish(question) ? 'booking' : signals().find(([, pattern]) => pattern.test(text))?.[0]
}

const followUp = lazily(() => insidePattern(inEveryLanguage((language) => language.followUp)))

/** Whether a question leans on the one before it ("and for nurses?", "how heavy is it?"). */
export function isFollowUp(question: string): boolean {
  return followUp().test(bare(question))
}

// Questions about the talk as a whole, and what people say to be kind: known by whole phrases between words that add nothing.

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

// What shape of answer a question asks for, read from its words (`languages`).

export type Wish = (typeof shapeNames)[number] | 'statement'

const shapes = lazily(() =>
  shapeNames.map((name): [Wish, RegExp] => [name, insidePattern(inEveryLanguage((language) => language.shapes[name]))]),
)

export function wishOf(question: string): Wish {
  const text = fold(question).toLowerCase()
  return shapes().find(([, pattern]) => pattern.test(text))?.[0] ?? 'statement'
}

// A question that leans on the one before it: it is asked with what that one was about, in the place of what it names anew.

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
