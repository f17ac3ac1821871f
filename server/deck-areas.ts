// Joins decks, knowledge, scripts and the voice: what their operations are bound to, their jobs, and what others read of them.
import type { Clock, Ids } from '@rostrum/base/clock'
import type { Reader, Store } from './platform/db/store.ts'
import type { Outbound } from './platform/egress/outbound.ts'
import { createKnowledgeReader } from './knowledge/read-knowledge.ts'
import type { ScriptWriter } from './scripts/propose-script.ts'
import { createScripts } from './scripts/scripts.ts'
import type { ScriptCompiler } from '@rostrum/telling/compiler'
import { createTranslations, type Translator } from './scripts/translations.ts'
import type { ClipMaker, ClipsParts } from './voice/clip-jobs.ts'
import { type Clips, createClips } from './voice/clips.ts'
import type { SpokenClip } from '@rostrum/contract/talk'
import type { Voice } from './voice/voice.ts'
import { type Blobs, findMedia } from './platform/blobs/blobs.ts'
import type { StorageLimit } from './sessions/storage.ts'
import { deckInService, type ShownDeck, shownDeck } from './decks/content.ts'
import { forget } from './decks/deck-rows.ts'
import type { Allowance } from './decks/ingest/turns.ts'
import { deckJobs } from './decks/ingest/worker.ts'
import type { Office } from '@rostrum/deck/render/office'
import type { ReadLimits } from '@rostrum/deck/render/read-document'
import { tellCut } from './decks/create-content.ts'

export interface DecksParts {
  store: Store
  clock: Clock
  ids: Ids
  blobs: Blobs
  /** Of all decks of an account. */
  storageLimit: StorageLimit
  /** What agents have that nobody has claimed. */
  unclaimed: {
    /** Of the knowledge files of one call; null: as everybody. */
    knowledgeBytes: number | null
    /** Where a person claims the agent of an account. */
    claimUriOf(accountId: string, now: number): Promise<string | undefined>
  }
  /** Of reading and of drawing each, for an account within an hour; null: no limit. */
  readingMs: Allowance
  outbound: Pick<Outbound, 'vet' | 'request'>
  /** The asset origin or the base URL, without a trailing slash. */
  mediaBase: string
  /** Puts sentences into better words; null: no model is configured. */
  writer: ScriptWriter | null
  warn(words: string, error: unknown): void
  compiler: ScriptCompiler
  /** False in a process that only answers: a worker compiles for it. */
  compiles: boolean
  /** For listeners of other languages; absent: the same. */
  translator?: Translator
  /** `ROSTRUM_SPEECH_WPM`. */
  wpm: number
  /** The server's voice; without one the browser speaks. */
  voice?: ClipMaker & Pick<Voice, 'names'> & { afford: ClipsParts['afford'] }
  limits?: ReadLimits
  /** What draws presentations. */
  office?: Office
}

export type Decks = ReturnType<typeof createDecks>

export function createDecks({ limits, office, compiler, compiles, translator, wpm, voice, ...parts }: DecksParts) {
  const { warn } = parts
  const clips = voice === undefined ? null : createClips({ ...parts, maker: voice, afford: voice.afford })
  const scripts = createScripts({
    store: parts.store,
    clock: parts.clock,
    compiler,
    compiles,
    wpm,
    warn,
    async onRefreshed(sessionId, { deckId, beats }) {
      await clips?.onScript({ sessionId, deckId, beats })
      await translations?.order(sessionId)
    },
  })
  const translations = translator && createTranslations({ store: parts.store, clock: parts.clock, scripts, translator })
  const readKnowledge = createKnowledgeReader(parts.clock)
  const hear = async (...[sentence, signal]: Parameters<Clips['hear']>): Promise<{ clip: SpokenClip | null; voice: string | null }> =>
    clips?.hear(sentence, signal) ?? { clip: null, voice: null }
  const voices = async (language: string) => ({
    voice: voice?.voiceByDefault ?? null,
    voices: (await voice?.names(language).catch(() => [])) ?? [],
  })
  const convert: Office['convert'] | undefined =
    office &&
    (async (job, signal) => {
      const drawn = await office.convert(job, signal)
      if (!drawn.ok) warn(`The program that draws presentations ${drawn.detail}`, undefined)
      return drawn
    })
  const deps = {
    ...parts,
    scripts,
    translates: translator !== undefined,
    hear,
    voices,
    readKnowledge,
    tellCut,
    ...(convert && { convert }),
  }
  return {
    /** What the operations of these areas are bound to. */
    deps,
    /** Runs in the transaction that deletes a session. */
    forget,
    media: (name: string) => findMedia(name, parts),
    /** The version the room shows, without private notes; null where the session has none. */
    inService: (read: Reader, sessionId: string): Promise<ShownDeck | null> => deckInService(read, sessionId, parts.mediaBase),
    /** The version a run began with. */
    ofRun: (read: Reader, sessionId: string, deckId: string): Promise<ShownDeck | null> =>
      shownDeck(read, sessionId, deckId, parts.mediaBase),
    scripts,
    clips,
    translations,
    /** For the roles `worker` and `all`, as is `start`. */
    jobs: { ...deckJobs(deps, { warn, ...(limits && { limits }) }), ...clips?.jobs, ...translations?.jobs },
    async start(): Promise<void> {
      scripts.start()
      await clips?.revive()
    },
    async close(): Promise<void> {
      await scripts.close()
      clips?.close()
      office?.close()
    },
  }
}
