// What a unit of text, inside its chunk, shares with a question: the inputs of the ranking and answerability models. Each feature is
// in 0..1 or a sign, so that weights trained on one kind of text hold on another.
import type { Query, QueryTerm } from './question.ts'
import type { IndexedChunk, IndexedUnit } from './session-index.ts'

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
  'unitPairs',
  'chunkPairs',
  'typeMatch',
  'newValue',
  'unitNames',
  'chunkNames',
  'unitNumbers',
  'titleCoverage',
  'length',
  'isSlide',
  'isFirst',
] as const

/** BM25 of a chunk and of the best chunk. */
export interface Level {
  score: number
  top: number
}

/** How well `terms` holds a query term: the best of its variants, halved where only a title holds it. */
function held(term: QueryTerm, terms: ReadonlyMap<number, number>): number {
  let best = 0
  for (const { id, weight } of term.variants) {
    const there = terms.get(id)
    if (there !== undefined) best = Math.max(best, weight * Math.min(1, there))
  }
  return best
}

const heldBy = (query: Query, terms: ReadonlyMap<number, number>) => Float64Array.from(query.terms, (term) => held(term, terms))

/** Value-weighted share of the terms that `holds` gives; `whenNone` where there is nothing to weigh. */
function share(terms: readonly QueryTerm[], holds: Float64Array, whenNone = 0, only?: (term: QueryTerm) => boolean): number {
  let sum = 0
  let total = 0
  terms.forEach((term, i) => {
    if (only && !only(term)) return
    sum += (holds[i] ?? 0) * term.value
    total += term.value
  })
  return total === 0 ? whenNone : sum / total
}

const countShare = (holds: Float64Array) => holds.reduce((sum, value) => sum + (value > 0 ? 1 : 0), 0) / Math.max(1, holds.length)
const exactOnly = (holds: Float64Array) => holds.map((value) => (value === 1 ? 1 : 0))
const either = (a: Float64Array, b: Float64Array | undefined) => (b ? a.map((value, i) => Math.max(value, b[i] ?? 0)) : a)
const isName = (term: QueryTerm) => term.isName
const isNumber = (term: QueryTerm) => term.isNumber

function pairShare(query: Query, has: (pair: number) => boolean): number {
  return query.pairs.length === 0 ? 0 : query.pairs.filter(has).length / query.pairs.length
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

/** As `typeMatch`, but the name or figure must be one that the question did not bring itself. */
function newValue(query: Query, unit: IndexedUnit, known: ReadonlySet<number>): number {
  if (query.type === undefined || query.type === 'contact' || query.type === 'frequency') return 0
  const wanted = query.type === 'person' || query.type === 'place' ? unit.names : unit.figures
  return wanted.some((id) => !known.has(id)) ? 1 : -1
}

/** Terms under which the question may meet the text. */
export function knownTerms(query: Query): ReadonlySet<number> {
  return new Set(query.terms.flatMap((term) => term.variants.map(({ id }) => id)))
}

/** One row of features per unit of the chunk, in the order of `rankFeatureNames`. */
export function chunkFeatures(query: Query, known: ReadonlySet<number>, chunk: IndexedChunk, level: Level): Float64Array[] {
  const { terms } = query
  const inChunk = heldBy(query, chunk.terms)
  const inTitle = Float64Array.from(terms, (term) =>
    term.variants.some(({ id, weight }) => weight === 1 && chunk.titleTerms.has(id)) ? 1 : 0,
  )
  const inUnits = chunk.units.map((unit) => heldBy(query, unit.terms))
  const windows = inUnits.map((holds, at) => share(terms, either(holds, inUnits[at + 1])))
  const exactChunk = share(terms, exactOnly(inChunk))
  const plainChunk = countShare(inChunk)
  const chunkNames = share(terms, inChunk, 0.5, isName)
  const chunkPairs = pairShare(query, (pair) => chunk.units.some((unit) => unit.pairs.has(pair)))
  const titleCoverage = share(terms, inTitle)
  const likely = likelihood(query, chunk)
  return chunk.units.map((unit, at) => {
    const holds = inUnits[at] ?? new Float64Array()
    return Float64Array.of(
      share(terms, holds),
      share(terms, exactOnly(holds)),
      countShare(holds),
      Math.max(windows[at - 1] ?? 0, windows[at] ?? 0),
      exactChunk,
      plainChunk,
      level.top === 0 ? 0 : level.score / level.top,
      Math.min(1, level.score / (3 * Math.max(1, terms.length))),
      likely,
      pairShare(query, (pair) => unit.pairs.has(pair)),
      chunkPairs,
      typeMatch(query, unit),
      newValue(query, unit, known),
      share(terms, holds, 0.5, isName),
      chunkNames,
      share(terms, holds, 0.5, isNumber),
      titleCoverage,
      Math.log(1 + unit.text.length) / 5,
      chunk.source.type === 'slide' ? 1 : 0,
      at === 0 ? 1 : 0,
    )
  })
}
