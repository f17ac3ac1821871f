// Has the narration of a deck put into words by a model, slide by slide, ahead of the talk: while it is given, no model is called. What
// the writer hands back becomes changes of single beats, which the host reads, rewrites or takes back.
import { z } from 'zod'
import type { Clock } from '../../platform/clock.ts'
import { ringAfter, type Store } from '../../platform/db/store.ts'
import { isServiceError, ServiceError } from '../../platform/errors.ts'
import { deckTopic } from '../deck/content.ts'
import { holdSession } from '../session.ts'
import { type EditedBeat, placeOf, slideHash } from './beat-edits.ts'
import type { ScriptSlide } from './compile/beat.ts'
import { told } from './script-document.ts'
import type { Scripts, ScriptSource } from './scripts.ts'

export const tones = ['plain', 'friendly', 'lively'] as const
export type Tone = (typeof tones)[number]

export interface WriteRequest {
  sessionId: string
  deckId: string | null
  title: string
  language: string
  slide: ScriptSlide
  /** Titles of the neighbours. */
  before: string
  after: string
  /** What is said now, in order. */
  sentences: readonly string[]
  tone?: Tone
}

/** A sentence in other words, for its host to take or leave. */
export interface Proposal {
  beatId: string
  was: string
  text: string
}

/** Rewrites sentences of one slide; each stands at its place. One that cannot be shown to be public text in other words is left out. */
export interface ScriptWriter {
  write(request: WriteRequest, signal: AbortSignal): Promise<{ place: number; text: string }[]>
}

export const writingView = z.object({
  /** `off`: no model is configured. */
  state: z.enum(['off', 'idle', 'writing']),
  slides: z.object({ done: z.number(), total: z.number() }).optional(),
  /** Sentences that the last writing changed, and slides that the model failed on. */
  written: z.number().optional(),
  failed: z.number().optional(),
  /** The model calls of the account were used up for the day: the rest waits for another start. */
  stopped: z.literal('budget').optional(),
})
export type Writing = z.output<typeof writingView>

export interface ScriptWriting {
  of(sessionId: string): Writing
  /** Begins unless it is under way; false without a model. `withNotes`: the model reads the private notes too. */
  start(sessionId: string, withNotes: boolean): boolean
  /** Writes one slide and stores nothing; `off` without a model. */
  propose(
    sessionId: string,
    wish: { slideId: string; withNotes: boolean; tone?: Tone },
    signal: AbortSignal,
  ): Promise<Proposal[] | 'off' | 'no slide'>
  /** Takes back what a model wrote; what the host wrote stays. */
  discard(sessionId: string): Promise<void>
  close(): Promise<void>
}

export interface ScriptWritingParts {
  store: Store
  clock: Clock
  scripts: Pick<Scripts, 'find' | 'source'>
  writer: ScriptWriter | null
  warn(words: string, error: unknown): void
}

interface Job {
  done: number
  total: number
  written: number
  failed: number
  stopped?: 'budget'
  abort: AbortController
  isOver: boolean
  work: Promise<void>
}

/** Slides written at once: answers of running talks come first. */
const slidesAtOnce = 2

export function createScriptWriting({ store, clock, scripts, writer, warn }: ScriptWritingParts): ScriptWriting {
  const jobs = new Map<string, Job>()

  async function write(sessionId: string, job: Job, by: ScriptWriter, withNotes: boolean): Promise<void> {
    const [script, source] = [await scripts.find(sessionId), await scripts.source(sessionId)]
    if (script === null || source === null) return
    const { slides } = source.input
    const sent = await store.read
      .selectFrom('written_slides')
      .select(['slide_id', 'sent_hash'])
      .where('session_id', '=', sessionId)
      .execute()
    const known = new Set(sent.map(({ slide_id, sent_hash }) => `${slide_id} ${sent_hash}`))
    const waiting = slides.flatMap((slide, at) => {
      const places = script.beats.flatMap((beat, place) => (isOpen(beat) && beat.slideId === slide.id ? [place] : []))
      const isDone = places.length === 0 || known.has(`${slide.id} ${sentHash(slide, withNotes)}`)
      return isDone ? [] : [{ slide, at, places }]
    })
    job.total = waiting.length
    const next = async (): Promise<void> => {
      for (let one = waiting.shift(); one !== undefined && !job.abort.signal.aborted; one = waiting.shift()) {
        const { slide, at, places } = one
        const sentences = places.map((place) => script.beats[place]?.text ?? '')
        const request = requestFor({ sessionId, source, at, slide: withNotes ? slide : withoutNotes(slide) })
        try {
          const found = await by.write({ ...request, sentences }, job.abort.signal)
          const texts = found.flatMap(({ place, text }) => {
            const beatAt = places[place]
            return beatAt === undefined || text === sentences[place] ? [] : [{ ...placeOf(script.beats, beatAt), text }]
          })
          await keep(sessionId, slide, sentHash(slide, withNotes), texts)
          job.written += texts.length
        } catch (error) {
          if (job.abort.signal.aborted) return
          if (isServiceError(error) && error.code === 'quota_exceeded') {
            job.stopped = 'budget'
            waiting.length = 0
            return
          }
          job.failed++
          warn(`A slide of session ${sessionId} was not put into words.`, error)
        }
        job.done++
      }
    }
    await Promise.all(Array.from({ length: slidesAtOnce }, next))
  }

  async function keep(
    session_id: string,
    slide: ScriptSlide,
    sent_hash: string,
    texts: readonly { slide_id: string; kind: string; ordinal: number; text: string }[],
  ): Promise<void> {
    await store.write(async (tx) => {
      if ((await holdSession(tx, session_id)) === undefined) return
      await tx
        .insertInto('written_slides')
        .values({ session_id, slide_id: slide.id, sent_hash })
        .onConflict((conflict) => conflict.columns(['session_id', 'slide_id']).doUpdateSet({ sent_hash }))
        .execute()
      for (const { text, ...place } of texts) {
        const change = { author: 'model' as const, slide_hash: slideHash(slide), text_content: text, edited_at: clock.now() }
        await tx
          .insertInto('beat_edits')
          .values({ session_id, ...place, ...change })
          // The host may have written meanwhile: that stays.
          .onConflict((conflict) =>
            conflict.columns(['session_id', 'slide_id', 'kind', 'ordinal']).doUpdateSet(change).where('beat_edits.author', '=', 'model'),
          )
          .execute()
      }
      ringAfter(tx, deckTopic(session_id))
    })
  }

  return {
    of(sessionId) {
      if (writer === null) return { state: 'off' }
      const job = jobs.get(sessionId)
      if (job === undefined) return { state: 'idle' }
      const { done, total, written, failed, stopped, isOver } = job
      return { state: isOver ? 'idle' : 'writing', slides: { done, total }, written, failed, ...(stopped && { stopped }) }
    },
    start(sessionId, withNotes) {
      if (writer === null) return false
      if (jobs.get(sessionId)?.isOver === false) return true
      const job: Job = { done: 0, total: 0, written: 0, failed: 0, abort: new AbortController(), isOver: false, work: Promise.resolve() }
      jobs.set(sessionId, job)
      job.work = write(sessionId, job, writer, withNotes)
        .catch((error: unknown) => warn(`The script of session ${sessionId} was not put into words.`, error))
        .finally(() => (job.isOver = true))
      return true
    },
    async propose(sessionId, { slideId, withNotes, tone }, signal) {
      const [script, source] = [await scripts.find(sessionId), await scripts.source(sessionId)]
      const at = source?.input.slides.findIndex(({ id }) => id === slideId) ?? -1
      const slide = source?.input.slides[at]
      if (script === null || source === null || slide === undefined) return 'no slide'
      if (writer === null) return 'off'
      const beats = told(script.beats.filter((beat) => beat.slideId === slideId))
      if (beats.length === 0) return []
      const request = requestFor({ sessionId, source, at, slide: withNotes ? slide : withoutNotes(slide) })
      const sentences = beats.map(({ text }) => text)
      const found = await writer.write({ ...request, sentences, ...(tone && { tone }) }, signal).catch((error: unknown) => {
        if (isServiceError(error)) throw error
        warn(`No words were proposed for a slide of session ${sessionId}.`, error)
        throw new ServiceError('temporarily_unavailable', 'The model did not answer. Try again in a moment.')
      })
      return found
        .toSorted((a, b) => a.place - b.place)
        .flatMap(({ place, text }) => {
          const beat = beats[place]
          return beat === undefined || beat.text === text ? [] : [{ beatId: beat.beatId, was: beat.text, text }]
        })
    },
    async discard(sessionId) {
      jobs.get(sessionId)?.abort.abort()
      await jobs.get(sessionId)?.work
      jobs.delete(sessionId)
      await store.write(async (tx) => {
        await tx.deleteFrom('beat_edits').where('session_id', '=', sessionId).where('author', '=', 'model').execute()
        await tx.deleteFrom('written_slides').where('session_id', '=', sessionId).execute()
        ringAfter(tx, deckTopic(sessionId))
      })
    },
    async close() {
      for (const { abort } of jobs.values()) abort.abort()
      await Promise.all([...jobs.values()].map(({ work }) => work))
    },
  }
}

function requestFor(wish: { sessionId: string; source: ScriptSource; at: number; slide: ScriptSlide }): Omit<WriteRequest, 'sentences'> {
  const { sessionId, source, at, slide } = wish
  const { title, language, slides } = source.input
  const [before, after] = [slides[at - 1]?.title ?? '', slides[at + 1]?.title ?? '']
  return { sessionId, deckId: source.deckId, title, language, slide, before, after }
}

function withoutNotes({ agentNotes: _, ...slide }: ScriptSlide): ScriptSlide {
  return slide
}

const sentHash = (slide: ScriptSlide, withNotes: boolean) => slideHash(withNotes ? slide : withoutNotes(slide))

/** Narration that nobody has put in words of their own. A question to the audience is the host's: it stays. */
function isOpen({ kind, editedAt, sources, waitMs, isAuthored, resultOf }: EditedBeat): boolean {
  const isOfSlide = sources.length > 0 && sources.every(({ type }) => type === 'slide')
  return (
    kind === 'narration' && editedAt === undefined && isOfSlide && isAuthored !== true && waitMs === undefined && resultOf === undefined
  )
}
