// Spares the store the same question: a live credential is remembered for half a second, and forgotten as soon as any node ends or
// changes one (spec 5.7).
import type { Store } from '../storage/store.ts'
import type { CredentialLookup, FoundCredential } from './lookup.ts'

export const keptMs = 500
/** Beyond it everything is forgotten at once; half a second fills it again. */
const sizeMax = 50_000

export function cachedLookup(store: Pick<Store, 'listen'>, find: CredentialLookup): { find: CredentialLookup; stop(): void } {
  let kept = new Map<string, { found: FoundCredential; until: number }>()
  const stop = store.listen('credentials', () => {
    kept = new Map()
  })
  return {
    async find(hash, now) {
      const known = kept.get(hash)
      // A clock that was set back keeps nothing alive.
      if (known !== undefined && now < known.until && now >= known.until - keptMs) return known.found
      // What is told while the question is under way may be newer than its answer, which then goes into the forgotten map.
      const mine = kept
      mine.delete(hash)
      const found = await find(hash, now)
      if (found !== undefined) {
        if (mine.size >= sizeMax) mine.clear()
        mine.set(hash, { found, until: Math.min(now + keptMs, found.expires_at ?? Infinity) })
      }
      return found
    },
    stop,
  }
}
