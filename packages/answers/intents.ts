// What somebody wants who says something to the presenter: a wish about the talk ("go to slide 4"), a question about it as a whole, kind
// words, an answer of a certain shape, or more of what was asked before. Words are data (`languages`).
import type { Signal } from '@rostrum/contract/answer'
import {
  fill,
  inEveryLanguage,
  type Language,
  languageOf,
  languageTags,
  phraseIntents,
  placeIntents,
  shapeNames,
  signalNames,
  type TalkWords,
  wordsInOrder,
  wordsOf,
} from '@rostrum/languages/languages'
import { insidePattern, startPattern, wholePattern } from '@rostrum/languages/word-pattern'
import { lazily } from '@rostrum/base/work'
import type { Turn } from './answer-part.ts'
import { questionTypeOf } from './ranking/question.ts'
import { fold, type Token, tokenise } from './ranking/tokens.ts'
import type { ValueType } from './ranking/values.ts'

// Slides that are named by their place ("the first slide", "this slide", "from the beginning") become the number that a sentence about
// slide 4 would have.

export interface Places {
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

/** `small_talk` and what follows it are known by whole phrases between words that add nothing, the others by the whole utterance. */
export type Want =
  | { type: (typeof phraseIntents)[number] | 'overview' | 'speaker' | 'audience' | 'simpler' | 'agenda' | 'upcoming' }
  | { type: 'goto' | 'slide_text'; slide: number }
  | { type: 'goto_title'; words: string }
  | { type: 'small_talk'; reply: string }

const whole = (intent: keyof Language['intents']) => inEveryLanguage(({ intents }) => intents[intent])
const intents = lazily(() => ({
  phrases: phraseIntents.map((type) => ({ type, pattern: wholePattern(whole(type)) })),
  // Each alone: what it takes out of the utterance is its own.
  placed: placeIntents.map((type) => ({ type, patterns: whole(type).map((pattern) => wholePattern([pattern])) })),
}))
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

/** Longer is a question about the content, which may hold such a word. */
const [intentMax, wholeMax] = [120, 140]

/** What somebody may want who asks nothing of the content, the likeliest first. `tag`: the language of the talk. */
export function wantsOf(question: string, tag: string, places: Places): Want[] {
  const text = bare(question)
  const isShort = question.length <= intentMax
  const intent = isShort
    ? (intentIn(numberSlides(text, places)) ?? intentIn(numberSlides(text.replace(politely(), ''), places)))
    : undefined
  const about = question.length <= wholeMax ? wholeTalkIn(plainWords(question), tag) : undefined
  // Who speaks is who the slides name, and what is covered what a slide lists, before what the presenter says of itself.
  const isTold = about?.type === 'speaker' || about?.type === 'agenda'
  return (isTold ? [about, intent] : [intent, about]).filter((want) => want !== undefined)
}

function intentIn(text: string): Want | undefined {
  const { phrases, placed } = intents()
  const [goto, slideText, toTitle] = placed.map(({ type, patterns }): Want | undefined => {
    const said = patterns.map((pattern) => pattern.exec(text)?.[1]).find((each) => each !== undefined)
    if (said === undefined) return undefined
    return type === 'goto_title' ? { type, words: said } : { type, slide: Number(said) }
  })
  const phrase = phrases.find(({ pattern }) => pattern.test(text))
  return goto ?? slideText ?? (phrase && { type: phrase.type }) ?? toTitle
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

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

/** Comparable: words with one space between and around them. */
const agreement = lazily(() => new Set(inEveryLanguage(({ asides }) => asides.yes.map(plainWords))))

/** An explicit yes and nothing else, in any language: no question, and no half of a sentence. */
export const agrees = (text: string): boolean => !/[?？؟]/u.test(text) && agreement().has(plainWords(text))

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

const isEmpty = (rest: string) => rest.trim() === ''

function among(text: string, words: TalkWords): Want | undefined {
  const kinds = [
    ['agenda', words.agenda, []],
    ['overview', words.summary, []],
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
  const isKind = isEmpty(without(unpraised, [...words.talk, ...words.praiseRest]))
  return isKind && reply !== undefined ? { type: 'small_talk', reply } : undefined
}

function wholeTalkIn(text: string, tag: string): Want | undefined {
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

interface Carried {
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
function opensOn(question: string, tag: string): boolean {
  const text = plainWords(question)
  return wordsOf(tag).openers.some((opener) => startsWith(text, plainWords(opener)))
}

const startsWith = (text: string, opener: string) =>
  text.startsWith(opener) || (/[\p{Script=Han}\p{Script=Hiragana}]/u.test(opener) && text.trimStart().startsWith(opener.trim()))

const followUp = lazily(() => insidePattern(inEveryLanguage((language) => language.followUp)))

/** Whether a question leans on the one before it ("and for nurses?", "how heavy is it?"). */
function isFollowUp(question: string): boolean {
  return followUp().test(bare(question))
}

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

// Recognises attempts at what the presenter keeps private: notes, instructions, prompts, keys. The wall is structural (answering has
// no access to notes); this only gives such questions the one fixed reply instead of a search result.

const privateMax = 4_000

/** Folded, without signs that are not seen. */
function plainLetters(text: string): string {
  return fold(text.slice(0, privateMax).toWellFormed())
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]/gu, '')
    .toLowerCase()
    .replace(/[إأآ]/gu, 'ا')
}

const patterns = lazily(() => inEveryLanguage((language) => language.private).map((pattern) => insidePattern([pattern])))

/** A host asking about what is their own ("Are my notes private?") wants an answer, not a refusal. */
const ownMatter =
  /^(?!.*\b(?:your|ignore|repeat|reveal|print|show|tell|read|translate)\b).*\b(?:my|our|mis?|nuestr[ao]s?|mes|nos|meine?|unsere?|minhas?|nossas?)\s+(?:own\s+)?(?:\w+\s+)?(?:notes?|api|keys?|passwords?|notas?|notizen)\b/u

/** Whether the question is after private material. */
export function asksForPrivateMatter(question: string): boolean {
  const plain = plainLetters(question)
  return !ownMatter.test(plain) && patterns().some((pattern) => pattern.test(plain))
}
