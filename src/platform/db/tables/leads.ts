// Rows of the leads area; migration 005-leads.

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
  created_at: number
  updated_at: number
}
