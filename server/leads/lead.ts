// A lead: contact details that a person gave under a recorded consent (spec 2.6). What may be sent, and how it is shown.
import { z } from 'zod'
import type { LeadChange, NewDomainEvent } from '@rostrum/contract/events'
import { limits, text, utm, utmOf } from '@rostrum/contract/fields'
import { iso } from '@rostrum/base/clock'
import { append } from '../platform/db/domain-events.ts'
import type { Tx } from '../platform/db/store.ts'
import { ServiceError } from '@rostrum/base/errors'
import { languageOf } from '@rostrum/languages/languages'
import type { AccountPrincipal } from '../platform/principal.ts'
import { holdSession } from '../sessions/session.ts'
import type { LeadsDeps } from './deps.ts'
import { markBurst, proofOf } from './burst.ts'
import type { Lead } from './tables.ts'

/** Whom a call of a personal agent comes from: who the credential was given to, where it may be replaced, else the credential itself. */
export function giverOf(principal: AccountPrincipal): string {
  if (principal.kind === 'user') return principal.userId
  const { registrationId, credentialId, userId } = principal
  return registrationId ?? (principal.kind === 'oauth' ? (userId ?? credentialId) : credentialId)
}

const address = z.email().max(254)

/** Contact details as submitted, whichever surface they come from. */
export const contactDetails = {
  email: z.string().trim().pipe(address).describe('Email address.'),
  name: text(limits.name).describe('Full name.').optional(),
  phone: text(40).describe('Phone number.').optional(),
  company: text(limits.name).describe('Company.').optional(),
  notes: text(limits.message).describe('Anything the person wants the host to know.').optional(),
}

const details = z.object({ ...contactDetails, ctaClicked: z.boolean().optional() })
export type ContactDetails = z.output<typeof details>

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
  unproven: z.boolean().optional().describe('Came in a burst.'),
})

/** What becomes of a lead, as its host says. */
export const followUps = ['new', 'contacted', 'done'] as const

/** The same with what a program can use, and a model need not carry. */
export const wholeLeadRecord = leadRecord.extend({
  runId: z.string().optional().describe('The run in which it was given, where there was one.'),
  attendeeId: z.string().optional().describe('Who gave it there.'),
  utm: utm.optional().describe('Which link they came by.'),
  followUp: z.enum(followUps).describe('How far you have come with them.'),
  hostNote: z.string().optional().describe('Your own note.'),
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
    followUp: row.follow_up,
    ...(row.host_note === null ? {} : { hostNote: row.host_note }),
    ...(row.utm === null ? {} : { utm: utmOf(row.utm) }),
    ...(row.run_id === null ? {} : { runId: row.run_id, attendeeId: row.given_by }),
    ...(row.repeat_of === null ? {} : { repeatOf: row.repeat_of }),
    ...(row.proof === 'burst' && { unproven: true }),
  }
}

// What a person agrees to where the host has written no text of their own, in the language of the talk; English for languages without one.

/** `tag`: the language of the session (BCP 47). */
export const consentTextIn = (tag: string): string => languageOf(tag).consent

// What the world is told of a lead (Spec 6.1 `lead.captured`, and `lead.updated` for who asks for it by name).

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
  const { id, email, ctaClicked, created_at, utm, unproven } = toLeadRecord(row)
  const { name, company, phone, notes, repeat_of: repeatOf } = row
  const [{ text, version, at }] = consentsOf(row)
  const lead = {
    id,
    name,
    email,
    company,
    ctaClicked,
    created_at,
    phone,
    notes,
    ...(utm && { utm }),
    repeatOf,
    ...(unproven && { unproven }),
  }
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

// Keeps contact details given with consent: one lead per session, email address and giver. Only who gave a lead changes it; whatever
// somebody else sends for the same address is an entry of its own, so that nobody overwrites another person's record.

/** Who gave the details, where, and what they agreed to. */
export interface LeadOrigin {
  sessionId: string
  /** The attendee, or the credential of a personal agent. */
  givenBy: string
  source: Lead['source']
  consent: { text: string; version: number }
  runId: string | null
  attendee: LeadAttendee | null
  /** Given by a program of the host. */
  byHost?: boolean
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
  { ids, now, leadCame, burstCame, leadsMax }: Pick<LeadsDeps, 'ids' | 'leadCame' | 'burstCame' | 'leadsMax'> & { now: number },
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
  const { givenBy, runId, byHost = false } = origin
  const proof = await proofOf(tx, { sessionId: session.id, email, givenBy, runId, byHost }, leadsMax, now)
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
    utm: origin.runId === null ? null : await utmOfAttendee(tx, origin.givenBy),
    run_id: origin.runId,
    changes: 0,
    follow_up: 'new',
    host_note: null,
    proof,
    created_at: now,
    updated_at: now,
  }
  await tx.insertInto('leads').values(row).execute()
  const { source, attendee } = origin
  await tell(tx, row, captured(row, { trigger: 'contact_info', source, attendee }, leadDedupeKey(row.id)))
  await leadCame(tx, row.session_id, now)
  const before = proof === 'burst' ? await markBurst(tx, row.session_id, now) : []
  for (const each of before) await tell(tx, each, updated(each, ['unproven'], null))
  if (before.length > 0) await burstCame(tx, row.session_id, now)
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

async function utmOfAttendee(tx: Tx, attendeeId: string): Promise<string | null> {
  const found = await tx.selectFrom('attendees').select('utm').where('id', '=', attendeeId).executeTakeFirst()
  return found?.utm ?? null
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

export const tell = (tx: Tx, { account_id: accountId, session_id: sessionId, updated_at: at }: Lead, event: ReturnType<typeof captured>) =>
  append(tx, { accountId, sessionId, at, ...event })

/** Those of a session that is deleted. */
export async function forget(tx: Tx, sessionId: string): Promise<void> {
  await tx.deleteFrom('leads').where('session_id', '=', sessionId).execute()
}
