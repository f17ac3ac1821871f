// Things said to the presenter that are no question about the content: greetings, thanks, "repeat that", "go to slide 4". Short whole
// utterances only, so that a question which merely contains such a word is still answered from the deck.
import { inEveryLanguage, type Language, phraseIntents, type placeIntents, signalNames } from '../platform/languages.ts'
import { lazily } from '../platform/lazily.ts'
import { insidePattern, startPattern, wholePattern } from '../platform/word-pattern.ts'
import type { Signal } from '../contract/answer.ts'
import { fold } from './ranking/fold.ts'
import { numberSlides, type Places } from './slide-places.ts'

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
