// What rehearsals with a synthetic audience need besides the room; `app.ts` joins the two checks.
import type { AnswerOutcome, Citation } from '../../contract/answer.ts'
import type { DeckContent } from '../../sessions/deck/content.ts'
import type { RoomDeps } from '../room-deps.ts'

export interface RehearsalDeps {
  room: Pick<RoomDeps, 'store' | 'clock' | 'ids' | 'content' | 'desk' | 'hub' | 'presence' | 'openRuns' | 'mintToken' | 'hashToken'>
  /** Public content of the deck in service, for the questions. */
  contentOf(sessionId: string): Promise<Pick<DeckContent, 'language' | 'slides' | 'passages'>>
  /** Those of `texts` that hold five words in a row of private notes that are not public. Only the answer to this leaves the notes. */
  leaksIn(sessionId: string, deckId: string | null, texts: readonly string[]): Promise<readonly string[]>
  /** The status that the address answers to a guarded HEAD; null when it cannot be reached. */
  reach(url: string): Promise<number | null>
  /** Answers from the public content, whatever the status of the session; stops once `signal` aborts. */
  ask(
    sessionId: string,
    asked: { question: string; history: readonly [] },
    caller: { id: string; signal: AbortSignal },
  ): Promise<{ sentences: readonly string[]; citations: readonly Citation[]; outcome: AnswerOutcome }>
  onFault(runId: string, error: unknown): void
}
