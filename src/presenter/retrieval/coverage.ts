// Which terms of a question a text holds, and what share of the question that is. Shares are weighted by the value of the terms.
import type { Query } from './question.ts'
import type { IndexedChunk, IndexedUnit } from './session-index.ts'

export interface Coverage {
  /** By query term: 1 where held, less for a related form or a title's word. */
  holds: Float64Array
  all: number
  exact: number
  names: number
  numbers: number
  /** Weighted by the square of the value: the rarest words decide. */
  rare: number
  /** Unweighted share. */
  plain: number
}

export const part = (sum: number, total: number, whenNone = 0): number => (total === 0 ? whenNone : sum / total)

function summarise(query: Query, holds: Float64Array): Coverage {
  const { terms, totals } = query
  let [all, exact, names, numbers, rare, plain] = [0, 0, 0, 0, 0, 0]
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
    if (hold === 1) exact += term.value
  }
  return {
    holds,
    all: part(all, totals.all),
    exact: part(exact, totals.all),
    names: part(names, totals.names, 0.5),
    numbers: part(numbers, totals.numbers, 0.5),
    rare: part(rare, totals.rare),
    plain: plain / Math.max(1, terms.length),
  }
}

export function unitCoverage(query: Query, unit: IndexedUnit): Coverage {
  const holds = new Float64Array(query.terms.length)
  for (let i = 0; i < unit.termIds.length; i++) {
    const hits = query.byTerm.get(unit.termIds[i] ?? -1)
    if (!hits) continue
    const own = unit.termWeights[i] ?? 0
    for (const { at, weight } of hits) if (weight * own > (holds[at] ?? 0)) holds[at] = weight * own
  }
  return summarise(query, holds)
}

export function chunkCoverage(query: Query, chunk: IndexedChunk): Coverage {
  const holds = new Float64Array(query.terms.length)
  for (let at = 0; at < holds.length; at++)
    for (const { id, weight } of query.terms[at]?.variants ?? []) if (weight > (holds[at] ?? 0) && chunk.terms.has(id)) holds[at] = weight
  return summarise(query, holds)
}

/** For each term the most that either text holds of it. */
export function together(a: Float64Array, b: Float64Array | undefined): Float64Array {
  return b ? a.map((hold, at) => Math.max(hold, b[at] ?? 0)) : a
}

/** Share by `value`, in which a rare related form raises a common word. */
export function heldShare(query: Query, holds: Float64Array): number {
  let sum = 0
  for (let i = 0; i < holds.length; i++) sum += (holds[i] ?? 0) * (query.terms[i]?.value ?? 0)
  return part(sum, query.totals.all)
}

/** Share by the rarity of the words themselves, without the term at `except`. */
export function ownShare(query: Query, holds: Float64Array, except = -1): number {
  let [sum, total] = [0, 0]
  for (let i = 0; i < holds.length; i++) {
    const value = i === except ? 0 : (query.terms[i]?.ownValue ?? 0)
    total += value
    sum += value * (holds[i] ?? 0)
  }
  return part(sum, total)
}

/** The value of the rarest term not held, as a share of the rarest of all. */
export function rarestMissing(query: Query, holds: Float64Array): number {
  let [top, missing] = [0, 0]
  for (let i = 0; i < holds.length; i++) {
    const value = query.terms[i]?.ownValue ?? 0
    top = Math.max(top, value)
    if (holds[i] === 0) missing = Math.max(missing, value)
  }
  return part(missing, top)
}
