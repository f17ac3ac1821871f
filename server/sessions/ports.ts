// What sessions need of the rest of the product; `areas.ts` joins it (sessions imports none of those areas).
import type { Cursors } from '../platform/db/cursor.ts'
import type { Reader, Tx } from '../platform/db/store.ts'
import type { Call } from '../platform/operation.ts'
import type { DecksDeps } from '../decks/create-decks.ts'
import type { BudgetLimits, SessionPlan } from './usage.ts'

/** How many people are in the rooms of these sessions, and where the talk is. */
export interface LivePort {
  now(sessionIds: readonly string[]): Promise<ReadonlyMap<string, { online: number; slideIndex: number | null }>>
}

export interface SessionsDeps extends DecksDeps {
  cursors: Cursors
  /** Without a trailing slash. */
  baseUrl: string
  planOf(read: Reader, accountId: string): Promise<SessionPlan>
  minutesLimit: number | null
  /** Of a day; null: no limit. */
  budgets: BudgetLimits
  live: LivePort
  /** In the transaction of a change: kept in the audit log. */
  brandChanged(tx: Tx, call: Call, accountId: string): Promise<void>
  /** Whether mails leave this service. */
  hasMail: boolean
  /** In the transaction of a change: people who registered are told, and places that are free are given to who waits. */
  changed(tx: Tx, sessionId: string, now: number): Promise<void>
  /** Ends the running talks of a session that is about to be deleted; people in the room are told. */
  stopRuns(sessionId: string): Promise<void>
  /** After a commit that changed settings: talks that wait for their start, or are running, go by them from now on. */
  tellRuns(sessionId: string): Promise<void>
  /** Removes the session with all that belongs to it: each area what is its own. */
  forget(tx: Tx, sessionId: string, now: number): Promise<void>
}
