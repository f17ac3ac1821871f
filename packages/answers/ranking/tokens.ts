// Turns text of any language into comparable terms: folded, numbers made equal across notations, words cut to a stem, and the words that
// stand for the same. Pure, and total on any string (lone surrogates included).
import { stemmer } from 'stemmer'
import { baseLanguage, findLanguage, perLanguage } from '@rostrum/languages/languages'

/** Nothing to fold: most of an English deck. */
const plainText = /^[\x20-\x7e\n]*$/
const accents = /[\u0300-\u036f\u064b-\u065f\u0670\u06d6-\u06ed]/gu

/** Compatibility forms, accents and vowel points removed; letters keep their case. */
export function fold(text: string): string {
  if (plainText.test(text)) return text
  return text
    .toWellFormed()
    .normalize('NFKD')
    .replace(accents, '')
    .replace(/\u0640/gu, '')
    .normalize('NFC')
    .replace(/ß/gu, 'ss')
}

/** "18,500", "18.500" and "18500" are one number, "3.90" and "3,9" another. */
export function canonicalNumber(figure: string): string {
  if (/^[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*$/.test(figure)) return figure.replace(/[.,]/g, '')
  const decimal = /^(\d+)[.,](\d+)$/.exec(figure)
  if (!decimal) return figure
  const fraction = (decimal[2] ?? '').replace(/(?<!0)0+$/, '')
  return fraction === '' ? (decimal[1] ?? figure) : `${decimal[1]}.${fraction}`
}

// Words that say little about a subject: stop words carry no weight, weak words (those that any question may hold) a part of it.
// Languages without a file rely on document frequency (session-index.ts).

/** Folded stop words of a primary language subtag; empty for a language without a list. */
export const stopWords = perLanguage((_english, tag): ReadonlySet<string> => new Set(findLanguage(tag)?.words.empty.map(fold)))

/** Folded words that count for less, of a primary language subtag. */
export const weakWords = perLanguage((_english, tag): ReadonlySet<string> => new Set(findLanguage(tag)?.words.weak.map(fold)))

interface Forms {
  /** Of a form that a stemmer leaves apart: the first word of its family. */
  base: ReadonlyMap<string, string>
  figure: ReadonlyMap<string, string>
  ending?: RegExp
  article?: RegExp
}

const wordForms = perLanguage((_english, tag): Forms => {
  const { words, values } = findLanguage(tag) ?? {}
  const { forms = [], endings = [], article = [] } = words ?? {}
  const base = forms.flatMap((family) => {
    const [head = '', ...others] = family.split(' ')
    return others.map((form): [string, string] => [form, head])
  })
  // "One" means too much else.
  const numerals = Object.entries(values?.numerals ?? {}).filter(([figure]) => figure !== '1')
  return {
    base: new Map(base),
    figure: new Map(numerals.flatMap(([figure, list]) => list.split(' ').map((word): [string, string] => [word, figure]))),
    ...(endings.length > 0 && { ending: new RegExp(`(?<=^.{3,40})(?:${endings.join('|')})$`, 'u') }),
    ...(article.length > 0 && { article: new RegExp(`^(?:${article.join('|')})(?=.{3})`, 'u') }),
  }
})

export interface Token {
  /** What is compared: a stem, or a number in canonical notation. */
  readonly term: string
  /** The folded word before stemming. */
  readonly word: string
  readonly isNumber: boolean
  /** Written with a capital, or wholly in capitals, or mixed with digits: likely a name. */
  readonly isCapital: boolean
  /** How much the word says about the subject: 0 for a stop word, less than 1 for a word that any question may hold. */
  readonly weight: number
}

const startsAsNumber = /^\p{N}/u
const wordOrNumber =
  /\p{N}+(?:[.,]\p{N}+)*(?:st|nd|rd|th)(?![\p{L}\p{N}])|\p{N}+(?:[.,]\p{N}+)*|[\p{L}\p{M}]+(?:['’](?=\p{L}{2})[\p{L}\p{M}]+)?\p{N}*/gu
const apostrophe = /['’]/u
const isLatin = /^[A-Za-z]+$/
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const segmenters = new Map<string, Intl.Segmenter>()

function segmenterFor(language: string): Intl.Segmenter {
  let segmenter = segmenters.get(language)
  if (!segmenter) {
    segmenter = new Intl.Segmenter(language, { granularity: 'word' })
    segmenters.set(language, segmenter)
  }
  return segmenter
}

/** The comparable form of one folded lower-case word. */
export function stemOf(word: string, language: string): string {
  const { base, ending, article } = wordForms(language)
  if (language === 'en') return /^[a-z]+$/.test(word) ? stemmer(base.get(word) ?? word) : word
  const bare = article === undefined ? word : word.replace(article, '')
  return bare.slice(0, ending?.exec(bare)?.index).slice(0, 6)
}

/** A small number stands in many texts and is seldom what tells them apart ("Four Seasons", "4 g"); a year or a price is. */
const smallNumberWeight = 0.5

function numberToken(term: string, word: string): Token {
  return { term, word, isNumber: true, isCapital: false, weight: term.length <= 2 ? smallNumberWeight : 1 }
}

function newWordToken(surface: string, language: string): Token {
  const word = surface.toLowerCase()
  const weight = stopWords(language).has(word) ? 0 : weakWords(language).has(word) ? 0.4 : 1
  const { base, figure: figures } = wordForms(language)
  const figure = figures.get(base.get(word) ?? word)
  if (figure !== undefined) return numberToken(figure, word)
  const isCapital = /^\p{Lu}/u.test(surface)
  return { term: stemOf(word, language), word, isNumber: false, isCapital, weight }
}

/** Words of one language met before: a deck says few words often. Tokens are shared, never written. */
const known = new Map<string, Map<string, Token>>()
const [knownMax, languagesMax, knownLength] = [20_000, 12, 32]

function wordToken(surface: string, language: string): Token {
  if (surface.length > knownLength) return newWordToken(surface, language)
  let words = known.get(language)
  if (!words || words.size > knownMax) {
    if (known.size >= languagesMax) known.clear()
    words = new Map()
    known.set(language, words)
  }
  let token = words.get(surface)
  if (!token) {
    token = newWordToken(surface, language)
    words.set(surface, token)
  }
  return token
}

/** Of a text without spaces, between two places. Segments of the whole text, since ICU copies its dictionary for each text it is given. */
function* wordsWithin(segments: Intl.Segments, from: number, to: number): Generator<string> {
  for (let at = from; at < to;) {
    const found = segments.containing(at)
    if (!found) return
    const { index, segment, isWordLike } = found
    if (isWordLike) yield segment.slice(at - index, to - index)
    at = index + segment.length
  }
}

/** Terms in reading order, stop words included (with weight 0), possessive and elided endings removed. */
export function tokenise(text: string, languageTag: string): Token[] {
  const language = baseLanguage(languageTag)
  const tokens: Token[] = []
  const folded = fold(text)
  let segments: Intl.Segments | undefined
  for (const match of folded.matchAll(wordOrNumber)) {
    const piece = match[0]
    if (startsAsNumber.test(piece)) {
      tokens.push(numberToken(canonicalNumber(piece.replace(/(?<!\p{L})\p{L}+$/u, '')), piece))
    } else if (isLatin.test(piece)) {
      tokens.push(wordToken(piece, language))
    } else if (unspaced.test(piece)) {
      segments ??= segmenterFor(language).segment(folded)
      for (const word of wordsWithin(segments, match.index, match.index + piece.length)) tokens.push(wordToken(word, language))
    } else {
      const [head = piece, tail = ''] = piece.split(apostrophe)
      const isElision = head.length <= 2 && tail.length > 2
      tokens.push(wordToken(isElision ? tail : head, language))
    }
  }
  return tokens
}

// Words that ask for the same thing (`languages`): versioned by hand, of general use, none taken from a deck or a benchmark.
// A ring lets "How heavy is it?" meet "weight"; a match through a ring counts for less than the word itself (question.ts).

/** Raised when a ring changes, so that trained weights can name the list they were trained with. */
export const synonymsVersion = 3

const rings = perLanguage((_english, language): ReadonlyMap<string, readonly string[]> => {
  const map = new Map<string, Set<string>>()
  for (const ring of findLanguage(language)?.synonyms ?? []) {
    const terms = ring.split(/\s+/u).flatMap((word) => (word.includes('-') ? [] : [stemOf(fold(word).toLowerCase(), language)]))
    for (const term of terms) {
      const others = map.get(term) ?? new Set<string>()
      for (const other of terms) if (other !== term) others.add(other)
      map.set(term, others)
    }
  }
  return new Map([...map].map(([term, others]) => [term, [...others]]))
})

/** Other stems that stand for the same idea in the language of `tag`. */
export const synonymsOf = (term: string, tag: string): readonly string[] => rings(baseLanguage(tag)).get(term) ?? []
