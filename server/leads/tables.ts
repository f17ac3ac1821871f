// How leads are stored.
import type { Selectable } from 'kysely'

declare module '../platform/db/tables.ts' {
  interface Tables {
    leads: LeadRow
  }
}

/** Why a lead is believed, or marked; null, as of most, where nothing was to be said. */
export type Proof = 'burst' | 'host' | 'link'

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
  /** Which link the person came by: JSON `Utm`, of the attendee. */
  utm: string | null
  /** Where it was given. */
  run_id: string | null
  /** How often it was changed since: the events that tell of it are numbered so. */
  changes: number
  /** How far the host has come with them. */
  follow_up: 'new' | 'contacted' | 'done'
  /** Of the host, about the person: goes with the lead. */
  host_note: string | null
  /** Whether it came in a burst, and who has taken that back. */
  proof: Proof | null
  created_at: number
  updated_at: number
}

export type Lead = Selectable<LeadRow>
