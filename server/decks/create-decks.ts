// What the operations and the worker of decks need; `app.ts` joins them (create-decks.ts).
import type { Clock, Ids } from '@rostrum/base/clock'
import type { JobKind } from '../platform/db/jobs.ts'
import type { Reader, Store, Tx } from '../platform/db/store.ts'
import type { Outbound } from '../platform/egress/outbound.ts'
import type { SentFile } from '../platform/sent-file.ts'
import type { NewPassage } from '@rostrum/contract/new-content'
import { createKnowledgeReader } from '../knowledge/read-knowledge.ts'
import type { ScriptWriter } from '../scripts/propose-script.ts'
import { createScripts, type Scripts } from '../scripts/scripts.ts'
import type { ScriptCompiler } from '@rostrum/telling/compiler'
import { createTranslations, type Translations, type Translator } from '../scripts/translations.ts'
import type { ClipMaker, ClipsParts } from '../voice/clip-jobs.ts'
import { type Clips, createClips } from '../voice/clips.ts'
import type { SpokenClip } from '@rostrum/contract/talk'
import type { Voice } from '../voice/voice.ts'
import { type Blobs, findMedia } from '../platform/blobs/blobs.ts'
import type { StorageLimit } from '../sessions/storage.ts'
import { deckInService, type ShownDeck, shownDeck } from './content.ts'
import { forget } from './deck-rows.ts'
import type { Allowance } from './ingest/turns.ts'
import { deckJobs } from './ingest/worker.ts'
import type { Office } from '@rostrum/deck/render/office'
import type { ReadLimits } from '@rostrum/deck/render/read-document'

/** What agents have that nobody has claimed. */
export interface UnclaimedBounds {
  /** Of the knowledge files of one call; null: as everybody. */
  knowledgeBytes: number | null
  films: boolean
  /** Where a person claims the agent of an account. */
  claimUriOf(accountId: string, now: number): Promise<string | undefined>
}

export interface DecksDeps {
  store: Store
  clock: Clock
  ids: Ids
  blobs: Blobs
  /** Of all decks of an account. */
  storageLimit: StorageLimit
  unclaimed: UnclaimedBounds
  /** Of reading and of drawing each, for an account within an hour; null: no limit. */
  readingMs: Allowance
  outbound: Pick<Outbound, 'vet' | 'request'>
  /** The asset origin or the base URL, without a trailing slash. */
  mediaBase: string
  scripts: Scripts
  /** Puts sentences into better words; null: no model is configured. */
  writer: ScriptWriter | null
  /** Whether a model is there to translate. */
  translates: boolean
  warn(words: string, error: unknown): void
  /** One sentence in the voice of its session; no voice where the server has none. */
  hear(...asked: Parameters<Clips['hear']>): Promise<{ clip: SpokenClip | null; voice: string | null }>
  /** The voices of the server for a talk in this language, and the one where none is named; null where it has none. */
  voices(language: string): Promise<{ voice: string | null; voices: readonly string[] }>
  /** Where something here draws presentations as they look; the signal calls it off. */
  convert?: Office['convert']
  /** One file after the other, in a process of its own where it is a PDF; the signal calls it off. */
  /** Passages of all files, at most `room`; null where they do not fit. */
  readKnowledge(files: readonly SentFile[], room: number, signal: AbortSignal): Promise<NewPassage[] | null>
}

// Joins the parts of the decks area: what its operations are bound to, the worker, and what others read.

export interface DecksParts extends Omit<DecksDeps, 'scripts' | 'translates' | 'hear' | 'voices' | 'convert' | 'readKnowledge'> {
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

export interface Decks {
  /** What the operations of this area are bound to. */
  deps: DecksDeps
  /** Runs in the transaction that deletes a session. */
  forget(tx: Tx, sessionId: string, now: number): Promise<void>
  media(name: string): ReturnType<typeof findMedia>
  /** The version the room shows, without private notes; null where the session has none. */
  inService(read: Reader, sessionId: string): Promise<ShownDeck | null>
  /** The version a run began with. */
  ofRun(read: Reader, sessionId: string, deckId: string): Promise<ShownDeck | null>
  scripts: Scripts
  clips: Clips | null
  translations: Translations | undefined
  /** For the roles `worker` and `all`, as is `start`. */
  jobs: Readonly<Record<string, JobKind>>
  start(): Promise<void>
  close(): Promise<void>
}

export function createDecks({ limits, office, compiler, compiles, translator, wpm, voice, ...parts }: DecksParts): Decks {
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
  const hear: DecksDeps['hear'] = async (sentence, signal) => clips?.hear(sentence, signal) ?? { clip: null, voice: null }
  const voices: DecksDeps['voices'] = async (language) => ({
    voice: voice?.voiceByDefault ?? null,
    voices: (await voice?.names(language).catch(() => [])) ?? [],
  })
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
    translates: translator !== undefined,
    hear,
    voices,
    readKnowledge,
    ...(convert && { convert }),
  }
  return {
    deps,
    forget,
    media: (name) => findMedia(name, parts),
    inService: (read, sessionId) => deckInService(read, sessionId, parts.mediaBase),
    ofRun: (read, sessionId, deckId) => shownDeck(read, sessionId, deckId, parts.mediaBase),
    scripts,
    clips,
    translations,
    jobs: { ...deckJobs(deps, { warn, ...(limits && { limits }) }), ...clips?.jobs, ...translations?.jobs },
    async start() {
      scripts.start()
      await clips?.revive()
    },
    async close() {
      await scripts.close()
      clips?.close()
      office?.close()
    },
  }
}
