// What the voice has said so far, by deck, in memory: asked at the moment a sentence begins, so it answers at once and never waits. A
// clip that comes while a talk is under way is used from its next sentence on.
import type { SpokenClip } from '@rostrum/contract/talk'
import { settingOf } from '@rostrum/contract/session'
import { pronouncing } from '@rostrum/contract/spoken'
import type { JobKind } from '../platform/db/jobs.ts'
import { ringAfter } from '../platform/db/store.ts'
import { keep } from '@rostrum/base/work'
import { clipsTopic, clipJobs, clipKey, type ClipsParts, orderClips, readyClips, reviveClips } from './clip-jobs.ts'
import { deckTopic, unclaimedAccount } from '../sessions/session.ts'

/** Decks kept; some 30 kB each. */
const shelvesMax = 400

function createClipLibrary({ store, mediaBase }: Pick<ClipsParts, 'store' | 'mediaBase'>) {
  const shelves = new Map<string, ReadonlyMap<string, SpokenClip>>()
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
      const shelf = rows.flatMap(({ clip_key, blob_key, duration_ms }): [string, SpokenClip][] =>
        blob_key === null || duration_ms === null ? [] : [[clip_key, { url: `${mediaBase}/media/${blob_key}`, ms: duration_ms }]],
      )
      keep(shelves, deckId, new Map(shelf), shelvesMax)
    } while (rungMeanwhile.has(deckId))
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
    /** Reads the clips of a deck, so that `find` knows them. */
    open: (deckId: string) => (shelves.has(deckId) ? Promise.resolve() : refresh(deckId)),
    find(deckId: string, key: string): SpokenClip | undefined {
      const shelf = shelves.get(deckId)
      if (shelf === undefined) void refresh(deckId)
      return shelf?.get(key)
    },
    close: stop,
  }
}

// Joins the voice of the server with the scripts of decks: orders what a script needs, and tells the presenter what has been said.

// Says sentences of answers, which nobody knows ahead: each within a time, or the browser says it. A clip of an answer belongs to no
// deck; it is kept for the hour in which a room may still play it, then removed like any blob that nobody uses.

type AnswerVoice = Clips['answers']

const concurrency = 8
/** Half of the hour for which a blob that nobody uses is kept. */
const keptMs = 1_800_000
const keptMax = 500
/** After so many failures in a row the voice is left alone for a while, so that answers do not wait for it one by one. */
const failuresMax = 3
const restMs = 30_000

function createAnswerVoice({ clock, blobs, mediaBase, maker, afford, warn }: ClipsParts): AnswerVoice {
  const kept = new Map<string, { clip: SpokenClip; until: number }>()
  let underway = 0
  let failures = 0
  let restsUntil = 0

  async function make(text: string, voice: string, signal: AbortSignal): Promise<SpokenClip> {
    const { bytes, extension, ms } = await maker.say(text, voice, signal, true)
    const blob_key = await blobs.put(bytes, extension)
    return { url: `${mediaBase}/media/${blob_key}`, ms }
  }

  function failed(error: unknown): void {
    failures++
    if (failures < failuresMax) return
    if (failures === failuresMax) warn('The voice did not say sentences of answers; the browser says them.', error)
    restsUntil = clock.now() + restMs
  }

  return {
    async say({ sessionId, text, voice }, waitMs, signal) {
      const spoken = voice ?? maker.voiceByDefault
      // By session: what one has heard is never a sign to another.
      const name = `${sessionId} ${clipKey(text, { model: maker.name, voice: spoken })}`
      const known = kept.get(name)
      if (known !== undefined && known.until > clock.now()) return known.clip
      if (waitMs <= 0 || underway >= concurrency || clock.now() < restsUntil) return null
      const late = new AbortController()
      const cancel = clock.after(waitMs, () => late.abort())
      underway++
      try {
        if (!(await afford(sessionId, text.length))) return null
        const clip = await make(text, spoken, AbortSignal.any([signal, late.signal]))
        failures = 0
        keep(kept, name, { clip, until: clock.now() + keptMs }, keptMax)
        return clip
      } catch (error) {
        if (!signal.aborted) failed(error)
        return null
      } finally {
        underway--
        cancel()
      }
    },
  }
}

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
  lookup(script: SpokenScript): Promise<(beatId: string) => SpokenClip | undefined>
  /** For what is said without a script. */
  answers: {
    /** The sentence in the voice of the session, or null where it is not there in `waitMs`. Never rejects. */
    say(
      sentence: { sessionId: string; text: string; voice: string | null },
      waitMs: number,
      signal: AbortSignal,
    ): Promise<SpokenClip | null>
  }
  /** One sentence of a script at once, for its host, in the voice of the session or in `voice`: the clip that is there, else one made
   * now, null where that takes too long. Tells the voice. */
  hear(
    sentence: { sessionId: string; deckId: string | null; text: string; voice?: string | null | undefined },
    signal: AbortSignal,
  ): Promise<{ clip: SpokenClip | null; voice: string }>
  jobs: Readonly<Record<string, JobKind>>
  /** At a start of who does the jobs. */
  revive(): Promise<void>
  close(): void
}

/** A host who pressed a button waits longer than a room does. */
const hearMs = 8_000

export function createClips(parts: ClipsParts): Clips {
  const { store, maker } = parts
  const library = createClipLibrary(parts)
  const answers = createAnswerVoice(parts)

  /** A sentence of an answer, in talks for which somebody vouches. */
  const sayAnswer: AnswerVoice['say'] = async (sentence, waitMs, signal) => {
    const { isVouched, said } = await sessionOf(sentence.sessionId)
    return isVouched ? answers.say({ ...sentence, text: said(sentence.text) }, waitMs, signal) : null
  }

  const sessionOf = async (sessionId: string) => {
    const row = await store.read
      .selectFrom('sessions')
      .select(['voice', 'pronunciations', 'status', 'deck_id'])
      .select(unclaimedAccount)
      .where('id', '=', sessionId)
      .executeTakeFirst()
    const said = pronouncing((row && settingOf('pronunciations', row)) ?? {})
    return {
      voice: row?.voice ?? maker.voiceByDefault,
      /** The sentence as the voice is given it: a clip is known by that, so a change of the list makes anew what it touches alone. */
      said: (sentence: string) => said(sentence).text,
      isPublished: row?.status === 'published',
      isVouched: row?.unclaimed === null,
      deckId: row?.deck_id ?? null,
    }
  }

  type Wording = Pick<Awaited<ReturnType<typeof sessionOf>>, 'voice' | 'said'>
  const keyOf = (text: string, { voice, said }: Wording) => clipKey(said(text), { model: maker.name, voice })

  async function orderIn(wording: Wording, deckId: string, { beats }: SpokenScript, rung: readonly string[] = []): Promise<void> {
    const { voice, said } = wording
    const spoken = beats.filter(({ text }) => text !== '')
    const wanted = spoken.map(({ text }, position) => ({ key: keyOf(text, wording), text: said(text), position }))
    if (await isOrdered(deckId, wanted)) return
    await store.write(async (tx) => {
      if (!(await orderClips(tx, deckId, voice, wanted))) return
      for (const topic of rung) ringAfter(tx, topic)
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
      const { isPublished, isVouched, ...wording } = await sessionOf(sessionId)
      // Talks in memory know their clips by the voice they were read with.
      if (deckId !== null && isPublished && isVouched) await orderIn(wording, deckId, script, [deckTopic(sessionId)])
    },
    async lookup(script) {
      const { deckId } = script
      if (deckId === null) return () => undefined
      const session = await sessionOf(script.sessionId)
      // An older version has what it has: only its runs and its transcripts still read it.
      if (session.deckId === deckId && session.isVouched) await orderIn(session, deckId, script)
      await library.open(deckId)
      const keys = new Map(script.beats.map(({ beatId, text }) => [beatId, keyOf(text, session)]))
      return (beatId) => {
        const key = keys.get(beatId)
        return key === undefined ? undefined : library.find(deckId, key)
      }
    },
    answers: { say: sayAnswer },
    async hear({ sessionId, deckId, text, voice: wanted }, signal) {
      const session = await sessionOf(sessionId)
      const voice = wanted === undefined ? session.voice : (wanted ?? maker.voiceByDefault)
      if (deckId !== null) await library.open(deckId)
      const known = deckId === null ? undefined : library.find(deckId, keyOf(text, { ...session, voice }))
      return { clip: known ?? (await sayAnswer({ sessionId, text, voice }, hearMs, signal)), voice }
    },
    jobs: clipJobs(parts),
    revive: () => store.write(reviveClips),
    close: library.close,
  }
}
