// How a run gets its answers. The implementation reads public content only (Spec 2.3) and never stalls the talk: it is asked
// with a signal that aborts, and its parts are said in the order in which they come.
import type { AnswerSentence } from '../../answers/answer-part.ts'
import type { AnswerEnd, AnswerTrace } from '../../contract/answer.ts'
import type { Pace } from '../talk-minutes.ts'
import type { Talk, TalkSession } from '../talk.ts'

export interface AnswerRequest {
  runId: string
  session: TalkSession
  talk: Talk
  attendeeId: string
  question: string
  /** The slide on screen, from 0. */
  slideIndex: number | null
  slidesPassed: readonly number[]
  pace: Pace
  /** The last exchanges of this run, oldest first. */
  history: readonly { question: string; answer: string; slides: readonly number[] }[]
  /** `instant`: quoting only, at once, for the asker alone. */
  style: 'spoken' | 'instant'
  signal: AbortSignal
}

/** `trace`: for the owner alone. */
export type AnswerPart = AnswerSentence | ({ type: 'end'; trace?: AnswerTrace } & AnswerEnd)

export interface AnswerPort {
  answer(request: AnswerRequest): AsyncIterable<AnswerPart>
}
