// What a verified claim rests on, verbatim: of each source it names, the unit of text that fits its words best.
import type { Citation } from '../contract/answer.ts'
import { citationOf } from './quote.ts'
import { readQuestion } from './ranking/question.ts'
import { holdOf, type IndexedUnit, type SessionIndex } from './ranking/session-index.ts'

/** One citation a source, numbered from `first`; `sources` are ids that the verifier has found. */
export function claimCitations(text: string, sources: readonly string[], index: SessionIndex, first: number): Citation[] {
  const { terms } = readQuestion(text, index)
  const fit = (unit: IndexedUnit) =>
    terms.reduce((sum, { variants, value }) => sum + value * Math.max(0, ...variants.map(({ id, weight }) => weight * holdOf(unit, id))), 0)
  return [...new Set(sources)].flatMap((id, at) => {
    const units = index.chunks.flatMap((chunk) =>
      chunk.source.id === id ? chunk.units.map((unit) => ({ chunk, unit, score: fit(unit) })) : [],
    )
    const best = units.reduce<(typeof units)[number] | undefined>((top, one) => (top && top.score >= one.score ? top : one), undefined)
    return best === undefined ? [] : [citationOf(best, first + at)]
  })
}
