// Keeps contact details given with consent: one lead per session and e-mail address, a repeat updates it.
import { ServiceError } from '../kernel/errors.ts'
import type { Ids } from '../kernel/ids.ts'
import { holdSession } from '../sessions/session.ts'
import { append } from '../storage/domain-events.ts'
import type { Tx } from '../storage/store.ts'
import type { ContactDetails, Lead } from './lead.ts'
import { filled, toLeadRecord } from './lead.ts'

/** Who gave the details, where, and what they agreed to. */
export interface LeadOrigin {
  sessionId: string
  source: Lead['source']
  consent: { text: string; version: number }
  runId: string | null
  attendee: { id: string; name: string | null; kind: 'human' | 'agent'; joinedAt: string } | null
}

export interface SavedLead {
  leadId: string
  created: boolean
}

/**
 * Writes the lead and, the first time, the event `lead.captured` in the same transaction. A repeat fills in what it names,
 * renews the consent and returns the same id. `not_found` where the session is gone.
 */
export async function saveLead(
  tx: Tx,
  details: ContactDetails,
  origin: LeadOrigin,
  { ids, now }: { ids: Ids; now: number },
): Promise<SavedLead> {
  // Before the lead: one that comes while its session is deleted must not stay behind, where nobody can erase it.
  const session = await holdSession(tx, origin.sessionId)
  if (session === undefined) throw new ServiceError('not_found', 'There is no such session any more.')
  const row: Lead = {
    id: ids.uuid(),
    account_id: session.account_id,
    session_id: session.id,
    email_key: details.email.toLowerCase(),
    email: details.email,
    name: filled(details.name),
    phone: filled(details.phone),
    company: filled(details.company),
    notes: filled(details.notes),
    cta_clicked: details.ctaClicked === true ? 1 : 0,
    source: origin.source,
    consent_text: origin.consent.text,
    consent_version: origin.consent.version,
    consent_at: now,
    run_id: origin.runId,
    created_at: now,
    updated_at: now,
  }
  const kept = await tx
    .insertInto('leads')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['session_id', 'email_key']).doUpdateSet((old) => ({
        name: old.fn.coalesce('excluded.name', 'leads.name'),
        phone: old.fn.coalesce('excluded.phone', 'leads.phone'),
        company: old.fn.coalesce('excluded.company', 'leads.company'),
        notes: old.fn.coalesce('excluded.notes', 'leads.notes'),
        cta_clicked: old.case().when('excluded.cta_clicked', '=', 1).then(1).else(old.ref('leads.cta_clicked')).end(),
        source: old.ref('excluded.source'),
        consent_text: old.ref('excluded.consent_text'),
        consent_version: old.ref('excluded.consent_version'),
        consent_at: old.ref('excluded.consent_at'),
        updated_at: old.ref('excluded.updated_at'),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
  if (origin.runId !== null && origin.attendee !== null) {
    await tx
      .insertInto('lead_attendees')
      .values({ lead_id: kept.id, attendee_id: origin.attendee.id, run_id: origin.runId })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  if (kept.id !== row.id) return { leadId: kept.id, created: false }
  await append(tx, capturedEvent(kept, origin))
  return { leadId: kept.id, created: true }
}

export const leadDedupeKey = (leadId: string): string => `lead:${leadId}`

function capturedEvent(row: Lead, origin: LeadOrigin) {
  const { id, email, ctaClicked, created_at } = toLeadRecord(row)
  return {
    type: 'lead.captured' as const,
    accountId: row.account_id,
    sessionId: row.session_id,
    at: row.created_at,
    dedupeKey: leadDedupeKey(row.id),
    data: {
      lead: { id, name: row.name, email, company: row.company, ctaClicked, created_at, phone: row.phone, notes: row.notes },
      trigger: 'contact_info',
      source: origin.source,
      consent: { text: row.consent_text, version: row.consent_version, at: new Date(row.consent_at).toISOString() },
      attendee: origin.attendee,
      runId: origin.runId,
    },
  }
}
