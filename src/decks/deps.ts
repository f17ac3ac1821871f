// What the operations and the worker of decks need; `app.ts` joins them (create-decks.ts).
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Store } from '../storage/store.ts'
import type { Blobs } from './blobs/blobs.ts'
import type { Scripts } from './scripts.ts'

export interface DecksDeps {
  store: Store
  clock: Clock
  ids: Ids
  blobs: Blobs
  outbound: Pick<Outbound, 'vet' | 'request'>
  /** The asset origin or the base URL, without a trailing slash. */
  mediaBase: string
  scripts: Scripts
  /** Tells the worker that there is something to do; harmless when there is not. */
  wake(): void
}
