// What the operations of the room need; `app.ts` joins the ports. The room knows neither the presenter nor the leads.
import type { Clock, Ids } from '@rostrum/base/clock'
import type { AnswerOutcome, Citation } from '@rostrum/contract/answer'
import type { DeckContent } from '@rostrum/contract/content'
import type { ReportedTalk } from '../../accounts/mail.ts'
import type { ContactDetails, LeadAttendee, LeadOrigin } from '../../leads/lead.ts'
import type { Cursors } from '../../platform/db/cursor.ts'
import type { Store } from '../../platform/db/store.ts'
import type { Translations } from '../../scripts/translations.ts'
import type { MinutesPort } from '../../sessions/minutes.ts'
import type { Sound } from '../../voice/audio.ts'
import type { Ears } from '../../voice/voice.ts'
import type { RecapLinks } from '../attendees.ts'
import type { Runs } from '../log/run-log.ts'
import type { Presence } from '../stream/presence.ts'
import type { TailHub } from '../stream/tail.ts'
import type { AttendeeRow } from '../tables.ts'
import type { ContentPort } from '../talks.ts'
import type { ContactOffers } from './contact-offers.ts'
import type { OpenRunPort } from './open-run.ts'

export interface RoomLead extends Omit<LeadOrigin, 'givenBy'> {
  runId: string
  attendee: LeadAttendee
  details: ContactDetails
}

interface LeadPort {
  /** What a person agrees to where the host has written no text, in the language of the talk. */
  consentTextIn(language: string): string
  /** Durable when it resolves; `leadId` is that of the attendee's own entry, whoever else has left the same address. */
  save(lead: RoomLead): Promise<{ leadId: string }>
}

export interface RoomDeps {
  store: Store
  clock: Clock
  ids: Ids
  /** Without a trailing slash. */
  baseUrl: string
  content: ContentPort
  runs: Runs
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
  minutes: MinutesPort
  openRuns: OpenRunPort
  /** The talk in the languages of its listeners; absent without a model. */
  translations?: Pick<Translations, 'order' | 'known' | 'now'>
  /** Whether the server speaks and listens; browsers do it otherwise. */
  voices: { tts: boolean; stt: boolean }
  /** After the answer; absent where nobody is told but by the audit log. */
  tellOperator?(report: ReportedTalk): Promise<void>
  /** Speech recognition of the server, where it has any. Where the words could not be had, the operator has been told why. */
  ears: Pick<Ears, 'takes' | 'measure' | 'hear'> | null
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
  room: Pick<RoomDeps, 'store' | 'clock' | 'ids' | 'content' | 'runs' | 'hub' | 'presence' | 'openRuns' | 'mintToken' | 'hashToken'>
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
