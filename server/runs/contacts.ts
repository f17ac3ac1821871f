// Contact details of attendees and the consent they were given under: typed into a question and agreed to, or left in the form.
import { z } from 'zod'
import { languageOf } from '@rostrum/languages/languages'
import { knownBy, limits, text, uuid } from '@rostrum/contract/fields'
import type { Clock } from '@rostrum/base/clock'
import type { Store } from '../platform/db/store.ts'
import type { ContactOfferRow } from './tables.ts'
import { attendeeOnly, changes, operation } from '../platform/operation.ts'
import { invalidInput } from '../platform/parse.ts'
import type { AttendeePrincipal } from '../platform/principal.ts'
import { getAttendee, noSuchRun, requireOwnRun } from './attendees.ts'
import { askRun } from './log/run-log.ts'
import type { CommandAnswer } from '@rostrum/contract/commands'
import type { RoomDeps, RoomLead } from './room.ts'

/** What somebody agrees to; the version is raised with each change of the text. */
export interface Consent {
  text: string
  version: number
}

export interface OfferedContact {
  email: string
  phone?: string | undefined
}

export interface AgreedContact {
  promptId: string
  contact: OfferedContact
  /** What the prompt said, whatever the host has written since. */
  consent: Consent
}

export interface ContactOffers {
  /** Before the prompt is put, so that nobody sees one that cannot be agreed to. A repeat changes nothing. */
  hold(attendeeId: string, promptId: string, contact: OfferedContact, consent: Consent): Promise<void>
  /**
   * The contact of the last prompt at or before event `seen`, if this attendee still may agree to it. It is given to one command
   * only, and to that one again.
   */
  take(attendee: AttendeePrincipal, commandId: string, seen: number): Promise<AgreedContact | null>
  /** Removes what nobody has agreed to in time. */
  sweep(): Promise<void>
}

const heldMs = 600_000

interface OfferDeps {
  store: Store
  clock: Clock
}

export function createContactOffers({ store, clock }: OfferDeps): ContactOffers {
  async function lastPromptSeen({ runId, attendeeId }: AttendeePrincipal, seen: number): Promise<ContactOfferRow | undefined> {
    const offers = await store.read
      .selectFrom('contact_offers')
      .innerJoin('run_commands', 'run_commands.id', 'contact_offers.prompt_id')
      .selectAll('contact_offers')
      .select('run_commands.answer')
      .where('run_commands.run_id', '=', runId)
      .where('contact_offers.attendee_id', '=', attendeeId)
      .execute()
    return offers
      .map((offer) => ({ offer, seq: promptedAt(offer.answer) }))
      .filter(({ seq }) => seq <= seen)
      .toSorted((a, b) => a.seq - b.seq)
      .at(-1)?.offer
  }

  return {
    async hold(attendeeId, promptId, { email, phone = null }, { text, version }) {
      const agreesTo = { consent_text: text, consent_version: version }
      const offer = { attendee_id: attendeeId, prompt_id: promptId, email, phone, ...agreesTo, held_until: clock.now() + heldMs }
      await store.write((tx) =>
        tx
          .insertInto('contact_offers')
          .values(offer)
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      )
    },
    async take(attendee, commandId, seen) {
      const offer = await lastPromptSeen(attendee, seen)
      if (offer === undefined) return null
      const taken = await store.write((tx) =>
        tx
          .updateTable('contact_offers')
          .set({ taken_by: commandId })
          .where('attendee_id', '=', offer.attendee_id)
          .where('prompt_id', '=', offer.prompt_id)
          .where((row) =>
            row.or([row('taken_by', '=', commandId), row.and([row('taken_by', 'is', null), row('held_until', '>=', clock.now())])]),
          )
          .returning(['prompt_id', 'email', 'phone', 'consent_text', 'consent_version'])
          .executeTakeFirst(),
      )
      if (taken === undefined) return null
      const { prompt_id: promptId, email, phone, consent_text: text, consent_version: version } = taken
      return { promptId, contact: { email, ...(phone === null ? {} : { phone }) }, consent: { text, version } }
    },
    async sweep() {
      await store.write((tx) => tx.deleteFrom('contact_offers').where('held_until', '<', clock.now()).execute())
    },
  }
}

/** The `seq` of the event that showed the prompt; Infinity where none has. */
function promptedAt(answer: string | null): number {
  if (answer === null) return Infinity
  // Only owners of runs write answers, as text of this type.
  const told = JSON.parse(answer) as CommandAnswer
  return told.ok && typeof told.data['seq'] === 'number' ? told.data['seq'] : Infinity
}

// Hands contact details and the consent they were given under to the leads, and notes in the run that there was a lead. A rehearsal
// keeps none.

type LeadSource = Pick<RoomLead, 'source' | 'consent'> & { id: string }

/** What the host asks people to agree to at this moment: it may change while a talk runs. */
export async function consentNow(
  sessionId: string,
  { content, leads }: Pick<RoomDeps, 'content' | 'leads'>,
): Promise<Consent & { language: string }> {
  const session = await content.getSession(sessionId)
  if (session === null) throw noSuchRun()
  const { language, consentText, consentVersion: version } = session
  return { text: consentText ?? leads.consentTextIn(language), version, language }
}

/** `consent`: what the person saw when they agreed. */
export async function keepLead(
  deps: RoomDeps,
  { runId, attendeeId }: AttendeePrincipal,
  details: RoomLead['details'],
  { source, consent, id }: LeadSource,
): Promise<{ leadId: string; words: string }> {
  const tail = await deps.hub.open(runId)
  if (tail === null) throw noSuchRun()
  try {
    const { run, session } = tail
    const { rehearsed, sent } = languageOf(session.language).asides
    if (run.kind === 'rehearsal') return { leadId: id, words: rehearsed }
    const { name, kind, created_at } = await getAttendee(deps.store.read, attendeeId)
    const { leadId } = await deps.leads.save({
      sessionId: session.sessionId,
      runId,
      attendee: { id: attendeeId, name, kind: kind === 'agent' ? kind : 'human', joinedAt: new Date(created_at).toISOString() },
      source,
      consent,
      details,
    })
    await askRun(deps.runs, runId, { kind: 'lead', id: `lead-${id}`, attendeeId, leadId })
    return { leadId, words: sent }
  } finally {
    tail.release()
  }
}

// Contact details from the form of the room, under the consent that was shown beside it (Spec 2.6). A rehearsal keeps none.

export const leaveContactDetails = operation({
  name: 'leave_contact_details',
  summary: 'Leave contact details in the room',
  access: attendeeOnly,
  effects: changes,
  limit: 'lead',
  errors: ['temporarily_unavailable'],
  input: z.object({
    runId: knownBy,
    id: uuid,
    email: z.string().trim().pipe(z.email().max(254)),
    name: text(limits.name).optional(),
    phone: text(40).optional(),
    company: text(limits.name).optional(),
    notes: text(limits.message).optional(),
    consent: z.literal(true).describe('The person ticked the box beside the consent text.'),
    consentVersion: z.string().max(20).describe('Of the consent text that was shown.').optional(),
  }),
  run: async (asked, { principal }, deps: RoomDeps) => {
    requireOwnRun(principal, asked.runId)
    const { id, email, name, phone, company, notes, consentVersion } = asked
    const { language: _, ...consent } = await consentNow(principal.sessionId, deps)
    if (consentVersion !== undefined && consentVersion !== String(consent.version)) {
      throw invalidInput([{ pointer: '#/consentVersion', detail: 'the text has changed since: show it again.' }])
    }
    const { leadId, words: message } = await keepLead(
      deps,
      principal,
      { email, name, phone, company, notes },
      { source: 'form', consent, id },
    )
    return { success: true, leadId, message }
  },
  http: {
    method: 'POST',
    path: '/api/v1/runs/{runId}/lead',
    output: z.object({ success: z.boolean(), leadId: z.string().optional(), message: z.string().optional() }),
  },
})
