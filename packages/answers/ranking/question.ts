// Reads a question: its language, the kind of value it asks for, and against one index its terms with the forms under which the content
// may hold them, names, figures and negation.
import { askedKinds, baseLanguage, languageTags, perLanguage, type ValueType } from '@rostrum/languages/languages'
import { insidePattern } from '@rostrum/languages/word-pattern'
import { pairBase, prefixLength, rarityOf, type SessionIndex, slipLengthMin } from './session-index.ts'
import { fold, stemOf, stopWords, synonymsOf, type Token, tokenise } from './tokens.ts'
import { valueBit } from './values.ts'

const lexicon = perLanguage(({ asks }) =>
  askedKinds.flatMap((kind): [ValueType, RegExp][] => (asks[kind] === undefined ? [] : [[kind, insidePattern(asks[kind])]])),
)

/** The kind of value `question` asks for, in the language of `tag` (English where nobody has written it); undefined when it asks for none. */
export function questionTypeOf(question: string, tag: string): ValueType | undefined {
  const text = fold(question).toLowerCase()
  let first: { type: ValueType; at: number } | undefined
  for (const [type, pattern] of lexicon(baseLanguage(tag))) {
    const at = text.search(pattern)
    if (at >= 0 && (first === undefined || at < first.at)) first = { type, at }
  }
  return first?.type
}

/** Signs by which a writing system is known; the others are told by their small words. */
const signs: readonly [script: string, signs: RegExp][] = [
  ['Jpan', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['Hans', /\p{Script=Han}/gu],
  ['Kore', /\p{Script=Hangul}/gu],
  ['Arab', /\p{Script=Arabic}/gu],
  ['Cyrl', /\p{Script=Cyrillic}/gu],
  ['Latn', /\p{Script=Latin}/gu],
]
const scriptOf = (tag: string) => new Intl.Locale(tag).maximize().script?.replace('Hant', 'Hans')
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u
/** Names and terms of a foreign script stand in questions of any. */
const signsShare = 0.25
const smallWordsMin = 2

const writtenIn = perLanguage((_words, tag) => scriptOf(tag))

/** The language that a question is asked in, where it is surely another than that of `tag`; only one that somebody has written. */
export function foreignLanguageOf(question: string, tag: string): string | undefined {
  const letters = question.match(/\p{L}/gu)?.length ?? 0
  const found = signs.find(([, sign]) => (question.match(sign)?.length ?? 0) > letters * signsShare)?.[0]
  const script = (found === 'Hans' || found === undefined) && kana.test(question) ? 'Jpan' : found
  const own = baseLanguage(tag)
  // Without one of its own signs Japanese may be in those of Chinese alone.
  if (script === 'Hans' && writtenIn(own) === 'Jpan') return undefined
  const others = languageTags().filter((other) => writtenIn(other) === script && other !== own)
  if (script !== 'Latn') return writtenIn(own) === script ? undefined : others[0]
  const words =
    fold(question)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  const smallIn = (language: string) => words.filter((word) => stopWords(language).has(word))
  const [best, next] = others.map((language) => ({ language, hits: smallIn(language).length })).toSorted((a, b) => b.hits - a.hits)
  if (best === undefined || best.hits < smallWordsMin || best.hits === next?.hits || best.hits < words.length / 4) return undefined
  const ours = smallIn(own)
  const isApart = ours.length < best.hits && ours.every((word) => stopWords(best.language).has(word))
  return isApart || best.hits > ours.length * 2 ? best.language : undefined
}

export interface Variant {
  id: number
  /** 1 for the term itself, less for an inflection or a synonym. */
  weight: number
}

export interface QueryTerm {
  stem: string
  /** As it was asked, folded. */
  word: string
  variants: readonly Variant[]
  /** Rarity times the word's own weight: what the term adds to coverage. */
  value: number
  /** As `value`, by the rarity of the word itself where the content holds it. */
  ownValue: number
  isName: boolean
  isNumber: boolean
}

export interface Meeting {
  at: number
  weight: number
}

export interface Query {
  terms: readonly QueryTerm[]
  /** Adjacent pairs of all words, as `first * 2^20 + second`, with their place in the question. */
  phrases: ReadonlyMap<number, number>
  /** By word id of the content: 1 where the question says the word. */
  words: Uint8Array
  /** Adjacent pairs of terms that the content knows, as `first * 2^20 + second`. */
  pairs: readonly number[]
  /** Sums of the values of all terms, of names, and of the terms' own values. */
  totals: { all: number; names: number; own: number }
  /** Term id of the content -> the query terms it meets. */
  byTerm: ReadonlyMap<number, readonly Meeting[]>
  /** By term id: 1 where `byTerm` has it. Most terms of a text are not asked for, and a flag is read faster than a map. */
  isMet: Uint8Array
  type?: ValueType
  /** Bits of values that satisfy the type; 0 when any text will do. */
  wanted: number
  isNegated: boolean
  length: number
}

const synonymWeight = 0.7
const inflectionWeight = 0.6
/** What a related form adds to the rarity of a term the content does not hold itself. */
const rarityShare = 0.7
const slipWeight = 0.7
const negation = perLanguage(({ claims }) => insidePattern(claims.deny))

/** A word that says "no" in the text, in the language of the index. */
export const isNegated = (text: string, language: string): boolean => negation(language).test(fold(text).toLowerCase().replaceAll('’', "'"))

function sharedPrefix(a: string, b: string): number {
  let length = 0
  while (length < a.length && length < b.length && a.charCodeAt(length) === b.charCodeAt(length)) length += 1
  return length
}

/** Whether two stems begin alike and differ only in a short ending ("invad", "invas"). */
export function inflects(stem: string, other: string): boolean {
  if (other === stem) return false
  const [shared, longer] = [sharedPrefix(stem, other), Math.max(stem.length, other.length)]
  return shared >= Math.max(prefixLength, Math.ceil(longer * 0.6)) && longer - shared <= 4
}

function inflectionsOf(stem: string, index: SessionIndex): number[] {
  if (stem.length < prefixLength || /\d/u.test(stem)) return []
  const near = index.byPrefix.get(stem.slice(0, prefixLength)) ?? []
  return near.filter((id) => inflects(stem, index.stems[id] ?? ''))
}

/** Edit distance of at most `limit` (insertions, deletions, replacements, swaps of neighbours). */
function isWithin(a: string, b: string, limit: number): boolean {
  if (Math.abs(a.length - b.length) > limit) return false
  let before = Array.from({ length: b.length + 1 }, () => 0)
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, (before[j - 2] ?? 0) + 1)
      next.push(best)
      if (best < least) least = best
    }
    // Distances never fall from row to row, but for a swap, which looks back one more.
    if (least > limit + 1) return false
    before = row
    row = next
  }
  return (row[b.length] ?? limit + 1) <= limit
}

/** Stems that an unknown word may be a slip of: same first letter, one letter off, two in long words. */
function slipsOf(stem: string, index: SessionIndex): number[] {
  if (stem.length < slipLengthMin || !/^\p{L}+$/u.test(stem)) return []
  const limit = stem.length >= 8 ? 2 : 1
  return (index.byInitial.get(stem.charAt(0)) ?? []).filter((id) => isWithin(stem, index.stems[id] ?? '', limit))
}

const prefixMost = 3
const restFewest = 4

/** "rewritten" of the question, where the content says "re-written". */
function hyphenated({ word }: Token, index: SessionIndex): number[] {
  const { words, vocabulary, language } = index
  const cuts = Array.from({ length: prefixMost - 1 }, (_, at) => at + 2).filter((cut) => word.length - cut >= restFewest)
  return cuts.flatMap((cut) => {
    const rest = vocabulary.get(stemOf(word.slice(cut), language))
    return rest !== undefined && words.has(stemOf(word.slice(0, cut), language)) ? [rest] : []
  })
}

function variantsOf(token: Token, index: SessionIndex): Variant[] {
  const variants = new Map<number, number>()
  const own = index.vocabulary.get(token.term)
  if (own !== undefined) variants.set(own, 1)
  if (token.isNumber) return [...variants].map(([id, weight]) => ({ id, weight }))
  for (const id of inflectionsOf(token.term, index)) if (!variants.has(id)) variants.set(id, inflectionWeight)
  for (const other of synonymsOf(token.term, index.language)) {
    const id = index.vocabulary.get(other)
    if (id !== undefined && !variants.has(id)) variants.set(id, synonymWeight)
  }
  if (variants.size === 0) for (const id of slipsOf(token.term, index)) variants.set(id, slipWeight)
  if (variants.size === 0) for (const id of hyphenated(token, index)) variants.set(id, synonymWeight)
  return [...variants].map(([id, weight]) => ({ id, weight }))
}

function queryTerm(token: Token, position: number, index: SessionIndex): QueryTerm {
  const found = variantsOf(token, index)
  const unseen = rarityOf(index.chunks.length, 0)
  let rarity = found.length === 0 ? unseen : 0
  for (const { id, weight } of found) rarity = Math.max(rarity, (index.idf[id] ?? 0) * (weight === 1 ? 1 : rarityShare))
  // A common synonym of a rare word tells less than the word would.
  const variants = found.map(({ id, weight }) => ({
    id,
    weight: weight === 1 ? 1 : weight * Math.min(1, (index.idf[id] ?? 0) / Math.max(0.1, rarity)),
  }))
  const own = index.vocabulary.get(token.term)
  const ownRarity = own === undefined ? rarity : (index.idf[own] ?? 0)
  return {
    stem: token.term,
    word: token.word,
    variants,
    value: rarity * token.weight,
    ownValue: ownRarity * token.weight,
    isName: token.isCapital && position > 0,
    isNumber: token.isNumber,
  }
}

/** Bits that answer a type: a date is no count, but "how much" may be money, a weight or a share. */
function wantedBits(type: ValueType | undefined): number {
  if (type === undefined) return 0
  if (type === 'frequency') return valueBit.frequency | valueBit.duration
  if (type === 'date') return valueBit.date | valueBit.duration
  return valueBit[type]
}

function totalsOf(terms: readonly QueryTerm[]): Query['totals'] {
  const totals = { all: 0, names: 0, own: 0 }
  for (const { value, ownValue, isName } of terms) {
    totals.all += value
    totals.own += ownValue
    if (isName) totals.names += value
  }
  return totals
}

function meetingsOf(terms: readonly QueryTerm[], index: SessionIndex): Pick<Query, 'byTerm' | 'isMet'> {
  const isMet = new Uint8Array(index.stems.length)
  const meetings = new Map<number, Meeting[]>()
  terms.forEach(({ variants }, at) => {
    for (const { id, weight } of variants) {
      isMet[id] = 1
      const list = meetings.get(id)
      if (list) list.push({ at, weight })
      else meetings.set(id, [{ at, weight }])
    }
  })
  return { byTerm: meetings, isMet }
}

function phrasesOf(tokens: readonly Token[], index: SessionIndex): Pick<Query, 'phrases' | 'words'> {
  const ids = tokens.map(({ term }) => index.words.get(term) ?? -1)
  const phrases = new Map<number, number>()
  for (let i = 1; i < ids.length; i++) {
    const [first = -1, second = -1] = [ids[i - 1], ids[i]]
    // A word that the content lacks stands for itself: the pair counts, and is never met.
    const key = first < 0 || second < 0 ? -i : first * pairBase + second
    if (!phrases.has(key)) phrases.set(key, phrases.size)
  }
  const words = new Uint8Array(index.words.size)
  for (const id of ids) if (id >= 0) words[id] = 1
  return { phrases, words }
}

/** Of a question: what follows is a story, and each word is compared with every place that holds it. */
const wordsMost = 200

export function readQuestion(question: string, index: SessionIndex, borrowed: readonly Token[] = [], carriedType?: ValueType): Query {
  const tokens = tokenise(question, index.language).slice(0, wordsMost)
  const seen = new Set<string>()
  const terms: QueryTerm[] = []
  const content: Token[] = []
  // The small words of another language say nothing either; names, figures and words that look alike are what it shares.
  const foreign = foreignLanguageOf(question, index.language)
  const small = foreign === undefined ? undefined : stopWords(foreign)
  const type = carriedType ?? questionTypeOf(question, foreign ?? index.language)
  tokens.forEach((token, position) => {
    const id = index.vocabulary.get(token.term)
    // "How long" and "how many" say by the kind of value they ask for what their words would.
    const isFrame =
      type !== undefined && (id === undefined || (position <= 1 && carriedType === undefined)) && token.weight < 0.5 && !token.isNumber
    if (token.weight === 0 || isFrame || small?.has(token.word)) return
    content.push(token)
    if (seen.has(token.term)) return
    seen.add(token.term)
    terms.push(queryTerm(token, position, index))
  })
  for (const token of borrowed) {
    if (token.weight === 0 || seen.has(token.term)) continue
    seen.add(token.term)
    terms.push(queryTerm({ ...token, weight: token.weight * 0.4 }, 0, index))
  }
  const pairs: number[] = []
  for (let i = 1; i < content.length; i++) {
    const first = index.vocabulary.get(content[i - 1]?.term ?? '')
    const second = index.vocabulary.get(content[i]?.term ?? '')
    if (first !== undefined && second !== undefined) pairs.push(first * pairBase + second)
  }
  return {
    terms,
    ...phrasesOf(tokens, index),
    pairs,
    totals: totalsOf(terms),
    ...meetingsOf(terms, index),
    ...(type === undefined ? {} : { type }),
    wanted: wantedBits(type),
    isNegated: isNegated(question, index.language),
    length: terms.length,
  }
}
