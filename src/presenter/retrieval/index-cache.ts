// Keeps the indexes of recently asked sessions in memory, least recently used out first, bounded by bytes (64 MiB).
import type { SessionIndex } from './session-index.ts'

export interface IndexCache {
  /** The index of this session and content version, built by `build` on a miss. An index of an older version is dropped. */
  get(sessionId: string, version: string, build: () => SessionIndex): SessionIndex
  /** Forgets a session, for example when it is deleted. */
  drop(sessionId: string): void
  readonly sizeBytes: number
}

export function createIndexCache(sizeBytesMax = 64 * 1024 * 1024): IndexCache {
  const entries = new Map<string, { version: string; index: SessionIndex }>()
  let sizeBytes = 0
  const drop = (sessionId: string) => {
    sizeBytes -= entries.get(sessionId)?.index.sizeBytes ?? 0
    entries.delete(sessionId)
  }
  return {
    get(sessionId, version, build) {
      const found = entries.get(sessionId)
      if (found?.version === version) {
        entries.delete(sessionId)
        entries.set(sessionId, found)
        return found.index
      }
      drop(sessionId)
      const index = build()
      entries.set(sessionId, { version, index })
      sizeBytes += index.sizeBytes
      for (const oldest of entries.keys()) {
        if (sizeBytes <= sizeBytesMax || oldest === sessionId) break
        drop(oldest)
      }
      return index
    },
    drop,
    get sizeBytes() {
      return sizeBytes
    },
  }
}
