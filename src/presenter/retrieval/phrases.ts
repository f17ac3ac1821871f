// Pairs of neighbouring words that a text shares with a question, "of" and "the" among them: people who ask about a text often ask in
// its own words.
import type { Query } from './question.ts'
import { pairBase, type IndexedUnit } from './session-index.ts'

/** By neighbouring pair of words of the question: 1 where the unit holds it. */
export function phraseHits({ phrases, words }: Query, unit: IndexedUnit): Uint8Array {
  const hits = new Uint8Array(phrases.size)
  let wasAsked = false
  for (let i = 0; i < unit.words.length; i++) {
    const isAsked = words.has(unit.words[i] ?? -1)
    const pair = isAsked && wasAsked ? phrases.get((unit.words[i - 1] ?? 0) * pairBase + (unit.words[i] ?? 0)) : undefined
    if (pair !== undefined) hits[pair] = 1
    wasAsked = isAsked
  }
  return hits
}

const isHeld = (units: readonly Uint8Array[], pair: number) => units.some((hits) => hits[pair] === 1)

/** The more of the best chunks hold a pair, the less it tells. */
export function phraseWeights(size: number, chunks: readonly (readonly Uint8Array[])[]): Float64Array {
  return Float64Array.from({ length: size }, (_, pair) => {
    const held = chunks.filter((units) => isHeld(units, pair)).length
    return Math.log(1 + chunks.length / (held + 0.5))
  })
}

/** Weighted share of the pairs that one of the units holds. */
export function phraseShare(weights: Float64Array, units: readonly Uint8Array[]): number {
  let [sum, total] = [0, 0]
  for (let pair = 0; pair < weights.length; pair++) {
    total += weights[pair] ?? 0
    if (isHeld(units, pair)) sum += weights[pair] ?? 0
  }
  return total === 0 ? 0 : sum / total
}
