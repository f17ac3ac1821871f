// Ranks the units of a session for a question: BM25 picks fourteen chunks, then each of their units is scored by a linear model over
// what it and its chunk share with the question. The weights are trained by bench/qa/train.ts and committed (weights.json).
import { asksForDefinition, definedTermsMax, definitionFit } from './definitions.ts'
import { chunkFeatures } from './features.ts'
import { fold } from './fold.ts'
import { captionNamed } from './named.ts'
import { phraseHits, phraseWeights } from './phrases.ts'
import { isNegated, type Query, readQuestion } from './question.ts'
import type { IndexedChunk, IndexedUnit, SessionIndex } from './session-index.ts'
import type { Token } from './tokens.ts'
import type { ValueType } from './value-types.ts'

export interface Candidate {
  chunk: IndexedChunk
  unit: IndexedUnit
  unitAt: number
  score: number
  features: readonly number[]
}

const k1 = 1.2
const b = 0.75
const picked = 14
/** Between two near-equal units the one on screen is meant; it never beats a clearly better one. */
const onScreenBonus = 0.25
/** "And silver?": where the question before was answered, for what opens with the new name where the old one stood. */
const parallelBonus = 2
/** For a text with the kind of value asked for, where its form is sure to tell that kind. */
const valueBonus = 1
const toldByForm: ReadonlySet<ValueType | undefined> = new Set(['money', 'duration', 'weight', 'percent', 'temperature', 'contact'])
/** For what defines that which a question of a few words asks for. */
const definitionBonus = 4
/** "What should it not do?" is answered under "Don't". */
const negatedBonus = 2
/** For a slide that the question names: the answer is there or nowhere. */
const namedBonus = 20
/** For the words under "Figure 3" where the question names it. */
const captionBonus = 2

interface Scores {
  /** BM25 by chunk with related forms, and by the words of the question alone. */
  all: readonly number[]
  exact: readonly number[]
}

function bm25(query: Query, index: SessionIndex): Scores {
  const zeros = index.chunks.map(() => 0)
  const [all, exact, best] = [zeros, [...zeros], [...zeros]]
  for (const { variants, value } of query.terms) {
    for (const { id, weight } of variants) {
      const list = index.postings[id] ?? []
      for (let i = 0; i < list.length; i += 2) {
        const [at, tf] = [list[i] ?? 0, list[i + 1] ?? 0]
        const norm = (tf * (k1 + 1)) / (tf + k1 * (1 - b + (b * (index.chunks[at]?.length ?? 0)) / index.averageLength))
        if (weight === 1) exact[at] = (exact[at] ?? 0) + norm * value
        const gain = norm * weight * value - (best[at] ?? 0)
        if (gain <= 0) continue
        best[at] = (best[at] ?? 0) + gain
        all[at] = (all[at] ?? 0) + gain
      }
    }
    for (const { id } of variants) for (let i = 0, list = index.postings[id] ?? []; i < list.length; i += 2) best[list[i] ?? 0] = 0
  }
  return { all, exact }
}

function topChunks(scores: readonly number[]): number[] {
  const order: number[] = []
  for (let at = 0; at < scores.length; at++) if ((scores[at] ?? 0) > 0) order.push(at)
  order.sort((x, y) => (scores[y] ?? 0) - (scores[x] ?? 0) || x - y)
  return order.slice(0, picked)
}

/** Every unit of the fourteen best chunks that meets the question with its features, unscored: what training and ranking both start from. */
export function candidatesOf(query: Query, index: SessionIndex): Candidate[] {
  const { all: scores, exact } = bm25(query, index)
  const chosen = topChunks(scores)
  const top = scores[chosen[0] ?? 0] ?? 0
  const exactTop = exact.reduce((best, score) => Math.max(best, score), 0)
  const phrases = chosen.map((at) => (index.chunks[at]?.units ?? []).map((unit) => phraseHits(query, unit)))
  const weights = phraseWeights(query.phrases.size, phrases)
  return chosen.flatMap((at, place) => {
    const chunk = index.chunks[at]
    if (!chunk) return []
    const level = { score: scores[at] ?? 0, top, exact: exact[at] ?? 0, exactTop }
    const rows = chunkFeatures(query, chunk, level, { hits: phrases[place] ?? [], weights })
    return chunk.units.flatMap((unit, unitAt) => {
      const features = rows[unitAt]
      return features ? [{ chunk, unit, unitAt, score: 0, features }] : []
    })
  })
}

export function scoreOf(features: readonly number[], weights: readonly number[]): number {
  let sum = 0
  for (let i = 0; i < features.length; i++) sum += (features[i] ?? 0) * (weights[i] ?? 0)
  return sum
}

export interface Ranking {
  query: Query
  /** Best first; at most one candidate per unit. */
  candidates: Candidate[]
}

export interface RankOptions {
  weights: readonly number[]
  /** The slide on screen, from 0. */
  slideIndex?: number
  /** Terms of the question before, for a follow-up. */
  borrowed?: readonly Token[]
  /** The kind of value that a follow-up asks for, and the slides that the answer before it came from. */
  type?: ValueType
  near?: readonly number[]
  /** Slides that the question names, from 0. */
  named?: readonly number[]
}

/**
 * Sources in order of the mass of all their units, each with its own units best first: several sentences that nearly fit make a source
 * more likely than one. The best unit of the best source leads, then the others by score.
 */
function bySource(candidates: Candidate[], sourceCount: number): Candidate[] {
  const masses = Array.from({ length: sourceCount }, () => 0)
  const top = candidates.reduce((best, { score }) => Math.max(best, score), -Infinity)
  for (const { score, chunk } of candidates) masses[chunk.sourceAt] = (masses[chunk.sourceAt] ?? 0) + Math.exp(score - top)
  return candidates.sort((x, y) => (masses[y.chunk.sourceAt] ?? 0) - (masses[x.chunk.sourceAt] ?? 0) || y.score - x.score)
}

/** Opens with the first word of the question itself, not of the one before. */
const opensAnew = ({ sequence }: IndexedUnit, { byTerm }: Query) => byTerm.get(sequence[0] ?? -1)?.some(({ at }) => at === 0) === true

/** Ranks the units of `index` for `question`: about a quarter of a millisecond on 300 slides. */
export function rank(question: string, index: SessionIndex, options: RankOptions): Ranking {
  const query = readQuestion(question, index, options.borrowed, options.type)
  const candidates = candidatesOf(query, index)
  const isDefinition = query.length <= definedTermsMax && asksForDefinition(question)
  const isTold = toldByForm.has(query.type)
  const caption = captionNamed(question)
  for (const candidate of candidates) {
    const { source } = candidate.chunk
    const isOnScreen = source.type === 'slide' && source.index === options.slideIndex
    candidate.score =
      scoreOf(candidate.features, options.weights) +
      (isOnScreen ? onScreenBonus : 0) +
      (source.type === 'slide' && options.near?.includes(source.index) === true && opensAnew(candidate.unit, query) ? parallelBonus : 0) +
      (source.type === 'slide' && options.named?.includes(source.index) === true ? namedBonus : 0) +
      (caption?.test(fold(candidate.unit.text.slice(0, 40)).toLowerCase()) === true ? captionBonus : 0) +
      (query.isNegated && isNegated(`${candidate.chunk.title}\n${candidate.unit.text}`, index.language) ? negatedBonus : 0) +
      (isTold && (candidate.unit.values & query.wanted) !== 0 ? valueBonus : 0) +
      (isDefinition ? definitionBonus * definitionFit(query, candidate.unit) : 0)
  }
  return { query, candidates: bySource(candidates, index.sourceCount) }
}
