// Whether words that stand together in the question stand together in a text, in either order and in any of their forms.
import type { Query } from './question.ts'
import type { IndexedUnit } from './session-index.ts'

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
