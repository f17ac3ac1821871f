// What goes into an answer and what comes out of it: one set of types for the room, the Personal Agent Protocol and rehearsal.
// No type here has room for private notes.
import type { DeckContent, SourceRef } from '../../decks/content.ts'
import type { Candidate } from '../retrieval/rank.ts'
import type { SessionIndex } from '../retrieval/session-index.ts'

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

/** For the owner alone. */
export interface Trace {
  intent: string
  known: number
  plain: number
  candidates: readonly { type: SourceRef['type']; index: number; score: number; text: string }[]
  /** What the models did with it, where there are any. */
  model?: ModelTrace
}

/** One sentence a model wrote, with the verdict on it. */
export interface JudgedClaim {
  text: string
  /** As the model named them. */
  sources: readonly string[]
  /** `ok`, or the rule it broke. */
  verdict: string
}

/** One call of a model. Times are milliseconds since the question; null: it never came. */
export interface ModelCall {
  model: string
  startedMs: number
  firstPieceMs: number | null
  firstSaidMs: number | null
  endedMs: number
  outcome: 'won' | 'lost' | 'failed' | 'nothing_verified' | 'stopped'
  claims: readonly JudgedClaim[]
  /** Lines that were no claim. */
  malformed: number
  tokens: { input: number; cached: number; output: number } | null
  /** In the operator's currency; null where no price is configured or the call did not end. */
  cost: number | null
}

export interface ModelTrace {
  /** Why it ended as it did: `ended`, `slow`, `busy` (no slot), `circuit` (every model is failing), and so on. */
  why: string
  /** From the question to a slot. */
  waitedMs: number
  calls: readonly ModelCall[]
}

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
  trace: Trace
}

export type AnswerPart = AnswerSentence | AnswerEnd
