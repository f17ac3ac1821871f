// What the operations and the worker of decks need; `app.ts` joins them (create-decks.ts).
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Outbound } from '../../platform/egress/outbound.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Section } from '../knowledge/passages.ts'
import type { KnowledgeFile } from '../knowledge/read-knowledge.ts'
import type { ScriptWriting } from '../script/script-writing.ts'
import type { Scripts } from '../script/scripts.ts'
import type { ReadyClip } from '../voice/clips/clip-library.ts'
import type { Clips } from '../voice/clips/clips.ts'
import type { Blobs } from './blobs/blobs.ts'
import type { StorageLimit } from './blobs/stored-bytes.ts'
import type { Office } from './render/office.ts'

export interface DecksDeps {
  store: Store
  clock: Clock
  ids: Ids
  blobs: Blobs
  /** Of all decks of an account. */
  storageLimit: StorageLimit
  outbound: Pick<Outbound, 'vet' | 'request'>
  /** The asset origin or the base URL, without a trailing slash. */
  mediaBase: string
  scripts: Scripts
  writing: ScriptWriting
  /** One sentence in the voice of its session; no voice where the server has none. */
  hear(...asked: Parameters<Clips['hear']>): Promise<{ clip: ReadyClip | null; voice: string | null }>
  /** Where something here draws presentations as they look; the signal calls it off. */
  convert?: Office['convert']
  /** One file after the other, in a process of its own where it is a PDF; the signal calls it off. */
  readKnowledge(file: KnowledgeFile, signal: AbortSignal): Promise<Section[]>
}
