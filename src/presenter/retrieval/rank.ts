// Ranks the units of a session for a question: BM25 picks twelve chunks, then each of their units is scored by a linear model over
// what it and its chunk share with the question. The weights are trained by bench/qa/train.ts and committed (weights.json).
import { chunkFeatures, knownTerms } from './features.ts'
import { readQuestion, type Query } from './question.ts'
import type { IndexedChunk, IndexedUnit, SessionIndex } from './session-index.ts'
import type { Token } from './tokens.ts'

export interface Candidate {
  chunk: IndexedChunk
  unit: IndexedUnit
  unitAt: number
  score: number
  features: Float64Array
}

const k1 = 1.2
const b = 0.75
const picked = 12
/** Between two near-equal units the one on screen is meant; it never beats a clearly better one. */
const onScreenBonus = 0.25

function bm25(query: Query, index: SessionIndex): Float64Array {
  const scores = new Float64Array(index.chunks.length)
  const best = new Float64Array(index.chunks.length)
  for (const term of query.terms) {
    best.fill(0)
    for (const { id, weight } of term.variants) {
      for (const at of index.postings.get(id) ?? []) {
        const chunk = index.chunks[at]
        if (!chunk) continue
        const tf = chunk.terms.get(id) ?? 0
        const norm = (tf * (k1 + 1)) / (tf + k1 * (1 - b + (b * chunk.length) / index.averageLength))
        best[at] = Math.max(best[at] ?? 0, norm * weight)
      }
    }
    for (let at = 0; at < scores.length; at++) scores[at] = (scores[at] ?? 0) + (best[at] ?? 0) * term.value
  }
  return scores
}

function topChunks(scores: Float64Array): number[] {
  const order: number[] = []
  for (let at = 0; at < scores.length; at++) if ((scores[at] ?? 0) > 0) order.push(at)
  order.sort((x, y) => (scores[y] ?? 0) - (scores[x] ?? 0) || x - y)
  return order.slice(0, picked)
}

/** Every unit of the twelve best chunks with its features, unscored: what training and ranking both start from. */
export function candidatesOf(query: Query, index: SessionIndex): Candidate[] {
  const scores = bm25(query, index)
  const chosen = topChunks(scores)
  const top = scores[chosen[0] ?? 0] ?? 0
  const known = knownTerms(query)
  return chosen.flatMap((at) => {
    const chunk = index.chunks[at]
    if (!chunk) return []
    const rows = chunkFeatures(query, known, chunk, { score: scores[at] ?? 0, top })
    return chunk.units.map((unit, unitAt) => ({ chunk, unit, unitAt, score: 0, features: rows[unitAt] ?? new Float64Array() }))
  })
}

export function scoreOf(features: Float64Array, weights: readonly number[]): number {
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
}

/** Ranks the units of `index` for `question`: about 0.1 ms on 40 passages. */
export function rank(question: string, index: SessionIndex, options: RankOptions): Ranking {
  const query = readQuestion(question, index, options.borrowed)
  const candidates = candidatesOf(query, index)
  for (const candidate of candidates) {
    const { source } = candidate.chunk
    const isOnScreen = source.type === 'slide' && source.index === options.slideIndex
    candidate.score = scoreOf(candidate.features, options.weights) + (isOnScreen ? onScreenBonus : 0)
  }
  candidates.sort((x, y) => y.score - x.score)
  return { query, candidates }
}
