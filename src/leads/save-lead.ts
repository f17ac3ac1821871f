// Keeps contact details given with consent: one lead per session, email address and giver. Only who gave a lead changes it; whatever
// somebody else sends for the same address is an entry of its own, so that nobody overwrites another person's record.
import type { LeadChange } from '../contract/events.ts'
import { ServiceError } from '../platform/errors.ts'
import type { Ids } from '../platform/ids.ts'
import { iso } from '../platform/clock.ts'
import { holdSession } from '../sessions/session.ts'
import { append } from '../platform/db/domain-events.ts'
import type { Tx } from '../platform/db/store.ts'
import {
  captured,
  type Consents,
  consentsOf,
  type ContactDetails,
  filled,
  type Lead,
  type LeadAttendee,
  leadDedupeKey,
  updated,
} from './lead.ts'

/** Who gave the details, where, and what they agreed to. */
export interface LeadOrigin {
  sessionId: string
  /** The attendee, or the credential of a personal agent. */
  givenBy: string
  source: Lead['source']
  consent: { text: string; version: number }
  runId: string | null
  attendee: LeadAttendee | null
}

export interface SavedLead {
  leadId: string
  created: boolean
}

/** The first consent and the last ones: a script that repeats itself does not fill the store. */
const consentsMax = 50

/**
 * Writes the lead and, the first time, the event `lead.captured` in the same transaction. A repeat of the same giver fills in what it
 * names and appends its consent; where that changes anything, `lead.updated` tells of it. `not_found` where the session is gone.
 */
export async function saveLead(
  tx: Tx,
  details: ContactDetails,
  origin: LeadOrigin,
  { ids, now }: { ids: Ids; now: number },
): Promise<SavedLead> {
  // Before the lead: one that comes while its session is deleted must not stay behind, where nobody can erase it. It also has entries
  // for the same address, and the click of the same attendee, come one after the other.
  const session = await holdSession(tx, origin.sessionId)
  if (session === undefined) throw new ServiceError('not_found', 'There is no such session any more.')
  const email = details.email.toLowerCase()
  const ofAddress = tx.selectFrom('leads').where('session_id', '=', session.id).where('email_key', '=', email)
  const own = await ofAddress.selectAll().where('given_by', '=', origin.givenBy).executeTakeFirst()
  const given = {
    email: details.email,
    name: filled(details.name),
    phone: filled(details.phone),
    company: filled(details.company),
    notes: filled(details.notes),
    cta_clicked: details.ctaClicked === true || (await hasClicked(tx, origin)) ? 1 : 0,
  }
  const consent = { at: iso(now), source: origin.source, ...origin.consent }
  if (own !== undefined) {
    await change(tx, own, given, consent, { origin, now })
    return { leadId: own.id, created: false }
  }
  const first = await ofAddress.select('id').where('repeat_of', 'is', null).executeTakeFirst()
  const row: Lead = {
    id: ids.uuid(),
    account_id: session.account_id,
    session_id: session.id,
    email_key: email,
    given_by: origin.givenBy,
    repeat_of: first?.id ?? null,
    ...given,
    name: given.name ?? origin.attendee?.name ?? null,
    source: origin.source,
    consents: JSON.stringify([consent]),
    run_id: origin.runId,
    changes: 0,
    follow_up: 'new',
    host_note: null,
    created_at: now,
    updated_at: now,
  }
  await tx.insertInto('leads').values(row).execute()
  const { source, attendee } = origin
  await tell(tx, row, captured(row, { trigger: 'contact_info', source, attendee }, leadDedupeKey(row.id)))
  return { leadId: row.id, created: true }
}

type Given = Pick<Lead, 'email' | 'name' | 'phone' | 'company' | 'notes' | 'cta_clicked'>

async function change(
  tx: Tx,
  own: Lead,
  given: Given,
  consent: Consents[number],
  { origin, now }: { origin: LeadOrigin; now: number },
): Promise<void> {
  const fresh: Given = {
    email: own.email,
    name: given.name ?? own.name,
    phone: given.phone ?? own.phone,
    company: given.company ?? own.company,
    notes: given.notes ?? own.notes,
    cta_clicked: Math.max(given.cta_clicked, own.cta_clicked),
  }
  const consents = consentsOf(own)
  const last = consents.at(-1) ?? consents[0]
  const agreesToOther = last.text !== consent.text || last.version !== consent.version || last.source !== consent.source
  const changed: LeadChange[] = [
    ...(['name', 'phone', 'company', 'notes'] as const).filter((member) => fresh[member] !== own[member]),
    ...(fresh.cta_clicked === own.cta_clicked ? [] : ['ctaClicked' as const]),
    ...(agreesToOther ? ['consent' as const] : []),
  ]
  if (changed.length === 0) return
  const [first, ...later] = consents
  const kept = JSON.stringify([first, ...later.slice(2 - consentsMax), consent])
  const row: Lead = { ...own, ...fresh, consents: kept, changes: own.changes + 1, updated_at: now }
  await tx.updateTable('leads').set(row).where('id', '=', own.id).execute()
  await tell(tx, row, updated(row, changed, origin.attendee))
}

/** In the run where the details are given; whoever writes a click holds the session too. */
async function hasClicked(tx: Tx, { runId, givenBy }: LeadOrigin): Promise<boolean> {
  if (runId === null) return false
  const click = await tx
    .selectFrom('cta_clicks')
    .select('id')
    .where('run_id', '=', runId)
    .where('attendee_id', '=', givenBy)
    .executeTakeFirst()
  return click !== undefined
}

/** What this attendee has left in their run, the last of it; undefined where they have left nothing. */
export function findLeadOf(tx: Tx, attendeeId: string): Promise<Lead | undefined> {
  return tx
    .selectFrom('leads')
    .selectAll()
    .where('given_by', '=', attendeeId)
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .executeTakeFirst()
}

/** After the click's own event, which holds the session: the leads of this attendee say that they clicked. */
export async function noteClick(tx: Tx, attendeeId: string, attendee: LeadAttendee | null, now: number): Promise<void> {
  const rows = await tx
    .updateTable('leads')
    .set((row) => ({ cta_clicked: 1, updated_at: now, changes: row('changes', '+', 1) }))
    .where('given_by', '=', attendeeId)
    .where('cta_clicked', '=', 0)
    .returningAll()
    .execute()
  for (const row of rows) await tell(tx, row, updated(row, ['ctaClicked'], attendee))
}

const tell = (tx: Tx, { account_id: accountId, session_id: sessionId, updated_at: at }: Lead, event: ReturnType<typeof captured>) =>
  append(tx, { accountId, sessionId, at, ...event })

/** Those of a session that is deleted. */
export async function forget(tx: Tx, sessionId: string): Promise<void> {
  await tx.deleteFrom('leads').where('session_id', '=', sessionId).execute()
}
