// Joins the parts of the decks area: what its operations are bound to, the port that `sessions` names, the worker, and what others read.
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { ContentPort } from '../sessions/ports.ts'
import type { Reader, Store, Tx } from '../storage/store.ts'
import type { Blobs } from './blobs/blobs.ts'
import type { MediaFile } from './blobs/media.ts'
import { findMedia } from './blobs/media.ts'
import { createContentPort } from './create-content.ts'
import type { ShownDeck } from './deck-in-service.ts'
import { deckInService, shownDeck } from './deck-in-service.ts'
import { removeContent } from './deck-rows.ts'
import type { DecksDeps } from './deps.ts'
import type { DeckWorker } from './ingest/worker.ts'
import { createDeckWorker } from './ingest/worker.ts'
import type { ReadLimits } from './render/read-document.ts'
import type { ScriptCompiler, Scripts } from './scripts.ts'
import { createScripts } from './scripts.ts'

export interface DecksParts {
  store: Store
  clock: Clock
  ids: Ids
  blobs: Blobs
  outbound: Pick<Outbound, 'vet' | 'request'>
  /** The asset origin or the base URL, without a trailing slash. */
  mediaBase: string
  /** True where this process alone uses the store: claims of a dead one are freed at the start. */
  isAlone: boolean
  compiler: ScriptCompiler
  /** `ROSTRUM_SPEECH_WPM`. */
  wpm: number
  warn(words: string, error: unknown): void
  limits?: ReadLimits
}

export interface Decks {
  /** What the operations of this area are bound to. */
  deps: DecksDeps
  /** For `sessions`. */
  content: ContentPort
  /** Runs in the transaction that deletes a session. */
  removeContent(tx: Tx, sessionId: string, now: number): Promise<void>
  media(name: string): Promise<MediaFile | undefined>
  /** The version the room shows, without private notes; null where the session has none. */
  inService(read: Reader, sessionId: string): Promise<ShownDeck | null>
  /** The version a run began with. */
  ofRun(read: Reader, sessionId: string, deckId: string): Promise<ShownDeck | null>
  scripts: Scripts
  worker: DeckWorker
  /** Starts the worker; roles `worker` and `all`. */
  start(): Promise<void>
  close(): Promise<void>
}

export function createDecks({ isAlone, warn, limits, compiler, wpm, ...parts }: DecksParts): Decks {
  const scripts = createScripts({ store: parts.store, clock: parts.clock, compiler, wpm, warn })
  const deps: DecksDeps = { ...parts, scripts, wake: () => worker.wake() }
  const worker = createDeckWorker(deps, { isAlone, warn, ...(limits && { limits }) })
  return {
    deps,
    content: createContentPort(deps),
    removeContent,
    media: (name) => findMedia(parts.blobs, name),
    inService: (read, sessionId) => deckInService(read, sessionId, parts.mediaBase),
    ofRun: (read, sessionId, deckId) => shownDeck(read, sessionId, deckId, parts.mediaBase),
    scripts,
    worker,
    start: () => worker.start(),
    async close() {
      await worker.close()
      await scripts.idle()
    },
  }
}
