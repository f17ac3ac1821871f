// What a unit of text, inside its chunk, shares with a question: the inputs of the ranking and answerability models. Each feature is
// in 0..1 or a sign, so that weights trained on one kind of text hold on another.
import type { Query } from './question.ts'
import { contextWeight, type IndexedChunk, type IndexedUnit, pairBase } from './session-index.ts'

export interface Coverage {
  /** By query term: 1 where held, less for a related form or a title's word. */
  holds: readonly number[]
  all: number
  exact: number
  names: number
  /** Unweighted share. */
  plain: number
}

const part = (sum: number, total: number, whenNone = 0): number => (total === 0 ? whenNone : sum / total)

function summarise(query: Query, holds: readonly number[]): Coverage {
  const { terms, totals } = query
  let [all, exact, names, plain] = [0, 0, 0, 0]
  for (let i = 0; i < terms.length; i++) {
    const term = terms[i]
    const hold = holds[i] ?? 0
    if (!term || hold === 0) continue
    const gain = hold * term.value
    all += gain
    plain += 1
    if (term.isName) names += gain
    if (hold === 1) exact += term.value
  }
  return {
    holds,
    all: part(all, totals.all),
    exact: part(exact, totals.all),
    names: part(names, totals.names, 0.5),
    plain: plain / Math.max(1, terms.length),
  }
}

const none = ({ terms }: Query): number[] => terms.map(() => 0)

function meet(query: Query, id: number, share: number, holds: number[]): void {
  for (const { at, weight } of query.byTerm.get(id) ?? []) if (weight * share > (holds[at] ?? 0)) holds[at] = weight * share
}

/** Undefined for a unit that meets no word of the question: most are such. */
function unitCoverage(query: Query, unit: IndexedUnit): Coverage | undefined {
  let holds: number[] | undefined
  for (const id of unit.sequence) if (query.isMet[id] === 1) meet(query, id, 1, (holds ??= none(query)))
  for (const id of unit.contextIds) if (query.isMet[id] === 1) meet(query, id, contextWeight, (holds ??= none(query)))
  return holds && summarise(query, holds)
}

function chunkCoverage(query: Query, chunk: IndexedChunk): Coverage {
  const holds = none(query)
  for (let at = 0; at < holds.length; at++)
    for (const { id, weight } of query.terms[at]?.variants ?? []) if (weight > (holds[at] ?? 0) && chunk.terms.has(id)) holds[at] = weight
  return summarise(query, holds)
}

/** For each term the most that a text or its neighbour holds of it, which may be missing or hold nothing. */
const together = (own: Coverage, neighbour: Coverage | undefined): readonly number[] =>
  neighbour ? own.holds.map((hold, at) => Math.max(hold, neighbour.holds[at] ?? 0)) : own.holds

/** Share by `value`, in which a rare related form raises a common word. */
function heldShare(query: Query, holds: readonly number[]): number {
  let sum = 0
  for (let i = 0; i < holds.length; i++) sum += (holds[i] ?? 0) * (query.terms[i]?.value ?? 0)
  return part(sum, query.totals.all)
}

/** Share by the rarity of the words themselves. */
function ownShare(query: Query, holds: readonly number[]): number {
  let sum = 0
  for (let i = 0; i < holds.length; i++) sum += (query.terms[i]?.ownValue ?? 0) * (holds[i] ?? 0)
  return part(sum, query.totals.own)
}

// Pairs of neighbouring words that a text shares with a question, "of" and "the" among them: people who ask about a text often ask in
// its own words.

const noHits = new Uint8Array(0)

/** By neighbouring pair of words of the question: 1 where the unit holds it. */
export function phraseHits({ phrases, words }: Query, unit: IndexedUnit): Uint8Array {
  let hits: Uint8Array | undefined
  let wasAsked = false
  for (let i = 0; i < unit.words.length; i++) {
    const isAsked = words[unit.words[i] ?? 0] === 1
    const pair = isAsked && wasAsked ? phrases.get((unit.words[i - 1] ?? 0) * pairBase + (unit.words[i] ?? 0)) : undefined
    if (pair !== undefined) {
      hits ??= new Uint8Array(phrases.size)
      hits[pair] = 1
    }
    wasAsked = isAsked
  }
  return hits ?? noHits
}

const isHeld = (units: readonly Uint8Array[], pair: number) => units.some((hits) => hits[pair] === 1)

/** The more of the best chunks hold a pair, the less it tells. */
export function phraseWeights(size: number, chunks: readonly (readonly Uint8Array[])[]): readonly number[] {
  const heldBy = Array.from({ length: size }, () => 0)
  for (const units of chunks) for (let pair = 0; pair < size; pair++) if (isHeld(units, pair)) heldBy[pair] = (heldBy[pair] ?? 0) + 1
  return heldBy.map((held) => {
    return Math.log(1 + chunks.length / (held + 0.5))
  })
}

/** Weighted share of the pairs that one of the units holds. */
export function phraseShare(weights: readonly number[], units: readonly Uint8Array[]): number {
  let [sum, total] = [0, 0]
  for (let pair = 0; pair < weights.length; pair++) {
    total += weights[pair] ?? 0
    if (isHeld(units, pair)) sum += weights[pair] ?? 0
  }
  return total === 0 ? 0 : sum / total
}

export const rankFeatureNames = [
  'unitCoverage',
  'exactUnit',
  'plainUnit',
  'windowCoverage',
  'exactChunk',
  'plainChunk',
  'bm25Share',
  'bm25Level',
  'likelihood',
  'chunkPairs',
  'typeMatch',
  'unitNames',
  'chunkNames',
  'length',
  'isSlide',
  'isFirst',
  'exactShare',
  'ownUnit',
  'before',
  'leaningBefore',
  'unitPhrases',
  'chunkPhrases',
  'density',
] as const

/** BM25 of a chunk and of the best chunk: with related forms, and by the words of the question alone. */
export interface Level {
  score: number
  top: number
  exact: number
  exactTop: number
}

/** Share of the neighbouring terms of the question that some unit of the chunk holds as neighbours. */
function pairShare({ pairs, isMet }: Query, chunk: IndexedChunk): number {
  if (pairs.length === 0) return 0
  const found = new Set<number>()
  for (const { sequence } of chunk.units)
    for (let i = 1; i < sequence.length; i++) {
      const [first, second] = [sequence[i - 1] ?? 0, sequence[i] ?? 0]
      if (isMet[first] === 1 && isMet[second] === 1) found.add(first * pairBase + second)
    }
  return pairs.filter((pair) => found.has(pair)).length / pairs.length
}

/** Query likelihood with Dirichlet smoothing against the rarity of each term. */
function likelihood(query: Query, chunk: IndexedChunk): number {
  let sum = 0
  for (const term of query.terms) {
    let count = 0
    for (const { id, weight } of term.variants) count += (chunk.terms.get(id) ?? 0) * weight
    const background = Math.exp(-term.value) * 0.05 + 1e-4
    sum += Math.log(((count + 30 * background) / (chunk.length + 30) / background) * 10)
  }
  return sum / 10
}

/** +1 where the unit holds the kind of value asked for, -1 where it does not, 0 where any text will do. */
function typeMatch(query: Query, unit: IndexedUnit): number {
  if (query.wanted === 0) return 0
  return (unit.values & query.wanted) === 0 ? -1 : 1
}

/** Phrases of the question that each unit of the chunk holds, and what each phrase tells. */
export interface ChunkPhrases {
  hits: readonly Uint8Array[]
  weights: readonly number[]
}

/** One row of features per unit of the chunk, in the order of `rankFeatureNames`; none for a unit that meets no word of the question. */
export function chunkFeatures(query: Query, chunk: IndexedChunk, level: Level, phrases: ChunkPhrases): (readonly number[] | undefined)[] {
  const whole = chunkCoverage(query, chunk)
  const units = chunk.units.map((unit) => unitCoverage(query, unit))
  const ofChunk = {
    pairs: pairShare(query, chunk),
    likely: likelihood(query, chunk),
    phrases: phraseShare(phrases.weights, phrases.hits),
  }
  return chunk.units.map((unit, at) => {
    const own = units[at]
    if (!own) return undefined
    const before = together(own, units[at - 1])
    const after = together(own, units[at + 1])
    const ownUnit = ownShare(query, own.holds)
    const ownBefore = ownShare(query, before)
    const hit = phrases.hits[at]
    return [
      own.all,
      own.exact,
      own.plain,
      Math.max(heldShare(query, before), heldShare(query, after)),
      whole.exact,
      whole.plain,
      part(level.score, level.top),
      Math.min(1, level.score / (3 * Math.max(1, query.terms.length))),
      ofChunk.likely,
      ofChunk.pairs,
      typeMatch(query, unit),
      own.names,
      whole.names,
      Math.log(1 + unit.text.length) / 5,
      chunk.source.type === 'slide' ? 1 : 0,
      at === 0 ? 1 : 0,
      part(level.exact, level.exactTop),
      ownUnit,
      ownBefore - ownUnit,
      unit.leansBack ? ownBefore - ownUnit : 0,
      hit ? phraseShare(phrases.weights, [hit]) : 0,
      ofChunk.phrases,
      (own.plain * query.terms.length) / Math.max(3, unit.sequence.length),
    ]
  })
}
