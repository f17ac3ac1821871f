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
  /** Answers from the public content of a published session, in at most the 20 s a caller waits. */
  ask(sessionId: string, question: string, signal: AbortSignal): Promise<PapAnswer>
}
