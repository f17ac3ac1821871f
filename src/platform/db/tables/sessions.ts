// Rows of the sessions area. Times are epoch ms, booleans 0 or 1, JSON is text.
import type { SettingColumns } from '../../../contract/session.ts'

export interface SessionTables {
  sessions: SessionRow
  usage: UsageRow
  spending: SpendingRow
  idempotency: IdempotencyRow
}

/** What an account spent on one day, UTC. */
export interface SpendingRow {
  account_id: string
  /** `2026-11-25` */
  day: string
  /** Model calls, spoken characters, recognised seconds. */
  kind: 'llm' | 'tts' | 'stt'
  used: number
  /** When the account was told that the budget is used up. */
  told_at: number | null
}

/** What a host may set stands in `contract/session.ts`. */
export interface SessionRow extends SettingColumns {
  id: string
  account_id: string
  slug: string
  status: 'draft' | 'published'
  /** Who said so: the host, the words of the deck, or nobody. */
  language_from: 'host' | 'deck' | 'default'
  /** The blob of the presenter's portrait. */
  portrait_key: string | null
  /** Rises with each change of `consent_text`. */
  consent_version: number
  /** 26 base32 characters; null when revoked. */
  rehearsal_token: string | null
  /** The deck version in service. */
  deck_id: string | null
  slides_count: number
  created_by_kind: 'user' | 'api_key' | 'agent'
  created_by_id: string
  /** The last `sequence` given to a domain event of this session. */
  event_seq: number
  created_at: number
  updated_at: number
  published_at: number | null
  /** Of the newest run; for `discover_sessions`. */
  active_at: number
}

export interface UsageRow {
  account_id: string
  /** `2026-11`, UTC; `life` for agent accounts. */
  period: string
  sessions: number
}

export interface IdempotencyRow {
  /** SHA-256 of credential, operation and key. */
  id: string
  body_hash: string
  status: number
  /** JSON `{ headers, body }`; while the first call runs, the token of its claim. */
  response: string
  expires_at: number
}

// Rows of the leads area.

export interface LeadTables {
  leads: LeadRow
}

export interface LeadRow {
  id: string
  account_id: string
  session_id: string
  /** Lower case; one lead per session, address and giver. */
  email_key: string
  /** The attendee where there is a run, else the credential: nobody else changes this row. */
  given_by: string
  /** The first entry of the address in the session; null for that one itself. */
  repeat_of: string | null
  email: string
  name: string | null
  phone: string | null
  company: string | null
  notes: string | null
  cta_clicked: number
  source: 'form' | 'conversation' | 'personal_agent'
  /** JSON array, never empty, the first consent first: that one is never changed. */
  consents: string
  /** Where it was given. */
  run_id: string | null
  /** How often it was changed since: the events that tell of it are numbered so. */
  changes: number
  /** How far the host has come with them. */
  follow_up: 'new' | 'contacted' | 'done'
  /** Of the host, about the person: goes with the lead. */
  host_note: string | null
  created_at: number
  updated_at: number
}

// Rows of the personal agent protocol.

export interface PapTables {
  pap_questions: PapQuestionRow
}

/** What personal agents asked, and what they were told: the host sees it beside the questions of the room. */
export interface PapQuestionRow {
  id: string
  account_id: string
  session_id: string
  /** As `given_by` of a lead: what one agent asked and the lead it sent belong together. */
  asked_by: string
  attendee_name: string | null
  question: string
  answer: string
  /** JSON array of the slides that it cites, from 0. */
  slides: string
  outcome: string
  at: number
}

// Rows of the analytics area.

export interface AnalyticsTables {
  run_summaries: RunSummaryRow
}

/** The fold of a run that is over, good as long as its log ends at `last_seq`. */
export interface RunSummaryRow {
  run_id: string
  session_id: string
  last_seq: number
  slides_count: number
  /** JSON of `RunSummary`. */
  summary: string
}
