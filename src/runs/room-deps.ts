// What the operations of the room need; `app.ts` joins the ports. The room knows neither the presenter nor the leads.
import type { Clock } from '../platform/clock.ts'
import type { Store } from '../platform/db/store.ts'
import type { AttendeeRow } from '../platform/db/tables/runs.ts'
import type { Ids } from '../platform/ids.ts'
import type { RunDesk } from './command.ts'
import type { Consent, ContactOffers } from './contact-offers.ts'
import type { OpenRunPort } from './open-runs.ts'
import type { RecapLinks } from './recap-links.ts'
import type { Report } from './report.ts'
import type { Presence } from './stream/presence.ts'
import type { TailHub } from './stream/tail.ts'
import type { ContentPort } from './talk.ts'
import type { Cursors } from '../platform/cursor.ts'
import type { AnswerOutcome, Citation } from '../contract/answer.ts'
import type { Sound } from '../sessions/voice/audio.ts'
import type { DeckContent } from '../sessions/deck/content.ts'

export interface RoomLead {
  sessionId: string
  runId: string
  attendee: { id: string; name: string | null; kind: 'human' | 'agent'; joinedAt: string }
  source: 'form' | 'conversation'
  consent: Consent
  details: {
    email: string
    name?: string | undefined
    phone?: string | undefined
    company?: string | undefined
    notes?: string | undefined
  }
}

export interface LeadPort {
  /** What a person agrees to where the host has written no text, in the language of the talk. */
  consentTextIn(language: string): string
  /** Durable when it resolves; `leadId` is that of the attendee's own entry, whoever else has left the same address. */
  save(lead: RoomLead): Promise<{ leadId: string }>
}

export type RecordedKind = 'webm' | 'ogg' | 'wav' | 'mp4' | 'mp3'

export interface EarsPort {
  /** The recordings that it can hear. */
  takes: readonly RecordedKind[]
  /** What a recording is by its bytes, and how long where its header tells; undefined for anything else. */
  measure(bytes: Uint8Array): { kind: RecordedKind; ms?: number } | undefined
  /** Rejects where the words could not be had; the operator has been told why. */
  hear(recording: { bytes: Uint8Array; kind: RecordedKind; language: string }): Promise<string>
}

export interface RoomDeps {
  store: Store
  clock: Clock
  ids: Ids
  /** Without a trailing slash. */
  baseUrl: string
  content: ContentPort
  desk: RunDesk
  hub: TailHub
  presence: Presence
  /** For a crowd that comes at the same time; throws `not_found`. */
  attendeeOf(attendeeId: string): Promise<AttendeeRow>
  leads: LeadPort
  offers: ContactOffers
  recapLinks: RecapLinks
  /** Attendee tokens: `rst_att_...`, kept as their SHA-256 in hex. */
  mintToken(): string
  hashToken(token: string): string
  /** False once the minutes of the account's month are used up: no new live run begins. */
  hasMinutes(accountId: string, now: number): Promise<boolean>
  openRuns: OpenRunPort
  /** Whether the server speaks and listens; browsers do it otherwise. */
  voices: { tts: boolean; stt: boolean }
  /** After the answer; absent where nobody is told but by the audit log. */
  tellOperator?(report: Report): void
  /** Speech recognition of the server, where it has any. */
  ears: EarsPort | null
  /** For the hour in which a room may play it; resolves with its address. */
  keepSound(bytes: Uint8Array, extension: Sound['extension']): Promise<string>
  /** Counts what is recognised against the budget of the session's account; false where it is used up. */
  affordHearing(sessionId: string, seconds: number): Promise<boolean>
}

// What the owner's views of runs need: records of what was held, read from the logs.

export interface RunsDeps {
  store: Store
  clock: Clock
  cursors: Cursors
}

// What rehearsals with a synthetic audience need besides the room; `app.ts` joins the two checks.

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
