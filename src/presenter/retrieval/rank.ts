// Ranks the units of a session for a question: BM25 picks fourteen chunks, then each of their units is scored by a linear model over
// what it and its chunk share with the question. The weights are trained by bench/qa/train.ts and committed (weights.json).
import { asksForDefinition, readsAsDefinition } from './definitions.ts'
import { chunkFeatures } from './features.ts'
import { phraseHits, phraseWeights } from './phrases.ts'
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
const picked = 14
/** Between two near-equal units the one on screen is meant; it never beats a clearly better one. */
const onScreenBonus = 0.25
/** For a sentence that defines what a question of one or two words asks for. */
const definitionBonus = 2
const definedTermsMax = 2

function bm25(query: Query, index: SessionIndex, onlyExact = false): Float64Array {
  const scores = new Float64Array(index.chunks.length)
  const best = new Float64Array(index.chunks.length)
  for (const term of query.terms) {
    best.fill(0)
    for (const { id, weight } of term.variants) {
      if (onlyExact && weight < 1) continue
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

/** Every unit of the fourteen best chunks that meets the question with its features, unscored: what training and ranking both start from. */
export function candidatesOf(query: Query, index: SessionIndex): Candidate[] {
  const scores = bm25(query, index)
  const chosen = topChunks(scores)
  const top = scores[chosen[0] ?? 0] ?? 0
  const exact = bm25(query, index, true)
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

/**
 * Sources in order of the mass of all their units, each with its own units best first: several sentences that nearly fit make a source
 * more likely than one. The best unit of the best source leads, then the others by score.
 */
function bySource(candidates: readonly Candidate[]): Candidate[] {
  const mass = new Map<string, number>()
  const top = candidates.reduce((best, { score }) => Math.max(best, score), -Infinity)
  const keys = new Map(candidates.map((candidate) => [candidate, `${candidate.chunk.source.type}${candidate.chunk.source.index}`]))
  for (const [{ score }, key] of keys) mass.set(key, (mass.get(key) ?? 0) + Math.exp(score - top))
  const masses = new Map([...keys].map(([candidate, key]) => [candidate, mass.get(key) ?? 0]))
  return candidates.toSorted((x, y) => (masses.get(y) ?? 0) - (masses.get(x) ?? 0) || y.score - x.score)
}

/** Ranks the units of `index` for `question`: about a third of a millisecond on 40 passages. */
export function rank(question: string, index: SessionIndex, options: RankOptions): Ranking {
  const query = readQuestion(question, index, options.borrowed)
  const candidates = candidatesOf(query, index)
  const isDefinition = query.length <= definedTermsMax && asksForDefinition(question)
  for (const candidate of candidates) {
    const { source } = candidate.chunk
    const isOnScreen = source.type === 'slide' && source.index === options.slideIndex
    candidate.score =
      scoreOf(candidate.features, options.weights) +
      (isOnScreen ? onScreenBonus : 0) +
      (isDefinition && readsAsDefinition(candidate.unit.text) ? definitionBonus : 0)
  }
  return { query, candidates: bySource(candidates) }
}
