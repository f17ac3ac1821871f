// Pairs of neighbouring words that a text shares with a question, "of" and "the" among them: people who ask about a text often ask in
// its own words.
import type { Query } from './question.ts'
import { type IndexedUnit, pairBase } from './session-index.ts'

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
