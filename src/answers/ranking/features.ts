// What a unit of text, inside its chunk, shares with a question: the inputs of the ranking and answerability models. Each feature is
// in 0..1 or a sign, so that weights trained on one kind of text hold on another.
import { chunkCoverage, heldShare, ownShare, part, together, unitCoverage } from './coverage.ts'
import { phraseShare } from './phrases.ts'
import type { Query } from './question.ts'
import { type IndexedChunk, type IndexedUnit, pairBase } from './session-index.ts'

// Whether words that stand together in the question stand together in a text, in either order and in any of their forms.

/** How many content terms on, "attacked and burnt the fort" still says who attacked what. */
const reach = 3

/** Share of the neighbouring terms of the question, by rarity, that the unit holds within `reach` of one another. */
export function nearShare(query: Query, unit: IndexedUnit): number {
  const { terms } = query
  if (terms.length < 2) return 0
  const lastSeen = terms.map(() => -99)
  const near = terms.map(() => 0)
  for (let place = 0; place < unit.sequence.length; place++) {
    const id = unit.sequence[place] ?? 0
    if (query.isMet[id] !== 1) continue
    for (const { at } of query.byTerm.get(id) ?? []) {
      if (place - (lastSeen[at - 1] ?? -99) <= reach && lastSeen[at - 1] !== place) near[at] = 1
      if (place - (lastSeen[at + 1] ?? -99) <= reach && lastSeen[at + 1] !== place) near[at + 1] = 1
      lastSeen[at] = place
    }
  }
  let [sum, total] = [0, 0]
  for (let at = 1; at < terms.length; at++) {
    const value = (terms[at - 1]?.ownValue ?? 0) + (terms[at]?.ownValue ?? 0)
    total += value
    if (near[at] === 1) sum += value
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
  'newValue',
  'unitNames',
  'chunkNames',
  'titleCoverage',
  'length',
  'isSlide',
  'isFirst',
  'exactShare',
  'rareUnit',
  'ownUnit',
  'before',
  'leaningBefore',
  'unitPhrases',
  'chunkPhrases',
  'focusHeld',
  'besidesFocus',
  'unitBm25',
  'newNames',
  'newFigures',
  'dateMatch',
  'density',
  'saturation',
  'unitNear',
  'chunkNear',
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

/** Phrases of the question that each unit of the chunk holds, and what each phrase tells. */
export interface ChunkPhrases {
  hits: readonly Uint8Array[]
  weights: readonly number[]
}

const logShare = (count: number) => Math.log(1 + count) / 3
const isNewTo = (query: Query) => (id: number) => !query.byTerm.has(id)
/** BM25 of a unit as a document of its own: half of what it holds is lost to length at about forty terms. */
const unitLength = 14

/** How often the chunk says the words of the question themselves, three times at most each. */
function saturation(query: Query, chunk: IndexedChunk): number {
  let sum = 0
  for (const { variants, value } of query.terms)
    for (const { id, weight } of variants) if (weight === 1) sum += value * Math.min(3, chunk.terms.get(id) ?? 0)
  return sum / (3 * Math.max(0.1, query.totals.all))
}

/** One row of features per unit of the chunk, in the order of `rankFeatureNames`; none for a unit that meets no word of the question. */
export function chunkFeatures(query: Query, chunk: IndexedChunk, level: Level, phrases: ChunkPhrases): (readonly number[] | undefined)[] {
  const whole = chunkCoverage(query, chunk)
  const units = chunk.units.map((unit) => unitCoverage(query, unit))
  const asksDate = query.type === 'date'
  const near = chunk.units.map((unit, at) => (units[at] ? nearShare(query, unit) : 0))
  const ofChunk = {
    near: Math.max(0, ...near),
    full: saturation(query, chunk),
    pairs: pairShare(query, chunk),
    title: titleShare(query, chunk),
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
      newValue(query, unit),
      own.names,
      whole.names,
      ofChunk.title,
      Math.log(1 + unit.text.length) / 5,
      chunk.source.type === 'slide' ? 1 : 0,
      at === 0 ? 1 : 0,
      part(level.exact, level.exactTop),
      own.rare,
      ownUnit,
      ownBefore - ownUnit,
      unit.leansBack ? ownBefore - ownUnit : 0,
      hit ? phraseShare(phrases.weights, [hit]) : 0,
      ofChunk.phrases,
      query.focus < 0 ? 0.5 : (own.holds[query.focus] ?? 0),
      ownShare(query, own.holds, query.focus),
      (ownUnit * 2.2) / (1 + 1.2 * (0.4 + (0.6 * unit.sequence.length) / unitLength)),
      logShare(unit.names.filter(isNewTo(query)).length),
      logShare(unit.figures.filter(isNewTo(query)).length),
      asksDate ? (unit.isDated ? 1 : -1) : 0,
      (own.plain * query.terms.length) / Math.max(3, unit.sequence.length),
      ofChunk.full,
      near[at] ?? 0,
      ofChunk.near,
    ]
  })
}
