// Turns text of any language into comparable terms: folded, numbers made equal across notations, words cut to a stem. Pure, and total
// on any string (lone surrogates included).
import { stemmer } from 'stemmer'
import { baseLanguage } from '../../decks/language.ts'
import { canonicalNumber, fold } from './fold.ts'
import { englishBase, englishFigure } from './word-forms.ts'
import { stopWords, weakWords } from './word-weights.ts'

export interface Token {
  /** What is compared: a stem, or a number in canonical notation. */
  term: string
  /** The folded word before stemming. */
  word: string
  isNumber: boolean
  /** Written with a capital, or wholly in capitals, or mixed with digits: likely a name. */
  isCapital: boolean
  /** How much the word says about the subject: 0 for a stop word, less than 1 for a word that any question may hold. */
  weight: number
}

const wordOrNumber =
  /\p{N}+(?:[.,]\p{N}+)*(?:st|nd|rd|th)(?![\p{L}\p{N}])|\p{N}+(?:[.,]\p{N}+)*|[\p{L}\p{M}]+(?:['’](?=\p{L}{2})[\p{L}\p{M}]+)?\p{N}*/gu
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

const englishStems = new Map<string, string>()

function englishStem(word: string): string {
  let stem = englishStems.get(word)
  if (stem === undefined) {
    stem = stemmer(englishBase(word))
    if (englishStems.size > 50_000) englishStems.clear()
    englishStems.set(word, stem)
  }
  return stem
}

/** The comparable form of one folded lower-case word. */
export function stemOf(word: string, language: string): string {
  if (language === 'en') return /^[a-z]+$/.test(word) ? englishStem(word) : word
  const bare = language === 'ar' ? word.replace(/^(?:وال|بال|كال|فال|ال)(?=.{3})/u, '') : word
  return bare.length > 6 ? bare.slice(0, 6) : bare
}

function wordToken(surface: string, language: string): Token {
  const word = surface.toLowerCase()
  const weight = stopWords(language).has(word) ? 0 : weakWords(language).has(word) ? 0.4 : 1
  const figure = language === 'en' ? englishFigure(word) : undefined
  const term = figure ?? stemOf(word, language)
  return { term, word, isNumber: figure !== undefined, isCapital: figure === undefined && /^\p{Lu}/u.test(surface), weight }
}

/** Terms in reading order, stop words included (with weight 0), possessive and elided endings removed. */
export function tokenise(text: string, languageTag: string): Token[] {
  const language = baseLanguage(languageTag)
  const tokens: Token[] = []
  for (const match of fold(text).matchAll(wordOrNumber)) {
    const piece = match[0]
    if (/^\p{N}/u.test(piece)) {
      const term = canonicalNumber(piece.replace(/\p{L}+$/u, ''))
      tokens.push({ term, word: piece, isNumber: true, isCapital: false, weight: 1 })
    } else if (unspaced.test(piece)) {
      for (const { segment, isWordLike } of segmenterFor(language).segment(piece)) if (isWordLike) tokens.push(wordToken(segment, language))
    } else {
      const [head = piece, tail = ''] = piece.split(/['’]/u)
      const isElision = head.length <= 2 && tail.length > 2
      tokens.push(wordToken(isElision ? tail : head, language))
    }
  }
  return tokens
}
