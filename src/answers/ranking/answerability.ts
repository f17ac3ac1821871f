// Decides whether the best unit found is worth saying: two logistic models over the ranking, one against questions on other subjects
// (`known`), one against questions on this subject that the content does not answer (`plain`). Trained by bench/qa/train.ts.
import { rankFeatureNames } from './features.ts'
import { isNegated } from './question.ts'
import type { Ranking } from './rank.ts'
import type { SessionIndex } from './session-index.ts'

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

export interface AnswerabilityWeights {
  known: readonly number[]
  plain: readonly number[]
  /** Probabilities from which a question counts as known, and its answer as plain; deck text and prose differ. */
  cutoffs: Readonly<Record<'deck' | 'prose', { known: number; plain: number }>>
}

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

export function logistic(features: Float64Array, weights: readonly number[]): number {
  let sum = 0
  for (let i = 0; i < features.length; i++) sum += (features[i] ?? 0) * (weights[i] ?? 0)
  return 1 / (1 + Math.exp(-sum))
}

export function judge(ranking: Ranking, index: SessionIndex, weights: AnswerabilityWeights): Judgement {
  const features = answerabilityFeatures(ranking, index)
  if (!features) return { verdict: 'unknown', known: 0, plain: 0 }
  const known = logistic(features, weights.known)
  const plain = logistic(features, weights.plain)
  const cutoffs = weights.cutoffs[isDeck(index) ? 'deck' : 'prose']
  if (known < cutoffs.known) return { verdict: 'unknown', known, plain }
  return { verdict: plain < cutoffs.plain ? 'near' : 'answered', known, plain }
}
