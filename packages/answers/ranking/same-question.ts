// Whether two questions ask the same of one content: by their words, in related forms too, and by where the ranking finds their answers.
// Used to merge the questions of a room, so that votes add up and one answer serves all who asked.
import { inflects, isNegated, questionTypeOf } from './question.ts'
import { rank } from './rank.ts'
import { rarityOf, type SessionIndex } from './session-index.ts'
import { synonymsOf, tokenise } from './tokens.ts'
import type { ValueType } from './values.ts'

/** What is compared of a question. */
interface Sense {
  /** Stems that carry meaning, with the rarity of each in the content. */
  terms: ReadonlyMap<string, number>
  figures: string
  type: ValueType | undefined
  isNegated: boolean
  /** Belief in each of the best units, as shares of one. */
  units: ReadonlyMap<number, number>
  source: number | undefined
}

/** Words alike to this degree are enough where neither says something of the content that the other does not. */
const wordsMin = 0.7
/** With the same source first, fewer words are enough when the ranking believes in the same units. */
const [wordsMinOfSource, bothMin] = [0.45, 0.6]
const [synonymShare, inflectionShare, slipShare] = [0.8, 0.7, 0.8]
const believed = 6
const rarityMin = 0.3
const [slipLength, remembered] = [5, 500]
/** Of a question: two that differ only behind these are one. */
const wordsMost = 40

function senseOf(question: string, index: SessionIndex): Sense {
  const unseen = rarityOf(index.chunks.length, 0)
  const tokens = tokenise(question, index.language)
    .filter(({ weight }) => weight > 0)
    .slice(0, wordsMost)
  const terms = new Map<string, number>()
  for (const { term, weight } of tokens) {
    const id = index.vocabulary.get(term)
    terms.set(term, weight * (id === undefined ? unseen : Math.max(rarityMin, index.idf[id] ?? 0)))
  }
  const best = rank(question, index).candidates.slice(0, believed)
  const top = best.reduce((most, { score }) => Math.max(most, score), -Infinity)
  const total = best.reduce((sum, { score }) => sum + Math.exp(score - top), 0)
  const figures = tokens.filter(({ isNumber }) => isNumber).map(({ term }) => term)
  return {
    terms,
    figures: figures.toSorted().join(' '),
    type: questionTypeOf(question, index.language),
    isNegated: isNegated(question, index.language),
    units: new Map(best.map(({ unit, chunk, score }) => [chunk.sourceAt * 1e6 + unit.start, Math.exp(score - top) / total])),
    source: best[0]?.chunk.sourceAt,
  }
}

const lettersOf = (word: string) => word.split('').toSorted().join('')

/** The most that any word of the other question is like this one; 0 when it has none like it. */
function likeness(term: string, others: ReadonlyMap<string, number>, language: string): number {
  if (others.has(term)) return 1
  if (synonymsOf(term, language).some((synonym) => others.has(synonym))) return synonymShare
  let most = 0
  for (const other of others.keys()) {
    if (inflects(term, other)) most = Math.max(most, inflectionShare)
    else if (term.length >= slipLength && term.length === other.length && lettersOf(term) === lettersOf(other)) most = slipShare
  }
  return most
}

/** Share of the words of `a` that `b` has, and whether `a` says a word of the content that `b` does not. */
function shareOf(a: Sense, b: Sense, index: SessionIndex): { share: number; saysMore: boolean } {
  let [held, total] = [0, 0]
  let saysMore = false
  for (const [term, value] of a.terms) {
    const like = likeness(term, b.terms, index.language)
    held += like * value
    total += value
    if (like === 0 && value >= 1 && index.vocabulary.has(term)) saysMore = true
  }
  return { share: total === 0 ? 0 : held / total, saysMore }
}

function areOne(a: Sense, b: Sense, index: SessionIndex): boolean {
  if (a.figures !== b.figures || a.isNegated !== b.isNegated) return false
  const [one, other] = [shareOf(a, b, index), shareOf(b, a, index)]
  const words = (one.share + other.share) / 2
  const isOtherKind = a.type !== undefined && b.type !== undefined && a.type !== b.type
  if (words >= wordsMin && !isOtherKind && !one.saysMore && !other.saysMore) return true
  if (a.source === undefined || a.source !== b.source || isOtherKind || words < wordsMinOfSource) return false
  let units = 0
  for (const [unit, share] of a.units) units += Math.min(share, b.units.get(unit) ?? 0)
  return (words + units) / 2 >= bothMin
}

/** Compares the questions of one room; what was read of a question is kept for the next comparison. */
export function createSameQuestion(index: SessionIndex): (a: string, b: string) => boolean {
  const senses = new Map<string, Sense>()
  const read = (question: string): Sense => {
    let sense = senses.get(question)
    if (!sense) {
      if (senses.size >= remembered) senses.clear()
      sense = senseOf(question, index)
      senses.set(question, sense)
    }
    return sense
  }
  return (a, b) => areOne(read(a), read(b), index)
}
