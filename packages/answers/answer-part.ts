// What goes into an answer and what comes out of it: one set of types for the room, the Personal Agent Protocol and rehearsal.
// No type here has room for private notes.
import type { AnswerTrace, Citation, AnswerEnd as Ended, Signal } from '@rostrum/contract/answer'
import type { DeckContent } from '@rostrum/contract/content'
import type { Candidate } from './ranking/rank.ts'
import type { SessionIndex } from './ranking/session-index.ts'

export interface AnswerSession {
  sessionId: string
  title: string
  content: DeckContent
  index: SessionIndex
  cta?: { text: string; url: string }
}

/** One earlier exchange, oldest first in a history. */
export interface Turn {
  question: string
  answer: string
  /** That the answer cites, from 0. */
  slides?: readonly number[]
}

export interface AnswerContext {
  session: AnswerSession
  /** The slide on screen, from 0. */
  slideIndex?: number
  history?: readonly Turn[]
  /** Whether the talk goes on for all together, and nobody alone moves it. */
  isShared?: boolean
  /** No host hears of what is asked, as in a talk that is kept in a file. */
  isAlone?: boolean
  /** How long the talk takes, or what is left of it. */
  minutes?: { count: number; isLeft: boolean }
  /** The place that comes nearest to what the question means, where its words find none. */
  meant?: Candidate
  audience?: 'room' | 'agent' | 'rehearsal'
}

export interface AnswerSentence {
  type: 'sentence'
  text: string
  citations: readonly Citation[]
}

export interface AnswerEnd extends Ended {
  type: 'end'
  mode: 'extractive' | 'model'
  text: string
  signal?: Signal
  trace: AnswerTrace
}

export type AnswerPart = AnswerSentence | AnswerEnd
