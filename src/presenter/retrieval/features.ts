// What a unit of text, inside its chunk, shares with a question: the inputs of the ranking and answerability models. Each feature is
// in 0..1 or a sign, so that weights trained on one kind of text hold on another.
import type { Query } from './question.ts'
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
  'exactShare',
  'meanCoverage',
  'rareUnit',
  'rareChunk',
  'nameMatch',
  'newName',
  'exactPlain',
  'saturation',
] as const

/** BM25 of a chunk and of the best chunk: with related forms, and by the words of the question alone. */
export interface Level {
  score: number
  top: number
  exact: number
  exactTop: number
}

/** What one text holds of a question. Shares are weighted by the value of the terms. */
interface Coverage {
  /** By query term: 1 where held, less for a related form or a title's word. */
  holds: Float64Array
  all: number
  exact: number
  names: number
  numbers: number
  /** Weighted by the square of the value: the rarest words decide. */
  rare: number
  /** Unweighted shares. */
  plain: number
  exactPlain: number
}

const part = (sum: number, total: number, whenNone = 0) => (total === 0 ? whenNone : sum / total)

function summarise(query: Query, holds: Float64Array): Coverage {
  const { terms, totals } = query
  let [all, exact, names, numbers, rare, plain, exactPlain] = [0, 0, 0, 0, 0, 0, 0]
  for (let i = 0; i < terms.length; i++) {
    const term = terms[i]
    const hold = holds[i] ?? 0
    if (!term || hold === 0) continue
    const gain = hold * term.value
    all += gain
    rare += gain * term.value
    plain += 1
    if (term.isName) names += gain
    if (term.isNumber) numbers += gain
    if (hold === 1) {
      exact += term.value
      exactPlain += 1
    }
  }
  const count = Math.max(1, terms.length)
  return {
    holds,
    all: part(all, totals.all),
    exact: part(exact, totals.all),
    names: part(names, totals.names, 0.5),
    numbers: part(numbers, totals.numbers, 0.5),
    rare: part(rare, totals.rare),
    plain: plain / count,
    exactPlain: exactPlain / count,
  }
}

function unitCoverage(query: Query, unit: IndexedUnit): Coverage {
  const holds = new Float64Array(query.terms.length)
  for (let i = 0; i < unit.termIds.length; i++) {
    const hits = query.byTerm.get(unit.termIds[i] ?? -1)
    if (!hits) continue
    const own = unit.termWeights[i] ?? 0
    for (const { at, weight } of hits) if (weight * own > (holds[at] ?? 0)) holds[at] = weight * own
  }
  return summarise(query, holds)
}

function chunkCoverage(query: Query, chunk: IndexedChunk): Coverage {
  const holds = new Float64Array(query.terms.length)
  query.terms.forEach(({ variants }, at) => {
    for (const { id, weight } of variants) if (weight > (holds[at] ?? 0) && chunk.terms.has(id)) holds[at] = weight
  })
  return summarise(query, holds)
}

/** Coverage of two neighbouring units together. */
function windowShare(query: Query, a: Coverage, b: Coverage | undefined): number {
  if (!b) return a.all
  let sum = 0
  query.terms.forEach(({ value }, i) => {
    sum += Math.max(a.holds[i] ?? 0, b.holds[i] ?? 0) * value
  })
  return part(sum, query.totals.all)
}

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

/** How often the chunk says the words of the question themselves, three times at most each. */
function saturation(query: Query, chunk: IndexedChunk): number {
  let sum = 0
  for (const { variants, value } of query.terms)
    for (const { id, weight } of variants) if (weight === 1) sum += value * Math.min(3, chunk.terms.get(id) ?? 0)
  return sum / (3 * Math.max(0.1, query.totals.all))
}

function titleShare(query: Query, chunk: IndexedChunk): number {
  let sum = 0
  for (const { variants, value } of query.terms)
    if (variants.some(({ id, weight }) => weight === 1 && chunk.titleTerms.has(id))) sum += value
  return part(sum, query.totals.all)
}

/** +1 where the unit holds the kind of value asked for, -1 where it does not, 0 where any text will do. */
function typeMatch(query: Query, unit: IndexedUnit): number {
  if (query.wanted === 0) return 0
  return (unit.values & query.wanted) === 0 ? -1 : 1
}

/** As `typeMatch`, but the name or figure must be one that the question did not bring itself. */
function newValue(query: Query, unit: IndexedUnit): number {
  if (query.type === undefined || query.type === 'contact' || query.type === 'frequency') return 0
  const wanted = query.type === 'person' || query.type === 'place' ? unit.names : unit.figures
  return wanted.some((id) => !query.byTerm.has(id)) ? 1 : -1
}

/** One row of features per unit of the chunk, in the order of `rankFeatureNames`; none for a unit that meets no word of the question. */
export function chunkFeatures(query: Query, chunk: IndexedChunk, level: Level): (Float64Array | undefined)[] {
  const whole = chunkCoverage(query, chunk)
  const units = chunk.units.map((unit) => unitCoverage(query, unit))
  const windows = units.map((own, at) => windowShare(query, own, units[at + 1]))
  const chunkPairs = pairShare(query, (pair) => chunk.units.some((unit) => unit.pairs.has(pair)))
  const mean = units.reduce((sum, { all }) => sum + all, 0) / Math.max(1, units.length)
  const asksName = query.type === 'person' || query.type === 'place'
  const ofChunk = { title: titleShare(query, chunk), likely: likelihood(query, chunk), full: saturation(query, chunk) }
  return chunk.units.map((unit, at) => {
    const own = units[at]
    if (!own || own.plain === 0) return undefined
    const match = typeMatch(query, unit)
    const fresh = newValue(query, unit)
    return new Float64Array([
      own.all,
      own.exact,
      own.plain,
      Math.max(windows[at - 1] ?? 0, windows[at] ?? 0),
      whole.exact,
      whole.plain,
      part(level.score, level.top),
      Math.min(1, level.score / (3 * Math.max(1, query.terms.length))),
      ofChunk.likely,
      pairShare(query, (pair) => unit.pairs.has(pair)),
      chunkPairs,
      match,
      fresh,
      own.names,
      whole.names,
      own.numbers,
      ofChunk.title,
      Math.log(1 + unit.text.length) / 5,
      chunk.source.type === 'slide' ? 1 : 0,
      at === 0 ? 1 : 0,
      part(level.exact, level.exactTop),
      mean,
      own.rare,
      whole.rare,
      asksName ? match : 0,
      asksName ? fresh : 0,
      own.exactPlain,
      ofChunk.full,
    ])
  })
}
