// What a personal agent's question needs of the presenter; `app.ts` joins it. Public content only: no type here has a member
// for private notes.
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Store } from '../storage/store.ts'

export interface PapCitation {
  n: number
  type: 'slide' | 'knowledge'
  id: string
  index: number
  title: string
  quote: string
  start: number
  end: number
}

export interface PapAnswer {
  sentences: readonly string[]
  citations: readonly PapCitation[]
  outcome: 'answered' | 'near' | 'unknown' | 'declined' | 'handoff' | 'error'
  /** 0 to 1. */
  confidence: number
}

export interface PapDeps {
  store: Store
  clock: Clock
  ids: Ids
  baseUrl: string
  /** Answers from the public content of a published session; stops once `signal` aborts. `id` is whose turn it is. */
  ask(sessionId: string, question: string, caller: { id: string; signal: AbortSignal }): Promise<PapAnswer>
  /** The same by quoting alone, at once. */
  quote(sessionId: string, question: string): Promise<PapAnswer>
}
