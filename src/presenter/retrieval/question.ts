// Reads a question against one index: its terms with the forms under which the content may hold them, names, figures, the kind of value
// asked for, and negation.
import { questionTypeOf } from './question-types.ts'
import { pairBase, prefixLength, type SessionIndex } from './session-index.ts'
import { synonymsOf } from './synonyms.ts'
import { fold } from './fold.ts'
import { tokenise, type Token } from './tokens.ts'
import { valueBit, type ValueType } from './value-types.ts'

export interface Variant {
  id: number
  /** 1 for the term itself, less for an inflection or a synonym. */
  weight: number
}

export interface QueryTerm {
  stem: string
  variants: readonly Variant[]
  /** Rarity times the word's own weight: what the term adds to coverage. */
  value: number
  isName: boolean
  isNumber: boolean
}

export interface Query {
  terms: readonly QueryTerm[]
  /** Adjacent pairs of terms that the content knows. */
  pairs: readonly number[]
  /** Sum of the values of all terms. */
  total: number
  type?: ValueType
  /** Bits of values that satisfy the type; 0 when any text will do. */
  wanted: number
  isNegated: boolean
  length: number
}

const synonymWeight = 0.7
const inflectionWeight = 0.6
const negation: Record<string, RegExp> = {
  en: /\b(?:not|never|no|without|cannot|can't|isn't|doesn't|don't|won't|wasn't|weren't|didn't|except)\b/u,
  es: /\b(?:no|nunca|sin)\b/u,
  fr: /\b(?:pas|jamais|sans)\b/u,
  de: /\b(?:nicht|nie|kein\w*|ohne)\b/u,
  pt: /\b(?:nao|nunca|sem)\b/u,
}

/** A word that says "no" in the text, in the language of the index. */
export function isNegated(text: string, language: string): boolean {
  return (negation[language] ?? /不|没|ない|ません|لا|ليس/u).test(fold(text).toLowerCase())
}

function sharedPrefix(a: string, b: string): number {
  let length = 0
  while (length < a.length && length < b.length && a.charCodeAt(length) === b.charCodeAt(length)) length += 1
  return length
}

/** Stems that begin alike and differ only in a short ending ("invad", "invas"). */
function inflectionsOf(stem: string, index: SessionIndex): number[] {
  if (stem.length < prefixLength || /\d/u.test(stem)) return []
  const near = index.byPrefix.get(stem.slice(0, prefixLength)) ?? []
  return near.filter((id) => {
    const other = index.stems[id] ?? ''
    if (other === stem) return false
    const shared = sharedPrefix(stem, other)
    return (
      shared >= Math.max(prefixLength, Math.ceil(Math.max(stem.length, other.length) * 0.6)) &&
      Math.max(stem.length, other.length) - shared <= 4
    )
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
  return [...variants].map(([id, weight]) => ({ id, weight }))
}

function queryTerm(token: Token, position: number, index: SessionIndex): QueryTerm {
  const variants = variantsOf(token, index)
  const unseen = Math.log(1 + (index.chunks.length + 0.5) / 0.5)
  let rarity = variants.length === 0 ? unseen : 0
  for (const { id, weight } of variants) rarity = Math.max(rarity, (index.idf[id] ?? 0) * weight)
  return {
    stem: token.term,
    variants,
    value: rarity * token.weight,
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

export function readQuestion(question: string, index: SessionIndex, borrowed: readonly Token[] = []): Query {
  const tokens = tokenise(question, index.language)
  const seen = new Set<string>()
  const terms: QueryTerm[] = []
  const content: Token[] = []
  tokens.forEach((token, position) => {
    if (token.weight === 0) return
    content.push(token)
    const id = index.vocabulary.get(token.term)
    if (seen.has(token.term) || (id !== undefined && index.common.has(id) && terms.length > 0 && index.language !== 'en')) return
    seen.add(token.term)
    terms.push(queryTerm(token, position, index))
  })
  for (const token of borrowed) {
    if (token.weight === 0 || seen.has(token.term)) continue
    seen.add(token.term)
    terms.push(queryTerm({ ...token, weight: token.weight * 0.5 }, 0, index))
  }
  const pairs: number[] = []
  for (let i = 1; i < content.length; i++) {
    const first = index.vocabulary.get(content[i - 1]?.term ?? '')
    const second = index.vocabulary.get(content[i]?.term ?? '')
    if (first !== undefined && second !== undefined) pairs.push(first * pairBase + second)
  }
  const type = questionTypeOf(question, index.language)
  return {
    terms,
    pairs,
    total: terms.reduce((sum, term) => sum + term.value, 0),
    ...(type === undefined ? {} : { type }),
    wanted: wantedBits(type),
    isNegated: isNegated(question, index.language),
    length: terms.length,
  }
}
