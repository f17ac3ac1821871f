// The answers of runs, rehearsals and personal agents. The quoting answer is made first and is always ready; where models are configured
// they speak in its place, as far as each of their sentences can be shown to stand in the content. A talk never waits for one.
import { languageOf } from '@rostrum/languages/languages'
import type { Clock } from '@rostrum/base/clock'
import type { AnswerContext, AnswerEnd, AnswerPart, AnswerSentence, AnswerSession, Turn } from '@rostrum/answers/answer-part'
import { type Quoted, quotedAnswer } from '@rostrum/answers/answer'
import type { Meanings } from '../models/meanings.ts'
import type { ModelAnswerPart, ModelDesk } from '../models/model-desk.ts'
import { suggestions } from '@rostrum/answers/replies'
import type { Citation } from '@rostrum/contract/answer'
import { boxesAt, litRegion } from '@rostrum/deck/block'
import type { DeckContent } from '@rostrum/contract/content'
import { estimateMs } from '@rostrum/telling/spoken-words'
import { type ComposedAnswer, type Input, isFurther, type Setting, type Task } from '@rostrum/stage/decide/draft'
import type { RunState } from '@rostrum/stage/run-state'
import type { Searchable, Talks } from './talks.ts'
import type { Talk, TalkBeat, TalkSession } from '@rostrum/contract/talk'

// How long a talk takes, for who asks.

/** As its listener has set it. */
interface Pace {
  speed: number
  /** The short form of the talk. */
  isBrief: boolean
}

export const usualPace: Pace = { speed: 1, isBrief: false }

/** Whole minutes, one at least, from slide `from` on. */
export function minutesOf(beats: readonly TalkBeat[], from: number, { speed, isBrief }: Pace): { count: number; isLeft: boolean } {
  let ms = 0
  beats.forEach((beat, at) => {
    if (beat.slideIndex < from || (isBrief && isFurther(beat, beats[at - 1]))) return
    ms += beat.estMs / speed + (beat.pauseMs ?? 0) + (beat.waitMs ?? 0)
  })
  return { count: Math.max(1, Math.round(ms / 60_000)), isLeft: from > 0 }
}

export interface AnswersDeps {
  talks: Pick<Talks, 'searchable' | 'getSession' | 'pinnedTalk'>
  /** Null: no model is configured. */
  models: ModelDesk | null
  /** Models answer in talks for which somebody vouches. */
  isVouched(sessionId: string): Promise<boolean>
  /** Null: questions are understood by their words alone. */
  meanings: Meanings | null
  /** The second net against leaks; the notes it knows are out of reach of everything here. */
  leakTestOf(sessionId: string, deckId: string | null): Promise<(text: string, question: string) => boolean>
  /** The talk is kept in a file: no host hears of what is asked, and none is promised. */
  isAlone?: boolean
}

export interface Answers extends AnswerPort {
  /** The whole answer to a personal agent's question, from the deck in service; without a caller quoting alone, at once. */
  answerAgent(
    sessionId: string,
    asked: { question: string; history: readonly Turn[] },
    caller: { id: string; signal: AbortSignal } | null,
  ): Promise<{ sentences: string[]; end: AnswerEnd }>
}

interface Asked {
  question: string
  context: AnswerContext
  deckId: string | null
  attendeeId: string
  signal: AbortSignal
  /** Quoting only, at once. */
  isInstant: boolean
}

export function createAnswers({ talks, models, meanings, isVouched, leakTestOf, isAlone = false }: AnswersDeps): Answers {
  /** What the words find; where they find nothing, what is meant. */
  async function understood(question: string, context: AnswerContext, isInstant: boolean): Promise<Quoted> {
    const byWords = quotedAnswer(question, context)
    const { outcome, trace } = byWords.end
    if (meanings === null || isInstant || outcome !== 'unknown' || trace.intent !== 'question') return byWords
    if (!(await isVouched(context.session.sessionId))) return byWords
    const meant = await meanings.nearest(context.session.index, question)
    return meant === undefined ? byWords : quotedAnswer(question, { ...context, meant })
  }

  async function* compose(asked: Asked): AsyncGenerator<AnswerPart, void> {
    const { question, context, deckId, isInstant, attendeeId, signal } = asked
    const quoted = await understood(question, context, isInstant)
    // A greeting, a wish or an attempt at private matter has its fixed words; no model is asked.
    if (models === null || isInstant || quoted.end.trace.intent !== 'question') return yield* whole(quoted)
    if (!(await isVouched(context.session.sessionId))) return yield* whole(quoted)
    const leaks = await leakTestOf(context.session.sessionId, deckId)
    const said: AnswerSentence[] = []
    let support = 0
    for await (const part of models.answer({ question, context, attendeeId, leaks, signal })) {
      if (part.type === 'end') return yield* ended(quoted, said, support / Math.max(1, said.length), part, context)
      const sentence: AnswerSentence = { type: 'sentence', text: part.text, citations: part.citations }
      said.push(sentence)
      support += part.support
      yield sentence
    }
  }

  return {
    async *answer(request: AnswerRequest) {
      const { session, talk, question, slideIndex, pace, history, attendeeId, signal, style } = request
      const searchable = await talks.searchable(session.sessionId, talk.deckId)
      const context = {
        session: answerSession(session, searchable),
        history,
        audience: 'room' as const,
        isShared: session.mode === 'broadcast',
        isAlone,
        minutes: minutesOf(talk.beats, slideIndex ?? 0, pace),
        ...(slideIndex === null ? {} : { slideIndex }),
      }
      for await (const part of compose({ question, context, deckId: talk.deckId, attendeeId, signal, isInstant: style === 'instant' })) {
        yield { ...part, citations: part.citations.map((one) => placed(one, searchable)) }
      }
    },
    async answerAgent(sessionId, { question, history }, caller) {
      const session = await talks.getSession(sessionId)
      if (session === null) throw new Error('The session went away while it was being asked.')
      const { deckId } = session
      const talk = await talks.pinnedTalk(sessionId, deckId)
      const found = await talks.searchable(sessionId, deckId)
      const context = {
        session: answerSession(session, found),
        history,
        audience: 'agent' as const,
        minutes: minutesOf(talk.beats, 0, usualPace),
      }
      const sentences: string[] = []
      const { id: attendeeId, signal } = caller ?? { id: '', signal: AbortSignal.any([]) }
      for await (const part of compose({ question, context, deckId, attendeeId, signal, isInstant: caller === null })) {
        if (part.type === 'end') return { sentences, end: part }
        sentences.push(part.text)
      }
      throw new Error('An answer had no end.')
    },
  }
}

function* whole({ sentences, end }: Quoted): Generator<AnswerPart, void> {
  yield* sentences
  yield end
}

/** After the models: the end of what they said, or the quoting answer where none of it could be let through. */
function* ended(
  quoted: Quoted,
  said: readonly AnswerSentence[],
  support: number,
  { flags, trace: model }: ModelAnswerPart & { type: 'end' },
  context: AnswerContext,
): Generator<AnswerPart, void> {
  const { end } = quoted
  const trace = { ...end.trace, model }
  if (said.length === 0) return yield* whole({ ...quoted, end: { ...end, trace } })
  const citations = said.flatMap((sentence) => sentence.citations)
  yield {
    type: 'end',
    outcome: flags.has('handoff') ? 'handoff' : 'answered',
    mode: 'model',
    confidence: Math.round(support * 100) / 100,
    text: said.map(({ text }) => text).join(' '),
    citations,
    suggestedActions: suggestions(context.session, context.session.content.language, {
      isOffer: end.signal !== undefined || flags.has('suggest_cta'),
      toHost: flags.has('handoff'),
      slides: citations.flatMap(({ type, index }) => (type === 'slide' ? [index] : [])),
    }),
    ...(end.signal === undefined ? {} : { signal: end.signal }),
    trace,
  }
}

function answerSession(session: TalkSession, { deck, index, passages }: Searchable): AnswerSession {
  const { sessionId, title, language, cta } = session
  const content: DeckContent = { title, language, slides: deck?.slides ?? [], passages }
  return { sessionId, title, content, index, ...(cta === null ? {} : { cta: { text: cta.text, url: cta.url } }) }
}

/** With its place on the picture, so that a room can show what was quoted. */
function placed(citation: Citation, { deck }: Searchable): Citation {
  const { type, id, start, end } = citation
  const slide = type === 'slide' ? deck?.slides.find((one) => one.id === id) : undefined
  const region = slide?.image ? litRegion(boxesAt(slide.blocks, start, end)) : undefined
  return region === undefined ? citation : { ...citation, region }
}

// How a run gets its answers. The implementation reads public content only (Spec 2.3) and never stalls the talk: it is asked
// with a signal that aborts, and its parts are said in the order in which they come.

interface AnswerRequest {
  session: TalkSession
  talk: Talk
  attendeeId: string
  question: string
  /** The slide on screen, from 0. */
  slideIndex: number | null
  pace: Pace
  /** The last exchanges of this run, oldest first. */
  history: readonly { question: string; answer: string; slides: readonly number[] }[]
  /** `instant`: quoting only, at once, for the asker alone. */
  style: 'spoken' | 'instant'
  signal: AbortSignal
}

type SpokenPart = AnswerSentence | ({ type: 'end' } & Omit<ComposedAnswer, 'answerId'>)

export interface AnswerPort {
  answer(request: AnswerRequest): AsyncIterable<SpokenPart>
}

// Fetches answers from the answer port and puts their parts into the run's mailbox as they come. A talk never waits for it: the
// machine times out by itself, and an aborted answer is heard of no more.

/** Says a sentence within a time, or leaves it to the browser (null). */
export interface AnswerVoice {
  say(
    sentence: { sessionId: string; text: string; voice: string | null },
    waitMs: number,
    signal: AbortSignal,
  ): Promise<{ url: string; ms: number } | null>
}

/** The run that is answered in, wherever it is held. */
export interface AnsweredRun {
  readonly runId: string
  readonly setting: Setting
  readonly state: RunState
  put(...inputs: Input[]): void
}

export interface AnsweringDeps {
  answers: AnswerPort
  clock: Clock
  /** `ROSTRUM_SPEECH_WPM` */
  speechWpm: number
  voice?: AnswerVoice
  onFault(runId: string, error: unknown): void
}

interface Said {
  text: string
  citations: readonly Citation[]
}

/** From the question to the first word nobody waits longer, whoever says it; a later sentence is fetched while the one before is said. */
export const firstWordMs = 1_800
const laterMs = 1_500

export function createAnswering({ answers, clock, speechWpm, voice, onFault }: AnsweringDeps) {
  const running = new Map<string, AbortController>()
  const keyOf = (runId: string, answerId: string) => `${runId} ${answerId}`

  /** Puts sentences into the run in their order, each once the voice has said it or its time is over. */
  function sayer(run: AnsweredRun, answerId: string, signal: AbortSignal) {
    const { session } = run.setting
    const since = clock.elapsed()
    let count = 0
    let last: Promise<void> = Promise.resolve()
    const put = (index: number, { text, citations }: Said, clip: { url: string; ms: number } | null) => {
      if (signal.aborted) return
      const estMs = Math.round((clip?.ms ?? estimateMs(text, session.language, speechWpm)) / run.state.speed)
      const said = clip === null ? {} : { clip: { audioUrl: clip.url, audioMs: clip.ms } }
      run.put({ type: 'answer_sentence', answerId, index, text, estMs, citations, ...said })
    }
    return {
      say(sentence: Said): void {
        const index = count++
        if (voice === undefined) return put(index, sentence, null)
        const waitMs = index === 0 ? firstWordMs - (clock.elapsed() - since) : laterMs
        const { sessionId, voice: wanted } = session
        const clip = voice.say({ sessionId, text: sentence.text, voice: wanted }, waitMs, signal)
        last = Promise.all([clip, last]).then(([said]) => put(index, sentence, said))
      },
      /** Resolves when everything has been put; at once without a voice. */
      said: () => (voice === undefined ? undefined : last),
    }
  }

  async function compose(run: AnsweredRun, task: Task & { type: 'answer' }, signal: AbortSignal): Promise<void> {
    const request = requestOf(run, task, signal)
    if (request === null) return
    let end: (SpokenPart & { type: 'end' }) | null = null
    const texts: string[] = []
    const sentences = sayer(run, task.answerId, signal)
    try {
      for await (const part of answers.answer(request)) {
        if (signal.aborted) return
        if (part.type === 'end') end = part
        else {
          texts.push(part.text)
          if (!task.instant) sentences.say(part)
        }
      }
    } catch (error) {
      if (signal.aborted) return
      onFault(run.runId, error)
    }
    const answer = composedOf(task.answerId, end)
    const { sorry } = languageOf(run.setting.session.language).asides
    if (task.instant) {
      const { questionId, attendeeId } = task
      // A copy that failed is no loss while the question waits for the room; to a private one it is the only answer.
      if (end === null && run.state.questions.get(questionId)?.isPrivate !== true) return
      const text = end === null && texts.length === 0 ? sorry : texts.join(' ')
      return run.put({ type: 'instant_answer', questionId, attendeeId, text, answer })
    }
    if (end === null && texts.length === 0) sentences.say({ text: sorry, citations: [] })
    const rest = sentences.said()
    if (rest !== undefined) await rest
    if (!signal.aborted) run.put({ type: 'answer_composed', answer })
  }

  return {
    perform(run: AnsweredRun, task: Task): void {
      const key = keyOf(run.runId, task.answerId)
      if (task.type === 'abort_answer') {
        running.get(key)?.abort()
        running.delete(key)
        return
      }
      const controller = new AbortController()
      running.get(key)?.abort()
      running.set(key, controller)
      void compose(run, task, controller.signal).finally(() => {
        if (running.get(key) === controller) running.delete(key)
      })
    },
    abortAll(runId: string): void {
      for (const [key, controller] of running) {
        if (!key.startsWith(`${runId} `)) continue
        controller.abort()
        running.delete(key)
      }
    },
  }
}

function requestOf(run: AnsweredRun, task: Task & { type: 'answer' }, signal: AbortSignal): AnswerRequest | null {
  const { state, setting } = run
  const question = state.questions.get(task.questionId)
  if (question === undefined) return null
  return {
    session: setting.session,
    talk: setting.talk,
    attendeeId: question.attendeeId,
    question: question.text,
    slideIndex: state.slideIndex,
    pace: state,
    // "And the second one?" goes on from what the same person asked.
    history: state.answered.filter(({ attendeeId }) => attendeeId === question.attendeeId),
    style: task.instant ? 'instant' : 'spoken',
    signal,
  }
}

function composedOf(answerId: string, end: (SpokenPart & { type: 'end' }) | null): ComposedAnswer {
  if (end === null) return { answerId, outcome: 'error', mode: 'extractive', confidence: 0, citations: [], suggestedActions: [] }
  const { outcome, mode, confidence, citations, suggestedActions, control, trace } = end
  return { answerId, outcome, mode, confidence, citations, suggestedActions, ...(control && { control }), ...(trace && { trace }) }
}
