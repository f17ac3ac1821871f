// Ranks the units of a session for a question: BM25 picks fourteen chunks, then each of their units is scored by a linear model over
// what it and its chunk share with the question. The weights are trained by bench/qa/train.ts and committed (weights.json).
import { chunkFeatures, phraseHits, phraseWeights, rankFeatureNames } from './features.ts'
import { asksForDefinition, definedTermsMax, definitionFit } from './general-questions.ts'
import { isNegated, type Query, readQuestion } from './question.ts'
import type { IndexedChunk, IndexedUnit, SessionIndex } from './session-index.ts'
import type { Token } from './tokens.ts'
import type { ValueType } from './values.ts'
import trained from './weights.json' with { type: 'json' }

/** Checked against the features that they were trained for. */
function inOrder(names: readonly string[], values: Readonly<Record<string, number>>): number[] {
  return names.map((name) => {
    const value = values[name]
    if (value === undefined) throw new Error(`weights.json has no weight for ${name}: run bench/qa/train.ts`)
    return value
  })
}

const rankWeights = inOrder(rankFeatureNames, trained.rank)

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

function weighed(features: ArrayLike<number>, weights: readonly number[]): number {
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
  /** Others than those that were trained: training compares them. */
  weights?: readonly number[]
  /** The slide on screen, from 0. */
  slideIndex?: number
  /** Terms of the question before, for a follow-up. */
  borrowed?: readonly Token[]
  /** The question that is gone on from, which says what is asked for. */
  asked?: string
  /** The kind of value that a follow-up asks for, and the slides that the answer before it came from. */
  type?: ValueType
  near?: readonly number[]
  /** Slides that the question names, from 0. */
  named?: readonly number[]
}

/** Opens with the first word of the question itself, not of the one before. */
const opensAnew = ({ sequence }: IndexedUnit, { byTerm }: Query) => byTerm.get(sequence[0] ?? -1)?.some(({ at }) => at === 0) === true

/** Ranks the units of `index` for `question`: about a quarter of a millisecond on 300 slides. */
export function rank(question: string, index: SessionIndex, options: RankOptions = {}): Ranking {
  const query = readQuestion(question, index, options.borrowed, options.type)
  const candidates = candidatesOf(query, index)
  const isDefinition = query.length <= definedTermsMax && asksForDefinition(options.asked ?? question)
  for (const candidate of candidates) {
    const { source } = candidate.chunk
    const isOnScreen = source.type === 'slide' && source.index === options.slideIndex
    candidate.score =
      weighed(candidate.features, options.weights ?? rankWeights) +
      (isOnScreen ? onScreenBonus : 0) +
      (source.type === 'slide' && options.near?.includes(source.index) === true && opensAnew(candidate.unit, query) ? parallelBonus : 0) +
      (source.type === 'slide' && options.named?.includes(source.index) === true ? namedBonus : 0) +
      (query.isNegated && isNegated(`${candidate.chunk.title}\n${candidate.unit.text}`, index.language) ? negatedBonus : 0) +
      (toldByForm.has(query.type) && (candidate.unit.values & query.wanted) !== 0 ? valueBonus : 0) +
      (isDefinition ? definitionBonus * definitionFit(query, candidate.unit) : 0)
  }
  return { query, candidates: candidates.sort((x, y) => y.score - x.score) }
}

// Decides whether the best unit found is worth saying: two logistic models over the ranking, one against questions on other subjects
// (`known`), one against questions on this subject that the content does not answer (`plain`). Trained by bench/qa/train.ts.

export const answerabilityFeatureNames = [
  'bias',
  'unitCoverage',
  'exactUnit',
  'plainUnit',
  'windowCoverage',
  'exactChunk',
  'bm25Level',
  'likelihood',
  'chunkPairs',
  'margin',
  'unknownShare',
  'unknownTerms',
  'missingNames',
  'missingNumbers',
  'typeFound',
  'typeMissing',
  'negationMismatch',
  'questionLength',
  'isDeck',
  'isDeckCoverage',
  'isDeckUnknown',
] as const

export type Verdict = 'answered' | 'near' | 'unknown'

export interface Judgement {
  verdict: Verdict
  known: number
  plain: number
}

const at = new Map<string, number>(rankFeatureNames.map((name, index) => [name, index]))

/** Deck text is terse: a cut-off learnt on prose would answer two of three deck questions. */
export function isDeck(index: SessionIndex): boolean {
  return index.chunks[0]?.source.type === 'slide'
}

/** The inputs of both models, in the order of `answerabilityFeatureNames`; undefined when nothing was found. */
export function answerabilityFeatures({ query, candidates }: Ranking, index: SessionIndex): Float64Array | undefined {
  const [best] = candidates
  if (!best) return undefined
  const feature = (name: (typeof rankFeatureNames)[number]) => best.features[at.get(name) ?? 0] ?? 0
  // Who says the same again is no rival.
  const rival = candidates.find(({ chunk, unit }) => chunk.sourceAt !== best.chunk.sourceAt && unit.saying !== best.unit.saying)
  const unknown = query.terms.filter((term) => term.variants.length === 0)
  const unknownShare = query.totals.all === 0 ? 1 : unknown.reduce((sum, term) => sum + term.value, 0) / query.totals.all
  const missing = (only: (term: (typeof query.terms)[number]) => boolean) =>
    query.terms.filter((term) => only(term) && !term.variants.some(({ id }) => best.chunk.terms.has(id))).length
  const deck = isDeck(index) ? 1 : 0
  return Float64Array.of(
    1,
    feature('unitCoverage'),
    feature('exactUnit'),
    feature('plainUnit'),
    feature('windowCoverage'),
    feature('exactChunk'),
    feature('bm25Level'),
    feature('likelihood'),
    feature('chunkPairs'),
    Math.min(3, best.score - (rival?.score ?? 0)) / 3,
    unknownShare,
    Math.min(3, unknown.length) / 3,
    Math.min(
      2,
      missing((term) => term.isName),
    ) / 2,
    Math.min(
      2,
      missing((term) => term.isNumber),
    ) / 2,
    feature('typeMatch') > 0 ? 1 : 0,
    feature('typeMatch') < 0 ? 1 : 0,
    query.isNegated !== isNegated(best.unit.text, index.language) ? 1 : 0,
    Math.min(10, query.length) / 10,
    deck,
    deck * feature('unitCoverage'),
    deck * unknownShare,
  )
}

export const logistic = (features: Float64Array, weights: readonly number[]): number => 1 / (1 + Math.exp(-weighed(features, weights)))

const knownWeights = inOrder(answerabilityFeatureNames, trained.known)
const plainWeights = inOrder(answerabilityFeatureNames, trained.plain)

/** By the cut-offs that were fitted with the weights; those of a deck and of prose differ. */
export function judge(ranking: Ranking, index: SessionIndex): Judgement {
  const features = answerabilityFeatures(ranking, index)
  if (!features) return { verdict: 'unknown', known: 0, plain: 0 }
  const known = logistic(features, knownWeights)
  const plain = logistic(features, plainWeights)
  const cutoffs = trained.cutoffs[isDeck(index) ? 'deck' : 'prose']
  if (known < cutoffs.known) return { verdict: 'unknown', known, plain }
  return { verdict: plain < cutoffs.plain ? 'near' : 'answered', known, plain }
}
