// What a personal agent's question needs of the presenter; `app.ts` joins it. Public content only: no type here has a member
// for private notes.
import type { AnswerOutcome, Citation } from '../contract/answer.ts'
import type { Clock } from '../platform/clock.ts'
import type { Ids } from '../platform/ids.ts'
import type { Store } from '../platform/db/store.ts'

export interface PapAnswer {
  sentences: readonly string[]
  citations: readonly Citation[]
  outcome: AnswerOutcome
  /** 0 to 1. */
  confidence: number
}

/** An earlier exchange of the same caller, oldest first: "And for towns?" goes on from it. */
export interface PapTurn {
  question: string
  answer: string
  /** That the answer cites, from 0. */
  slides: readonly number[]
}

export interface PapAsked {
  question: string
  history: readonly PapTurn[]
}

export interface PapDeps {
  store: Store
  clock: Clock
  ids: Ids
  baseUrl: string
  /** Answers from the public content of a published session; stops once `signal` aborts. `id` is whose turn it is. */
  ask(sessionId: string, asked: PapAsked, caller: { id: string; signal: AbortSignal }): Promise<PapAnswer>
  /** The same by quoting alone, at once. */
  quote(sessionId: string, asked: PapAsked): Promise<PapAnswer>
}
