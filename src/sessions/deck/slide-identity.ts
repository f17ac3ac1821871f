// Which slide of a new version is which of the old one, so that questions, CTA rules and figures stay on their slide. Pure.

export interface IdentifiedSlide {
  id: string
  text: string
  /** Key of its widest picture. */
  imageKey?: string | undefined
}

/**
 * Ids for `next`, in order; each id of `previous` is given at most once. A slide keeps its id where text and picture are the
 * same, then where one of them is, then by position; the rest get a new one.
 */
export function keepIds(previous: readonly IdentifiedSlide[], next: readonly Omit<IdentifiedSlide, 'id'>[], newId: () => string): string[] {
  const ids: (string | undefined)[] = next.map(() => undefined)
  const free = new Set(previous)
  const matchBy = (keyOf: (slide: Omit<IdentifiedSlide, 'id'>) => string | undefined) => {
    if (free.size === 0) return
    const byKey = new Map<string, IdentifiedSlide[]>()
    for (const slide of free) {
      const key = keyOf(slide)
      if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), slide])
    }
    for (const [index, slide] of next.entries()) {
      const key = keyOf(slide)
      if (ids[index] !== undefined || key === undefined) continue
      const match = byKey.get(key)?.shift()
      if (match === undefined) continue
      free.delete(match)
      ids[index] = match.id
    }
  }
  matchBy(({ text, imageKey }) => (text === '' && imageKey === undefined ? undefined : JSON.stringify([text, imageKey ?? null])))
  matchBy(({ text }) => (text === '' ? undefined : text))
  matchBy(({ imageKey }) => imageKey)
  for (const [index, slide] of previous.entries()) {
    if (index < ids.length && ids[index] === undefined && free.delete(slide)) ids[index] = slide.id
  }
  return ids.map((id) => id ?? newId())
}
