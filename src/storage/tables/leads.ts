// Rows of the leads area; migration 005-leads.

export interface LeadTables {
  leads: LeadRow
  lead_attendees: LeadAttendeeRow
}

export interface LeadRow {
  id: string
  account_id: string
  session_id: string
  /** Lower case; one lead per session and address. */
  email_key: string
  email: string
  name: string | null
  phone: string | null
  company: string | null
  notes: string | null
  cta_clicked: number
  source: 'form' | 'conversation' | 'personal_agent'
  consent_text: string
  consent_version: number
  consent_at: number
  /** Where it was given first. */
  run_id: string | null
  created_at: number
  updated_at: number
}

/** An attendee who gave these details in a room. */
export interface LeadAttendeeRow {
  lead_id: string
  attendee_id: string
  run_id: string
}
