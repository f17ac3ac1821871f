// Rows of runs: the log, its commands, who attended, minutes used, and leases. Times are epoch ms.
import type { LeaveReason } from '@rostrum/contract/room'

declare module '../platform/db/tables.ts' {
  interface Tables {
    runs: RunRow
    run_events: RunEventRow
    run_commands: RunCommandRow
    attendees: AttendeeRow
    visits: VisitRow
    processes: ProcessRow
    contact_offers: ContactOfferRow
    cta_clicks: CtaClickRow
    ledger: LedgerRow
    rehearsals: RehearsalRow
    leases: LeaseRow
    pap_questions: PapQuestionRow
  }
}

export interface RunRow {
  id: string
  account_id: string
  session_id: string
  kind: 'live' | 'rehearsal'
  mode: 'isolated' | 'broadcast'
  /** The presenter's state in one word, copied from the log for lists: `lobby`, `presenting`, ... */
  status: string
  language: string
  /** The deck version the run began with; null for a session without a deck. */
  deck_id: string | null
  created_at: number
  /** The first `presenting`. */
  started_at: number | null
  /** Set once, in a final state; a run without it is open and wants an owner. */
  ended_at: number | null
  end_reason: string | null
  /** Of the networks from which an isolated run was opened, the widest first, keyed; null once it has ended. */
  address_mark: string | null
  /** The last `seq` given. */
  last_seq: number
  lease_owner: string | null
  /** Rises with each new owner; a write of an older epoch is refused. */
  epoch: number
  lease_until: number
}

export interface RunEventRow {
  run_id: string
  /** Gapless from 1 over all events of the run, whatever their audience. */
  seq: number
  epoch: number
  at: number
  /** `room`, `host`, or the id of one attendee. */
  audience: string
  type: string
  /** JSON text, serialised once: every attendee gets these bytes. */
  data: string
}

export interface RunCommandRow {
  run_id: string
  /** Made by the caller; a repeat is harmless. */
  id: string
  /** The attendee, or null for the host. */
  attendee_id: string | null
  /** `questions`, `acks`, `control`, `cta`, `lead`, `leave`, `votes`, `host`. */
  kind: string
  /** JSON text; `{}` once handled: what people said is in the log alone. */
  body: string
  at: number
  /** When the owner turned it into events. */
  handled_at: number | null
  /** JSON text of the owner's answer; a repeated command gets it again. */
  answer: string | null
}

export interface AttendeeRow {
  id: string
  run_id: string
  session_id: string
  /** SHA-256 of the attendee token, in hex. */
  token_hash: string
  name: string | null
  language: string | null
  /** JSON `Utm`; goes with the name. */
  utm: string | null
  /** `absent`: registered, was not there, and may read what it covered. */
  kind: 'human' | 'agent' | 'absent'
  /** The process that has a stream of the attendee, or had the last one; null before the first. */
  node: string | null
  /** When the page that they could keep was taken back. */
  recap_ended_at: number | null
  /** The key of the personal link they joined by. */
  came_by: string | null
  created_at: number
}

/** One stay of an attendee: from a first stream to 30 s without one. */
export interface VisitRow {
  attendee_id: string
  /** From 1. */
  visit: number
  run_id: string
  session_id: string
  opened_at: number
  left_at: number | null
  reason: LeaveReason | null
}

/** A process that holds streams. */
export interface ProcessRow {
  id: string
  seen_at: number
}

/** Contact details typed into a question, while the attendee may still agree that the host gets them. */
export interface ContactOfferRow {
  attendee_id: string
  /** The command that asked them, in private. */
  prompt_id: string
  email: string
  phone: string | null
  /** What the prompt said that a "yes" agrees to. */
  consent_text: string
  consent_version: number
  held_until: number
  /** The command that agreed; its repeat finds them again. */
  taken_by: string | null
}

export interface CtaClickRow {
  run_id: string
  attendee_id: string
  id: string
  session_id: string
  at: number
}

/** One minute of what was heard of a live run. Outlives the session. */
export interface LedgerRow {
  run_id: string
  /** Minutes heard before this one. */
  minute: number
  /** Of this minute: 60 once it has passed. */
  seconds: number
  account_id: string
  session_id: string
  at: number
}

/** The plan of a rehearsal with a synthetic audience, and the report of any. */
export interface RehearsalRow {
  run_id: string
  session_id: string
  /** JSON: seed, speed and the questions with their ids; `null` where people were the audience. */
  plan: string
  /** JSON; null until the rehearsal has ended. */
  report: string | null
  created_at: number
}

/** A named lease, for work that one process does at a time. */
export interface LeaseRow {
  name: string
  owner: string
  epoch: number
  lease_until: number
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
