// Which terms of a question a text holds, and what share of the question that is. Shares are weighted by the value of the terms.
import type { Query } from './question.ts'
import { contextWeight, type IndexedChunk, type IndexedUnit } from './session-index.ts'

export interface Coverage {
  /** By query term: 1 where held, less for a related form or a title's word. */
  holds: readonly number[]
  all: number
  exact: number
  names: number
  /** Weighted by the square of the value: the rarest words decide. */
  rare: number
  /** Unweighted share. */
  plain: number
}

export const part = (sum: number, total: number, whenNone = 0): number => (total === 0 ? whenNone : sum / total)

function summarise(query: Query, holds: readonly number[]): Coverage {
  const { terms, totals } = query
  let [all, exact, names, rare, plain] = [0, 0, 0, 0, 0]
  for (let i = 0; i < terms.length; i++) {
    const term = terms[i]
    const hold = holds[i] ?? 0
    if (!term || hold === 0) continue
    const gain = hold * term.value
    all += gain
    rare += gain * term.value
    plain += 1
    if (term.isName) names += gain
    if (hold === 1) exact += term.value
  }
  return {
    holds,
    all: part(all, totals.all),
    exact: part(exact, totals.all),
    names: part(names, totals.names, 0.5),
    rare: part(rare, totals.rare),
    plain: plain / Math.max(1, terms.length),
  }
}

const none = ({ terms }: Query): number[] => terms.map(() => 0)

function meet(query: Query, id: number, share: number, holds: number[]): void {
  for (const { at, weight } of query.byTerm.get(id) ?? []) if (weight * share > (holds[at] ?? 0)) holds[at] = weight * share
}

/** Undefined for a unit that meets no word of the question: most are such. */
export function unitCoverage(query: Query, unit: IndexedUnit): Coverage | undefined {
  let holds: number[] | undefined
  for (const id of unit.sequence) if (query.isMet[id] === 1) meet(query, id, 1, (holds ??= none(query)))
  for (const id of unit.contextIds) if (query.isMet[id] === 1) meet(query, id, contextWeight, (holds ??= none(query)))
  return holds && summarise(query, holds)
}

export function chunkCoverage(query: Query, chunk: IndexedChunk): Coverage {
  const holds = none(query)
  for (let at = 0; at < holds.length; at++)
    for (const { id, weight } of query.terms[at]?.variants ?? []) if (weight > (holds[at] ?? 0) && chunk.terms.has(id)) holds[at] = weight
  return summarise(query, holds)
}

/** For each term the most that a text or its neighbour holds of it, which may be missing or hold nothing. */
export const together = (own: Coverage, neighbour: Coverage | undefined): readonly number[] =>
  neighbour ? own.holds.map((hold, at) => Math.max(hold, neighbour.holds[at] ?? 0)) : own.holds

/** Share by `value`, in which a rare related form raises a common word. */
export function heldShare(query: Query, holds: readonly number[]): number {
  let sum = 0
  for (let i = 0; i < holds.length; i++) sum += (holds[i] ?? 0) * (query.terms[i]?.value ?? 0)
  return part(sum, query.totals.all)
}

/** Of the rarities of the words themselves, without the term at `except`. */
function ownTotal(terms: Query['terms'], except: number): number {
  let total = 0
  for (let i = 0; i < terms.length; i++) if (i !== except) total += terms[i]?.ownValue ?? 0
  return total
}

/** Share by the rarity of the words themselves, without the term at `except`. */
export function ownShare(query: Query, holds: readonly number[], except = -1): number {
  let sum = 0
  for (let i = 0; i < holds.length; i++) if (i !== except) sum += (query.terms[i]?.ownValue ?? 0) * (holds[i] ?? 0)
  return part(sum, except === -1 ? query.totals.own : ownTotal(query.terms, except))
}
