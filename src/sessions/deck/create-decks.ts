// Joins the parts of the decks area: what its operations are bound to, the port that `sessions` names, the worker, and what others read.
import type { Clock } from '../../platform/clock.ts'
import type { JobKind } from '../../platform/db/jobs.ts'
import type { Reader, Store, Tx } from '../../platform/db/store.ts'
import type { Outbound } from '../../platform/egress/outbound.ts'
import type { Ids } from '../../platform/ids.ts'
import { createKnowledgeReader } from '../knowledge/read-knowledge.ts'
import type { ContentPort } from '../ports.ts'
import { createScriptWriting, type ScriptWriter } from '../script/script-writing.ts'
import { createScripts, type ScriptCompiler, type Scripts } from '../script/scripts.ts'
import type { ClipMaker } from '../voice/clips/clip-jobs.ts'
import { type Clips, type ClipsParts, createClips } from '../voice/clips/clips.ts'
import type { Blobs } from './blobs/blobs.ts'
import { findMedia, type MediaFile } from './blobs/media.ts'
import type { StorageLimit } from './blobs/stored-bytes.ts'
import { createContentPort } from './create-content.ts'
import { deckInService, type ShownDeck, shownDeck } from './deck-in-service.ts'
import { forget } from './deck-rows.ts'
import type { DecksDeps } from './deps.ts'
import { deckJobs } from './ingest/worker.ts'
import type { Office } from './render/office.ts'
import type { ReadLimits } from './render/read-document.ts'

export interface DecksParts {
  store: Store
  clock: Clock
  ids: Ids
  blobs: Blobs
  storageLimit: StorageLimit
  outbound: Pick<Outbound, 'vet' | 'request'>
  /** The asset origin or the base URL, without a trailing slash. */
  mediaBase: string
  compiler: ScriptCompiler
  /** False in a process that only answers: a worker compiles for it. */
  compiles: boolean
  /** Puts sentences into better words; null: no model is configured. */
  writer: ScriptWriter | null
  /** `ROSTRUM_SPEECH_WPM`. */
  wpm: number
  /** The server's voice; without one the browser speaks. */
  voice?: ClipMaker & { afford: ClipsParts['afford'] }
  warn(words: string, error: unknown): void
  limits?: ReadLimits
  /** What draws presentations. */
  office?: Office
}

export interface Decks {
  /** What the operations of this area are bound to. */
  deps: DecksDeps
  /** For `sessions`. */
  content: ContentPort
  /** Runs in the transaction that deletes a session. */
  forget(tx: Tx, sessionId: string, now: number): Promise<void>
  media(name: string): Promise<MediaFile | undefined>
  /** The version the room shows, without private notes; null where the session has none. */
  inService(read: Reader, sessionId: string): Promise<ShownDeck | null>
  /** The version a run began with. */
  ofRun(read: Reader, sessionId: string, deckId: string): Promise<ShownDeck | null>
  scripts: Scripts
  clips: Clips | null
  /** For the roles `worker` and `all`, as is `start`. */
  jobs: Readonly<Record<string, JobKind>>
  start(): Promise<void>
  close(): Promise<void>
}

export function createDecks({ warn, limits, office, compiler, compiles, writer, wpm, voice, ...parts }: DecksParts): Decks {
  const clips = voice === undefined ? null : createClips({ ...parts, maker: voice, afford: voice.afford, warn })
  const scripts = createScripts({
    store: parts.store,
    clock: parts.clock,
    compiler,
    compiles,
    wpm,
    warn,
    ...(clips && { onRefreshed: (sessionId, { deckId, beats }) => clips.onScript({ sessionId, deckId, beats }) }),
  })
  const writing = createScriptWriting({ store: parts.store, clock: parts.clock, scripts, writer, warn })
  const readKnowledge = createKnowledgeReader(parts.clock)
  const hear: DecksDeps['hear'] = async (sentence, signal) => clips?.hear(sentence, signal) ?? { clip: null, voice: null }
  const convert: DecksDeps['convert'] =
    office &&
    (async (job, signal) => {
      const drawn = await office.convert(job, signal)
      if (!drawn.ok) warn(`The program that draws presentations ${drawn.detail}`, undefined)
      return drawn
    })
  const deps: DecksDeps = {
    ...parts,
    scripts,
    writing,
    hear,
    readKnowledge,
    ...(convert && { convert }),
  }
  return {
    deps,
    content: createContentPort(deps),
    forget,
    media: (name) => findMedia(parts.blobs, name),
    inService: (read, sessionId) => deckInService(read, sessionId, parts.mediaBase),
    ofRun: (read, sessionId, deckId) => shownDeck(read, sessionId, deckId, parts.mediaBase),
    scripts,
    clips,
    jobs: { ...deckJobs(deps, { warn, ...(limits && { limits }) }), ...clips?.jobs },
    async start() {
      scripts.start()
      await clips?.revive()
    },
    async close() {
      await writing.close()
      await scripts.close()
      clips?.close()
      office?.close()
    },
  }
}
