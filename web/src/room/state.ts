// What the browser knows of a run: the fold of the messages of its stream. `reduce.ts` is the only writer.
import type { AnswerData, Citation, ClosedReason, QuestionStatus, RoomView, RunStatus, Slide, StateData, SuggestedAction } from './wire.ts'

/** One sentence of the transcript; its id is the beat's, or `<answerId>:<index>`. */
export interface Line {
  id: string
  slideIndex: number
  text: string
  kind: 'beat' | 'answer'
  /** The question that an answer's sentence belongs to. */
  questionId?: string
  /** Unix ms at which it was said, where known. */
  at: number | null
  /** False while it is being said for the first time. */
  finished: boolean
}

export interface Answer {
  answerId: string
  sentences: readonly string[]
  citations: readonly Citation[]
  suggestedActions: readonly SuggestedAction[]
  outcome: string | null
  mode: string | null
  ended: boolean
}

export interface Question {
  id: string
  text: string
  name: string | null
  mine: boolean
  status: QuestionStatus
  mergedInto: string | null
  votes: number
  ahead: number
  slideIndex: number | null
  reason: string | null
  answer: Answer | null
  /** The instant answer for its asker alone. */
  privateAnswer: Answer | null
}

export type CtaState = 'hidden' | 'shown' | 'clicked' | 'dismissed'

export interface RoomState {
  /** The last applied event, as the stream names it: `<epoch>-<seq>`. */
  cursor: string | null
  seq: number
  status: RunStatus
  by: StateData['by'] | null
  reason: string | null
  speed: number
  windowUntil: number | null
  slides: readonly Slide[]
  slideIndex: number
  /** The beat that is being said, if one is. */
  beatId: string | null
  /** Beats of the live slide said so far; drives the thread. */
  beatsOnSlide: number
  /** Where the last cut of each beat fell, in characters. */
  cutAt: Readonly<Record<string, number>>
  lines: readonly Line[]
  questions: readonly Question[]
  cta: { state: CtaState; text: string | null; url: string | null }
  presence: number
  attendeeId: string | null
  lead: { at: number | null } | null
  recap: readonly { slideIndex: number; title: string; line: string }[]
  closed: ClosedReason | null
}

export function initialState(room: RoomView): RoomState {
  return {
    cursor: null,
    seq: 0,
    status: 'lobby',
    by: null,
    reason: null,
    speed: 1,
    windowUntil: null,
    slides: room.slides,
    slideIndex: 0,
    beatId: null,
    beatsOnSlide: 0,
    cutAt: {},
    lines: [],
    questions: [],
    cta: { state: 'hidden', text: room.cta?.text ?? null, url: room.cta?.url ?? null },
    presence: 0,
    attendeeId: null,
    lead: null,
    recap: [],
    closed: null,
  }
}

export function emptyAnswer(answerId: string): Answer {
  return { answerId, sentences: [], citations: [], suggestedActions: [], outcome: null, mode: null, ended: false }
}

export function answerAfter(before: Answer | null, data: AnswerData): Answer {
  const answer = before?.answerId === data.answerId ? before : emptyAnswer(data.answerId)
  const citations = data.citations === undefined || data.citations.length === 0 ? answer.citations : mergeCitations(answer.citations, data)
  const known = {
    ...answer,
    citations,
    outcome: data.outcome ?? answer.outcome,
    mode: data.mode ?? answer.mode,
    suggestedActions: data.suggestedActions ?? answer.suggestedActions,
  }
  if (data.phase === 'sentence') {
    const sentences = [...answer.sentences]
    sentences[data.index ?? sentences.length] = data.text ?? ''
    return { ...known, sentences: Array.from(sentences, (sentence) => sentence ?? '') }
  }
  if (data.phase === 'start') return known
  const whole = data.text
  const complete = known.sentences.length > 0 || whole === undefined || whole === '' ? known.sentences : [whole]
  return { ...known, sentences: complete, ended: true }
}

function mergeCitations(before: readonly Citation[], data: AnswerData): readonly Citation[] {
  const found = data.citations ?? []
  if (data.phase === 'end') return found
  const isNew = (citation: Citation) => !before.some((other) => other.id === citation.id && other.quote === citation.quote)
  return [...before, ...found.filter(isNew)]
}
