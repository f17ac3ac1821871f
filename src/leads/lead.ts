// A lead: contact details that a person gave under a recorded consent (spec 2.6). What may be sent, and how it is shown.
import type { Selectable } from 'kysely'
import { z } from 'zod'
import { limits, text } from '../kernel/fields.ts'
import { iso } from '../kernel/iso.ts'
import type { LeadRow } from '../storage/tables/leads.ts'

export type Lead = Selectable<LeadRow>

const address = z.email().max(254)

/** Contact details as submitted, whichever surface they come from. */
export const contactDetails = {
  email: z.string().trim().pipe(address).describe('E-mail address.'),
  name: text(limits.name).describe('Full name.').optional(),
  phone: text(40).describe('Phone number.').optional(),
  company: text(limits.name).describe('Company.').optional(),
  notes: text(limits.message).describe('Anything the person wants the host to know.').optional(),
}

export interface ContactDetails {
  email: string
  name?: string | undefined
  phone?: string | undefined
  company?: string | undefined
  notes?: string | undefined
  ctaClicked?: boolean | undefined
}

/** A filled-in member, or null: a blank one says nothing. */
export const filled = (value: string | undefined): string | null => {
  const trimmed = value?.trim() ?? ''
  return trimmed === '' ? null : trimmed
}

export const leadRecord = z.looseObject({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  company: z.string(),
  ctaClicked: z.boolean(),
  created_at: z.string(),
  phone: z.string().optional(),
  notes: z.string().optional(),
  consentAt: z.string().optional(),
  consentText: z.string().optional(),
  source: z.enum(['form', 'conversation', 'personal_agent']).optional(),
  sessionId: z.string().optional(),
})

/** The five members of the spec are always there, empty when unknown. */
export function toLeadRecord(row: Lead) {
  return {
    id: row.id,
    name: row.name ?? '',
    email: row.email,
    company: row.company ?? '',
    ctaClicked: row.cta_clicked === 1,
    created_at: iso(row.created_at),
    ...(row.phone === null ? {} : { phone: row.phone }),
    ...(row.notes === null ? {} : { notes: row.notes }),
    consentAt: iso(row.consent_at),
    consentText: row.consent_text,
    source: row.source,
    sessionId: row.session_id,
  }
}
