// What the world is told of a lead (Spec 6.1 `lead.captured`, and `lead.updated` for who asks for it by name).
import type { LeadChange, NewDomainEvent } from '../contract/events.ts'
import type { Lead } from './lead.ts'
import { consentsOf, toLeadRecord } from './lead.ts'

export interface LeadAttendee {
  id: string
  name: string | null
  kind: 'human' | 'agent'
  joinedAt: string
}

export const leadDedupeKey = (leadId: string): string => `lead:${leadId}`
const updateKey = (leadId: string, change: number): string => `${leadDedupeKey(leadId)}:${change}`
export const intentDedupeKey = (runId: string, attendeeId: string): string => `intent:${runId}:${attendeeId}`

/** The keys of every event that may hold the details of this lead. */
export function eventKeysOf({ id, changes, run_id, given_by }: Lead): string[] {
  const updates = Array.from({ length: changes }, (_, at) => updateKey(id, at + 1))
  return [leadDedupeKey(id), ...updates, ...(run_id === null ? [] : [intentDedupeKey(run_id, given_by)])]
}

function detailsOf(row: Lead) {
  const { id, email, ctaClicked, created_at } = toLeadRecord(row)
  const { name, company, phone, notes, repeat_of: repeatOf } = row
  const [{ text, version, at }] = consentsOf(row)
  const lead = { id, name, email, company, ctaClicked, created_at, phone, notes, repeatOf }
  return { lead, consent: { text, version, at } }
}

interface Capture {
  trigger: 'contact_info' | 'high_intent'
  source: Lead['source'] | 'intent'
  attendee: LeadAttendee | null
}

/** An event without its place and time. */
type Told = Pick<NewDomainEvent, 'type' | 'dedupeKey' | 'data'>

export function captured(row: Lead, { trigger, source, attendee }: Capture, dedupeKey: string): Told {
  return { type: 'lead.captured', dedupeKey, data: { ...detailsOf(row), trigger, source, attendee, runId: row.run_id } }
}

export function updated(row: Lead, changed: readonly LeadChange[], attendee: LeadAttendee | null): Told {
  return {
    type: 'lead.updated',
    dedupeKey: updateKey(row.id, row.changes),
    data: { ...detailsOf(row), changed, attendee, runId: row.run_id },
  }
}
