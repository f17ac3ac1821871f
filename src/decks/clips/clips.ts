// Joins the voice of the server with the scripts of decks: orders what a script needs, and tells the presenter what has been said.
import type { Clock } from '../../kernel/clock.ts'
import { isSessionVouched, unclaimedAccount } from '../../sessions/vouched.ts'
import type { Store } from '../../storage/store.ts'
import { ringAfter } from '../../storage/transaction-context.ts'
import type { Blobs } from '../blobs/blobs.ts'
import { deckTopic, voiceWorkTopic } from '../topics.ts'
import type { AnswerVoice } from './answer-voice.ts'
import { createAnswerVoice } from './answer-voice.ts'
import { clipKey } from './clip-key.ts'
import type { ReadyClip } from './clip-library.ts'
import { createClipLibrary } from './clip-library.ts'
import { orderClips } from './clip-rows.ts'
import type { ClipMaker, ClipWorker } from './clip-worker.ts'
import { createClipWorker } from './clip-worker.ts'

export interface SpokenScript {
  sessionId: string
  /** Null: a session without a deck, whose two sentences are the browser's. */
  deckId: string | null
  beats: readonly { beatId: string; text: string }[]
}

export interface Clips {
  /** A script has changed: orders what it says where the session is published. A draft is said once a room of it is opened. */
  onScript(script: SpokenScript): Promise<void>
  /** Orders it, and answers who says which of its sentences, from then on up to date. */
  lookup(script: SpokenScript): Promise<(beatId: string) => ReadyClip | undefined>
  /** For what is said without a script. */
  answers: AnswerVoice
  /** One sentence of a script at once, for its host: the clip that is there, else one made now. Null where that takes too long. */
  hear(sentence: { sessionId: string; deckId: string | null; text: string }, signal: AbortSignal): Promise<ReadyClip | null>
  worker: ClipWorker
  close(): Promise<void>
}

export interface ClipsParts {
  store: Store
  clock: Clock
  blobs: Blobs
  mediaBase: string
  maker: ClipMaker
  /** Counts what is sent against the budget of the session's account; false where it is used up. */
  afford(sessionId: string, characters: number): Promise<boolean>
  isAlone: boolean
  warn(words: string, error: unknown): void
}

/** A host who pressed a button waits longer than a room does. */
const hearMs = 8_000

export function createClips(parts: ClipsParts): Clips {
  const { store, maker } = parts
  const library = createClipLibrary(parts)
  const worker = createClipWorker(parts)
  const answers = createAnswerVoice(parts)

  /** A sentence of an answer, in talks for which somebody vouches. */
  const sayAnswer: AnswerVoice['say'] = async (sentence, waitMs, signal) =>
    (await isSessionVouched(store.read, sentence.sessionId)) ? answers.say(sentence, waitMs, signal) : null

  const sessionOf = async (sessionId: string) => {
    const row = await store.read
      .selectFrom('sessions')
      .select(['voice', 'status', 'deck_id'])
      .select(unclaimedAccount)
      .where('id', '=', sessionId)
      .executeTakeFirst()
    return {
      voice: row?.voice ?? maker.voiceByDefault,
      isPublished: row?.status === 'published',
      isVouched: row?.unclaimed === null,
      deckId: row?.deck_id ?? null,
    }
  }

  async function orderIn(voice: string, deckId: string, { beats }: SpokenScript, rung: readonly string[] = []): Promise<void> {
    const spoken = beats.filter(({ text }) => text !== '')
    const wanted = spoken.map(({ text }, position) => ({ key: clipKey(text, { model: maker.name, voice }), text, position }))
    if (await isOrdered(deckId, wanted)) return
    await store.write(async (tx) => {
      if (!(await orderClips(tx, deckId, voice, wanted))) return
      for (const topic of [voiceWorkTopic, ...rung]) ringAfter(tx, topic)
    })
  }

  /** A look without a transaction: a room that is opened again and again writes nothing. */
  async function isOrdered(deckId: string, wanted: readonly { key: string }[]): Promise<boolean> {
    const rows = await store.read.selectFrom('clips').select(['clip_key', 'state']).where('deck_id', '=', deckId).execute()
    const keys = new Set(wanted.map(({ key }) => key))
    const known = new Set(rows.map(({ clip_key }) => clip_key))
    return keys.isSubsetOf(known) && rows.every(({ clip_key, state }) => state !== 'pending' || keys.has(clip_key))
  }

  return {
    async onScript(script) {
      const { sessionId, deckId } = script
      const { voice, isPublished, isVouched } = await sessionOf(sessionId)
      // Talks in memory know their clips by the voice they were read with.
      if (deckId !== null && isPublished && isVouched) await orderIn(voice, deckId, script, [deckTopic(sessionId)])
    },
    async lookup(script) {
      const { deckId } = script
      if (deckId === null) return () => undefined
      const session = await sessionOf(script.sessionId)
      const { voice } = session
      // An older version has what it has: only its runs and its transcripts still read it.
      if (session.deckId === deckId && session.isVouched) await orderIn(voice, deckId, script)
      await library.open(deckId)
      const keys = new Map(script.beats.map(({ beatId, text }) => [beatId, clipKey(text, { model: maker.name, voice })]))
      return (beatId) => {
        const key = keys.get(beatId)
        return key === undefined ? undefined : library.find(deckId, key)
      }
    },
    answers: { say: sayAnswer },
    async hear({ sessionId, deckId, text }, signal) {
      const { voice } = await sessionOf(sessionId)
      if (deckId !== null) await library.open(deckId)
      const known = deckId === null ? undefined : library.find(deckId, clipKey(text, { model: maker.name, voice }))
      return known ?? sayAnswer({ sessionId, text, voice }, hearMs, signal)
    },
    worker,
    async close() {
      library.close()
      await worker.close()
    },
  }
}
