// What sessions need of the rest of the product; `app.ts` joins the ports (sessions imports none of these areas).
import type { NewPassage, NewSlide } from '../contract/new-content.ts'
import type { Clock } from '../platform/clock.ts'
import type { Cursors } from '../platform/cursor.ts'
import type { Ids } from '../platform/ids.ts'
import type { Reader, Store, Tx } from '../platform/db/store.ts'
import type { BudgetLimits, SessionPlan } from './usage.ts'

/** What a new session brings along; `pdfUrl` is fetched later, in the background. */
export interface NewContent {
  sessionId: string
  accountId: string
  /** As the host says; left out where the deck decides. */
  language?: string
  slides: readonly NewSlide[]
  pdfUrl?: string | undefined
  knowledge: readonly NewPassage[]
  now: number
}

export interface ShownSlide {
  index: number
  title: string
  imageUrl: string | null
}

export interface ContentPort {
  /** Refuses (`invalid_request`, `url_not_allowed`) addresses that may never be fetched. Before the transaction: it may look up a name. */
  check(content: Pick<NewContent, 'slides' | 'pdfUrl'>): Promise<void>
  /** For a session that has no row yet; gives the deck that its row is to name, and the language of its slides where they tell. */
  create(tx: Tx, content: NewContent): Promise<{ deckId: string | null; language?: string }>
  /** The same, of another session's deck and knowledge. */
  copy(tx: Tx, fromSessionId: string, to: { sessionId: string; accountId: string; now: number }): Promise<string | null>
  /** Says that a session has new work: fetches and compiles in the background. Called after commit. */
  wake(sessionId: string): void
  /** Says that its sentences are to be said otherwise, by another voice or with other pronunciations. */
  revoice(tx: Tx, sessionId: string): void
  /** What the words of the deck in service are written in; undefined where they do not tell. */
  languageOf(tx: Tx, deckId: string): Promise<string | undefined>
  /** Titles and pictures of the deck in service. */
  slides(read: Reader, sessionId: string): Promise<readonly ShownSlide[]>
}

/** How many people are in the rooms of these sessions, and where the talk is. */
export interface LivePort {
  now(sessionIds: readonly string[]): Promise<ReadonlyMap<string, { online: number; slideIndex: number | null }>>
}

export interface SessionsDeps {
  store: Store
  clock: Clock
  ids: Ids
  cursors: Cursors
  /** Without a trailing slash. */
  baseUrl: string
  /** Where `/media` is. */
  mediaBase: string
  planOf(read: Reader, accountId: string): Promise<SessionPlan>
  minutesLimit: number | null
  /** Of a day; null: no limit. */
  budgets: BudgetLimits
  minutesUsed(read: Reader, accountId: string, period: string): Promise<number>
  /** Bytes; null: no limit. */
  storageLimit: number | null
  storedBytes(read: Reader, accountId: string): Promise<number>
  content: ContentPort
  live: LivePort
  /** Ends the running talks of a session that is about to be deleted; people in the room are told. */
  stopRuns(sessionId: string): Promise<void>
  /** After a commit that changed settings: talks that wait for their start, or are running, go by them from now on. */
  tellRuns(sessionId: string): Promise<void>
  /** Removes the session with all that belongs to it: each area what is its own. */
  forget(tx: Tx, sessionId: string, now: number): Promise<void>
}
