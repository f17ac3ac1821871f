// What a listener should not hear, and how long what they hear takes: judged alike by the compiler, which leaves it out, and by the lint, which says so.
import { baseLanguage, findLanguage, languageOf } from '@rostrum/languages/languages'
import type { Piece } from '@rostrum/contract/block'

/** More in one sentence nobody holds in mind. */
export const sentenceWordsMost = 35

/** On one line, without control, format and bidi characters. */
export function clean(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
}

const segmenters = new Map<string, Intl.Segmenter>()

function segmenterOf(language: string): Intl.Segmenter {
  const base = baseLanguage(language)
  let segmenter = segmenters.get(base)
  if (segmenter === undefined) segmenters.set(base, (segmenter = new Intl.Segmenter(base, { granularity: 'word' })))
  return segmenter
}

/** The words of a text as they are spoken, in any script, small. */
export function wordsOf(text: string, language: string): string[] {
  const words: string[] = []
  for (const { segment, isWordLike } of segmenterOf(language).segment(text)) if (isWordLike) words.push(segment.toLowerCase())
  return words
}

const spaced = /^[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]*$/u

export function countWords(text: string, language: string): number {
  if (spaced.test(text)) return text.match(/[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}'’_]|[.,:](?=\p{N}))*/gu)?.length ?? 0
  return wordsOf(text, language).length
}

const scripts: Readonly<Record<string, RegExp>> = {
  ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  zh: /\p{Script=Han}/u,
  ar: /\p{Script=Arabic}/u,
}
export const isOwnScript = (text: string, language: string): boolean => (scripts[baseLanguage(language)] ?? /\p{Script=Latin}/u).test(text)
/** Written in another script than the language, and more than a name: names and code stand in every script. */
export const isOtherScript = (text: string, language: string): boolean =>
  !isOwnScript(text, language) && /\p{L}/u.test(text) && (/[^\p{Script=Latin}\P{L}]/u.test(text) || countWords(text, language) >= 4)

const keyMost = 300

/** The same words make the same key, whatever their marks, case and width. */
export function keyOf(text: string): string {
  return text
    .slice(0, keyMost)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

const addresses = [
  /https?:|(?<![\p{L}\p{N}])www\.|[^\s@]@[\w-]{1,60}\.\w/iu,
  /(?<![\w.-])[\w-]{1,60}\.(?:com|org|net|io|gov|dev|edu|info|html?|docx?|pdf|xlsx?|pptx?|png|jpe?g|gif|svg)(?![\p{L}\p{N}])/iu,
  /(?:^|\s)\/[\w.-]{1,60}\/|(?<!\w)\w{2,60}\/\w{2,60}\/\w/iu,
  /(?:^|\s)@[a-z0-9_]{2,30}(?!\w)|(?:^|\s)#[a-z0-9_-]{2,40}(?!\w)/iu,
]
export const holdsAddress = (text: string): boolean => addresses.some((address) => address.test(text))

const code =
  /[{}]|=>|::|\w\(\w{0,40}\)(?:\s?;|$)|\w\(\)|#include|<\/?[a-z]\w{0,30}[ >]|^-{1,2}[a-z][\w-]{0,40},?\s|\s--?[a-z]|"\s?:|;\s{0,3}$|[\w\])]\s?[!=]=\s?[\w"'[(]|^\s{0,4}[$>] ?\w|^(?:const|let|var|function|import|def|class|return)\s\w{1,60}\s?[=(;{]|\w_\w{1,60}_\w|^\w{1,40}\s?=\s?\S/iu
/** "loadClass(String name)" */
const call = /(?<![\w.])(?:[a-z]{2,20}\.){2}[a-z]{2}|(?<![\w.])[\w.]{0,40}[a-z][A-Z]\w{0,40}\(/u
export const isCode = (text: string): boolean => code.test(text) || call.test(text)

const junk =
  /(?:^|\s)(?:\p{Lu} ){3}|\s\*\s\d|(?<![\p{L}\p{N}])(?=[a-f]*\d)[\da-f]{12}|\([a-z]\d{1,2}\s?[-+*/]\s?[a-z]\d{1,2}\)|\s\|\s|,\?|[\uFFFD\uE000-\uF8FF❏❑❒➢►▪■□●◦•]|#{2,}|\*\*|\.{4}|(?:\. ){3}|…[.…]|…{2}|(?:^|\s)[&|_~^*=<>]\.?$|&(?:amp|nbsp|lt|gt);|\d(?:dollars|euros|pounds)|(?:dollars|euros|pounds)[KMB]/u
export const isJunk = (text: string): boolean => junk.test(text) || !/[\p{L}\p{N}]/u.test(text) || isSpelledOut(text)

/** "O por t u n idade s": letters set apart by their layout. */
function isSpelledOut(text: string): boolean {
  const words = text.split(/\s+/u)
  const single = words.filter((word) => /^\p{L}$/u.test(word) && /^\p{Script=Latin}$/u.test(word)).length
  return single >= 4 && single >= words.length * 0.3
}

const rights =
  /[©®]|lorem ipsum|ut enim ad minim|duis aute irure|excepteur sint|creative commons|(?<!\p{L})CC[- ](?:BY|0)(?!\p{L})|\(c\)\s?\d{4}|copyright|all rights reserved|alle rechte vorbehalten|tous droits réservés|todos (?:los|os) (?:derechos|direitos)/iu
/** Whose a picture is; a work as lists of sources give it. */
const credits =
  /^(?:source|quelle|fuente|fonte|出典|来源|المصدر)s?\s?[:：]|^(?:retrieved|re-?created from|adapted from|reproduced from)\s|^\p{Lu}\p{L}{1,30}, \p{Lu}\.(?:,| and| &)|^(?:CC )?(?:image|photo|picture|icon|illustration|graphic)s?(?: (?:by|courtesy of|from|credit)s?\b|\s?(?:credits?|source)?\s?[:：])|^(?:bild|foto|grafik)(?:quelle|nachweis|s)?\s?[:：]|^(?:crédits?|credits?) (?:photo|image|foto)|^(?:foto|imagen|imagem|photo|image)s? (?:de|por|par) [^.]{2,60}\b(?:flickr|unsplash|pexels|wikimedia)|^(?:画像|写真)(?:提供|出典|クレジット)?\s?[:：]|^图片来源|^(?:الصورة|مصدر الصورة)\s?[:：]/iu
/** A page number, a mark of rights, whose a picture or a work is, words that stand in for others. */
export const isFurniture = (text: string): boolean => rights.test(text) || credits.test(text) || /^[^\p{L}]*$/u.test(text)

const noWords: ReadonlySet<string> = new Set()
const openWords = new Map<string, ReadonlySet<string>>()

/** Words that no sentence ends with. */
function openWordsOf(language: string): ReadonlySet<string> {
  const base = baseLanguage(language)
  let found = openWords.get(base)
  if (found === undefined) openWords.set(base, (found = new Set(findLanguage(base)?.words.open ?? noWords)))
  return found
}

/** Has a verb that makes a sentence of it, and not as its first word: where the language lists such verbs. */
export function hasVerb(text: string, language: string): boolean {
  const { finite } = languageOf(language).words
  const words = wordsOf(text, language)
  const isVerb = (word: string, at: number) => at > 0 && finite.includes(word) && !isFunctionWord(words[at - 1] ?? '', language)
  return finite.length === 0 || (!finite.includes(words[0] ?? '') && words.some(isVerb))
}

export const isArticle = (word: string): boolean => /^(?:an?|the|der|die|das|eine?|el|los|las|una?|les?|la|une|os?|as|uma?)$/u.test(word)

/** An article, a preposition, a conjunction. */
export const isFunctionWord = (word: string, language: string): boolean => openWordsOf(language).has(word)

/** "COO, Acme Security": every word is written large. */
export function isName(text: string, language: string): boolean {
  const words = text.split(/[\s/,]+/u).filter((word) => /\p{L}/u.test(word) && !isFunctionWord(word.toLowerCase(), language))
  return words.every((word) => /^[^\p{L}]*\p{Lu}/u.test(word))
}

const openEnd = /[,(/–—-][.…]?$|[的和与在对把被为或及中]$|(?:例如|比如|包括)$|[のをがはにとでへも、]$/u

/** Does it break off, or begin in the middle? Judged by its first and last words alone. */
export function isFragment(text: string, language: string): boolean {
  const bare = text.replace(/(?<![.。…\s])[.。…\s]{1,6}$/u, '').trim()
  if (openEnd.test(bare) && !/[?？]$/u.test(bare)) return true
  const last = /[\p{L}\p{M}'’]{1,20}$/u.exec(bare)?.[0].toLowerCase()
  if (last !== undefined && openWordsOf(language).has(last) && last !== bare.toLowerCase()) return true
  return count(bare, '(') !== count(bare, ')') || count(bare, '（') !== count(bare, '）') || count(bare, '“') > count(bare, '”') + 1
}

const count = (text: string, mark: string): number => text.split(mark).length - 1

const references =
  /^(?:これ|この|それ(?!ぞれ)|その(?!他|ほか)|这|那|它)|^(?:(?:once|if|when|until|because|since) (?:it|they|this|these)|however|furthermore|moreover|otherwise|instead|therefore|thus|hence|its|their|his|her|rather|also|to do this|for example|jedoch|außerdem|daher|deshalb|sonst|cependant|toutefois|sin embargo|además|porém|além disso|and|but|so|then|like|also|und|aber|dann|et|mais|donc|y|pero|e|mas|this|these|those|that|it|they|he|she|such|here|there|dies|diese|dieser|dieses|das|es|sie|hier|ce|cela|ça|ces|il|elle|ils|esto|este|esta|estos|ese|eso|isto|isso|esse|este|هذا|هذه|ذلك)(?![\p{L}])/iu
/** Speaks of something before it: alone it says nothing. */
export const isReference = (text: string): boolean => references.test(text)

/** Goes on from something before it: small first letter. Of scripts without capitals nothing tells. */
export const beginsInside = (text: string): boolean => /^[\p{Ll}&),;]/u.test(text) && !/^[a-z]{1,3}[A-Z]/u.test(text)

const ended = /[.!?。！？؟…]["'”’»」)]?$/u
export const isEnded = (text: string): boolean => ended.test(text)

/** A statement of its own: it ends as one, or is long enough to be one. */
export function isStatement(text: string, language: string): boolean {
  const words = countWords(text, language)
  return isEnded(text) ? words >= 3 : words >= 8
}

const plainSigns = /^[\p{L}\p{M}\p{N}\s.,:;!?'’"“”&/%+，。、：；！？（）()–-]+$/u

/** Words of a picture are said where they were read surely and are no label, no figures, no signs, and no columns run together. */
export function isRead({ text, confidence, ...piece }: Piece, language: string): boolean {
  if (confidence === undefined) return true
  const words = countWords(text, language)
  const figures = text.match(/\d[\d.,]*/gu)?.length ?? 0
  const isPlain = plainSigns.test(text) && text.split(/[.,:;!?，。、：；！？]/u).every((part) => countWords(part, language) <= 16)
  return isPlain && confidence >= 0.9 && words >= ('level' in piece ? 2 : 4) && figures * 3 < words
}

/** None of its words may be spoken at all. */
export const isUnspeakable = (text: string): boolean => isJunk(text) || isFurniture(text) || holdsAddress(text) || isCode(text)

/** "Overview (2 of 3)" goes on with "Overview". */
export const withoutPlace = (title: string): string =>
  title.replace(/\s(?:[([]?\d{1,2}\s?(?:of|von|de|sur|\/)\s?\d{1,2}[)\]]?|\(\d\))$/iu, '')

// How long a sentence takes to say, and how a talk is fitted into its wished length. Languages without spaces are counted by segmented
// words.

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const unspacedWord = 0.55
const shortestMs = 700
const commaMs = 180
const stopMs = 350

/** Spoken words of a text; a word of an unspaced script counts 0.55. */
export function spokenWords(text: string, language: string): number {
  if (!unspaced.test(text)) return text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
  let count = 0
  for (const { isWordLike } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text)) if (isWordLike) count += unspacedWord
  return count
}

/** Estimated duration at `wpm` words a minute. */
export function estimateMs(text: string, language: string, wpm: number): number {
  const commas = text.match(/[,;:、，；：،؛](?!\d)/gu)?.length ?? 0
  const stops = text.match(/[.!?。！？؟](?=\s|$|["'”»」])/gu)?.length ?? 0
  const factor = 150 / wpm
  return Math.round(
    Math.max(
      shortestMs * Math.min(1, factor),
      (spokenWords(text, language) / wpm) * 60_000 + (commas * commaMs + stops * stopMs) * Math.min(1, factor),
    ),
  )
}

// Fits a talk into its wished length: first the pauses give way, then the sentences that say least. Titles, opening and closing stay.

export interface Timed {
  text: string
  estMs: number
  pauseMs: number
  waitMs?: number
  isDroppable: boolean
  slideIndex: number
}

const pauseMinMs = 80
/** Longer silences after each sentence are no talk: a wish beyond them is told as not met. */
const pauseMaxMs = 1_200
const wordPattern = /[\p{L}\p{N}]{2,}/gu

export const lengthOf = (beats: readonly Timed[]) =>
  beats.reduce((sum, { estMs, pauseMs, waitMs }) => sum + estMs + pauseMs + (waitMs ?? 0), 0)

function termsOf(text: string): string[] {
  return text.toLowerCase().match(wordPattern) ?? []
}

/** Rarity of the words of each text among all texts, summed: how much it says that nothing else says. */
function weights(beats: readonly Timed[]): number[] {
  const frequency = new Map<string, number>()
  for (const { text } of beats) for (const word of new Set(termsOf(text))) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  return beats.map(({ text }) => termsOf(text).reduce((sum, word) => sum + Math.log(1 + beats.length / (frequency.get(word) ?? 1)), 0))
}

/** In proportion, as far as the bounds allow: what one that is at its bound cannot take, the others do. */
function withPauses<T extends Timed>(beats: readonly T[], budgetMs: number): T[] {
  const spoken = beats.reduce((sum, { estMs, waitMs }) => sum + estMs + (waitMs ?? 0), 0)
  const wanted = Math.max(0, budgetMs - spoken)
  const atFactor = (factor: number) =>
    beats.map(({ pauseMs }) => Math.round(Math.min(Math.max(pauseMaxMs, pauseMs), Math.max(pauseMinMs, pauseMs * factor))))
  let [low, high] = [0, pauseMaxMs / pauseMinMs]
  for (let halvings = 0; halvings < 40; halvings++) {
    const middle = (low + high) / 2
    if (atFactor(middle).reduce((sum, pause) => sum + pause, 0) < wanted) low = middle
    else high = middle
  }
  const pauses = atFactor(high)
  return beats.map((beat, at) => ({ ...beat, pauseMs: pauses[at] ?? beat.pauseMs }))
}

function countBySlide(beats: readonly Timed[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { slideIndex } of beats) counts.set(slideIndex, (counts.get(slideIndex) ?? 0) + 1)
  return counts
}

/** Drops the lightest sentences until the spoken time with the shortest pauses fits; one line of a slide that has lines is kept as long as others can go. */
function dropped<T extends Timed>(beats: readonly T[], budgetMs: number): T[] {
  const weight = weights(beats)
  const linesLeft = countBySlide(beats.filter(({ isDroppable }) => isDroppable))
  const beatsLeft = countBySlide(beats)
  const order = beats.map((_, at) => at).filter((at) => beats[at]?.isDroppable === true)
  order.sort((a, b) => (weight[a] ?? 0) - (weight[b] ?? 0) || a - b)
  const gone = new Set<number>()
  let length = beats.reduce((sum, beat) => sum + beat.estMs + (beat.waitMs ?? 0) + pauseMinMs, 0)
  for (const keepsOne of [true, false]) {
    for (const at of order) {
      const beat = beats[at]
      if (length <= budgetMs) break
      if (!beat || gone.has(at) || (keepsOne && (linesLeft.get(beat.slideIndex) ?? 0) <= 1)) continue
      // A slide whose title a bridge has said has its lines alone: without one it would never be shown.
      if ((beatsLeft.get(beat.slideIndex) ?? 0) <= 1) continue
      gone.add(at)
      for (const left of [linesLeft, beatsLeft]) left.set(beat.slideIndex, (left.get(beat.slideIndex) ?? 1) - 1)
      length -= beat.estMs + pauseMinMs
    }
  }
  return beats.filter((_, at) => !gone.has(at))
}

/** The beats within `budgetMs`, as near as pauses of 80 ms to 1.2 s and dropped sentences allow; one that was wished longer grows no further. */
export function fitted<T extends Timed>(beats: readonly T[], budgetMs: number): T[] {
  return withPauses(dropped(beats, budgetMs), budgetMs)
}
