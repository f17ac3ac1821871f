// What goes into an answer and what comes out of it: one set of types for the room, the Personal Agent Protocol and rehearsal.
// No type here has room for private notes.
import type { AnswerTrace } from '../contract/answer.ts'
import type { DeckContent, SourceRef } from '../sessions/deck/content.ts'
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
  /** How long the talk takes, or what is left of it. */
  minutes?: { count: number; isLeft: boolean }
  /** The place that comes nearest to what the question means, where its words find none. */
  meant?: Candidate
  /** What the presenter said last, for "repeat that". */
  lastSpoken?: string
  audience?: 'room' | 'agent' | 'rehearsal'
  /** Epoch ms by which the answer must have ended. An extractive answer takes a millisecond and ignores it. */
  deadline?: number
}

export interface Citation extends SourceRef {
  /** From 1, in order of mention. */
  n: number
  title: string
  /** Verbatim: `source text.slice(start, end)`. */
  quote: string
  start: number
  end: number
}

export type Outcome = 'answered' | 'near' | 'unknown' | 'declined' | 'handoff' | 'error'

/** What the attendee seems to want besides an answer: the input of CTA rules and of high-intent leads. */
export type Signal = 'price' | 'contact' | 'trial' | 'booking'

export type SuggestedAction =
  | { type: 'open_link'; label: string; url: string }
  | { type: 'goto_slide'; label: string; slideIndex: number }
  | { type: 'ask'; label: string; question: string }
  | { type: 'contact_host'; label: string }
  | { type: 'submit_lead'; label: string }

/** A wish about the talk itself; whoever runs the talk decides whether it is granted. */
export type Control =
  | { action: 'goto'; slideIndex: number }
  | { action: 'repeat' | 'slower' | 'faster' | 'shorter' | 'longer' | 'pause' | 'resume' | 'next' | 'previous' }

export interface AnswerSentence {
  type: 'sentence'
  index: number
  text: string
  citations: readonly Citation[]
}

export interface AnswerEnd {
  type: 'end'
  outcome: Outcome
  mode: 'extractive' | 'model'
  /** 0..1 */
  confidence: number
  text: string
  citations: readonly Citation[]
  suggestedActions: readonly SuggestedAction[]
  control?: Control
  signal?: Signal
  trace: AnswerTrace
}

export type AnswerPart = AnswerSentence | AnswerEnd
