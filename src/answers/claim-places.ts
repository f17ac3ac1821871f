// Whether a figure, a name or a promise stands in its source beside the words that the claim says it of. "Graz: 12 sites" is in the
// source only where one unit of text says both. Pure.
import { claimTokens, type Figure, type UnitFacts } from './claim-facts.ts'
import { clauseEnd, measureNamed } from './claim-words.ts'
import { type QueryTerm, readQuestion } from './ranking/question.ts'
import { holdOf, type SessionIndex } from './ranking/session-index.ts'

/** It must stand in a unit that fits the words around it about as well as the best one does. */
export const fitMin = 0.85

/** How well a unit fits some terms: their number, each by how it is met; a title's words count half. */
export function fitOf({ unit }: UnitFacts, terms: readonly QueryTerm[], without = ''): number {
  return terms.reduce((sum, { stem, variants }) => {
    if (stem === without) return sum
    return sum + variants.reduce((best, { id, weight }) => Math.max(best, weight * holdOf(unit, id)), 0)
  }, 0)
}

/** What is said with a figure or name: the whole claim, and the part between two stops or "and"s that holds it. */
function partsWith(text: string, term: string, index: SessionIndex): (readonly QueryTerm[])[] {
  const { language } = index
  const clause = text.split(clauseEnd).find((part) => claimTokens(part, language).some((token) => token.term === term))
  const whole = readQuestion(text, index).terms
  if (clause === undefined || clause === text) return [whole]
  const measures = new Set(claimTokens(clause, language).flatMap((token) => (measureNamed(token.word, language) ? [token.term] : [])))
  const terms = readQuestion(clause, index).terms
  // A part of figures and measures alone is said of what the rest of the claim names.
  const says = ({ stem, variants, isNumber }: QueryTerm) => stem !== term && !isNumber && variants.length > 0 && !measures.has(stem)
  return terms.some(says) ? [terms, whole] : [whole]
}

/** It stands elsewhere in the sources than what is said with it. */
export function isMisplaced(
  term: string,
  holds: (unit: UnitFacts) => boolean,
  text: string,
  units: readonly UnitFacts[],
  index: SessionIndex,
): boolean {
  return partsWith(text, term, index).every((terms) => {
    const best = Math.max(0, ...units.map((unit) => fitOf(unit, terms, term)))
    const own = Math.max(0, ...units.filter(holds).map((unit) => fitOf(unit, terms, term)))
    return own < best * fitMin
  })
}

/** Within one unit: the figure stands in one part, and another part with a figure of its own, which the claim leaves out, fits better. */
export function isOutdone(value: string, figures: readonly Figure[], text: string, units: readonly UnitFacts[], language: string): boolean {
  const said = new Set(figures.map((figure) => figure.value))
  const terms = new Set(claimTokens(text, language).flatMap(({ term, weight }) => (weight > 0 && term !== value ? [term] : [])))
  const fit = (part: UnitFacts['parts'][number]) => [...terms].filter((term) => part.terms.has(term)).length
  return units
    .filter((unit) => unit.values.has(value))
    .every(({ parts }) => {
      const own = Math.max(0, ...parts.filter((part) => part.values.has(value)).map(fit))
      const rivals = parts.filter((part) => part.values.size > 0 && ![...part.values].some((other) => said.has(other)))
      return rivals.some((part) => fit(part) > own)
    })
}
