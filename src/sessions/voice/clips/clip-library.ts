// What the voice has said so far, by deck, in memory: asked at the moment a sentence begins, so it answers at once and never waits. A
// clip that comes while a talk is under way is used from its next sentence on.
import type { Store } from '../../../platform/db/store.ts'
import { clipsTopic } from '../../deck/topics.ts'
import { readyClips } from './clip-rows.ts'

export interface ReadyClip {
  url: string
  /** At speed 1. */
  ms: number
}

export interface ClipLibrary {
  /** Reads the clips of a deck, so that `find` knows them. */
  open(deckId: string): Promise<void>
  find(deckId: string, key: string): ReadyClip | undefined
  close(): void
}

/** Decks kept; some 30 kB each. */
const keptMax = 400

export function createClipLibrary({ store, mediaBase }: { store: Store; mediaBase: string }): ClipLibrary {
  const shelves = new Map<string, ReadonlyMap<string, ReadyClip>>()
  const reading = new Map<string, Promise<void>>()
  const rungMeanwhile = new Set<string>()
  const prefix = clipsTopic('')
  const stop = store.listen(prefix, (topic) => {
    const deckId = topic.slice(prefix.length)
    if (reading.has(deckId)) rungMeanwhile.add(deckId)
    else if (shelves.has(deckId)) void refresh(deckId)
  })

  async function read(deckId: string): Promise<void> {
    do {
      rungMeanwhile.delete(deckId)
      const rows = await readyClips(store.read, deckId)
      const shelf = rows.flatMap(({ clip_key, blob_key, duration_ms }): [string, ReadyClip][] =>
        blob_key === null || duration_ms === null ? [] : [[clip_key, { url: `${mediaBase}/media/${blob_key}`, ms: duration_ms }]],
      )
      shelves.delete(deckId)
      shelves.set(deckId, new Map(shelf))
    } while (rungMeanwhile.has(deckId))
    const [oldest] = shelves.keys()
    if (shelves.size > keptMax && oldest !== undefined) shelves.delete(oldest)
  }

  /** A failure leaves what was known: the browser says what is missing. */
  function refresh(deckId: string): Promise<void> {
    const under = reading.get(deckId)
    if (under !== undefined) return under
    const work = read(deckId)
      .catch(() => undefined)
      .finally(() => reading.delete(deckId))
    reading.set(deckId, work)
    return work
  }

  return {
    open: (deckId) => (shelves.has(deckId) ? Promise.resolve() : refresh(deckId)),
    find(deckId, key) {
      const shelf = shelves.get(deckId)
      if (shelf === undefined) void refresh(deckId)
      return shelf?.get(key)
    },
    close: stop,
  }
}
