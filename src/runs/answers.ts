// The answers of runs, rehearsals and personal agents: one function. The quoting answer is made first and is always ready; where
// models are configured they speak in its place, as far as each of their sentences can be shown to stand in the content.
import type { AnswerContext, AnswerEnd, AnswerPart, AnswerSentence, AnswerSession, Turn } from '../answers/answer-part.ts'
import { type Quoted, quotedAnswer } from '../answers/answer.ts'
import type { Meanings } from '../answers/model/meanings.ts'
import type { ModelAnswerPart, ModelDesk } from '../answers/model/model-desk.ts'
import { suggestions } from '../answers/replies.ts'
import type { Citation } from '../contract/answer.ts'
import { boxesAt, litRegion } from '../sessions/deck/block.ts'
import type { DeckContent } from '../sessions/deck/content.ts'
import type { AnswerPort, AnswerRequest } from './runner/answer-port.ts'
import { minutesOf, usualPace } from './talk-minutes.ts'
import type { TalkSession } from './talk.ts'
import type { Searchable, Talks } from './talks.ts'

export interface AnswersDeps {
  talks: Pick<Talks, 'searchable' | 'getSession' | 'currentTalk'>
  /** Null: no model is configured. */
  models: ModelDesk | null
  /** Models answer in talks for which somebody vouches. */
  isVouched(sessionId: string): Promise<boolean>
  /** Null: questions are understood by their words alone. */
  meanings: Meanings | null
  /** The second net against leaks; the notes it knows are out of reach of everything here. */
  leakTestOf(sessionId: string, deckId: string | null): Promise<(text: string, question: string) => boolean>
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

export function createAnswers({ talks, models, meanings, isVouched, leakTestOf }: AnswersDeps): Answers {
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
        minutes: minutesOf(talk.beats, slideIndex ?? 0, pace),
        ...(slideIndex === null ? {} : { slideIndex }),
      }
      for await (const part of compose({ question, context, deckId: talk.deckId, attendeeId, signal, isInstant: style === 'instant' })) {
        yield { ...part, citations: part.citations.map((one) => placed(one, searchable)) }
      }
    },
    async answerAgent(sessionId, { question, history }, caller) {
      const session = await talks.getSession(sessionId)
      const talk = await talks.currentTalk(sessionId)
      const { deckId } = talk
      if (session === null) throw new Error('The session went away while it was being asked.')
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
