// A lead: contact details that a person gave under a recorded consent (spec 2.6). What may be sent, and how it is shown.
import type { Selectable } from 'kysely'
import { z } from 'zod'
import { limits, text } from '../contract/fields.ts'
import { iso } from '../platform/clock.ts'
import type { AccountPrincipal } from '../platform/principal.ts'
import type { LeadRow } from '../platform/db/tables/sessions.ts'

export type Lead = Selectable<LeadRow>

/** Whom a call of a personal agent comes from: who the credential was given to, where it may be replaced, else the credential itself. */
export function giverOf(principal: AccountPrincipal): string {
  if (principal.kind === 'user') return principal.userId
  const { registrationId, credentialId, userId } = principal
  return registrationId ?? (principal.kind === 'oauth' ? (userId ?? credentialId) : credentialId)
}

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

const consent = z.object({ at: z.string(), source: z.enum(['form', 'conversation', 'personal_agent']), text: z.string(), version: z.int() })
const stored = z.tuple([consent], consent)
/** Each time that somebody gave these details: when, how, and what they agreed to. */
export type Consents = z.output<typeof stored>

export const leadRecord = z.object({
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
  repeatOf: z.string().optional().describe('The first lead of this address: this one came from somebody else and changed nothing there.'),
})

/** The same with what a program can use, and a model need not carry. */
export const wholeLeadRecord = leadRecord.extend({
  consents: z.array(consent).optional().describe('Each time that the details were given; the first is never changed.'),
})

export function consentsOf({ consents }: Pick<Lead, 'consents'>): Consents {
  return stored.parse(JSON.parse(consents))
}

/** The five members of the spec are always there, empty when unknown. */
export function toLeadRecord(row: Lead) {
  const consents = consentsOf(row)
  return {
    id: row.id,
    name: row.name ?? '',
    email: row.email,
    company: row.company ?? '',
    ctaClicked: row.cta_clicked === 1,
    created_at: iso(row.created_at),
    ...(row.phone === null ? {} : { phone: row.phone }),
    ...(row.notes === null ? {} : { notes: row.notes }),
    consentAt: consents[0].at,
    consentText: consents[0].text,
    source: row.source,
    sessionId: row.session_id,
    consents,
    ...(row.repeat_of === null ? {} : { repeatOf: row.repeat_of }),
  }
}
