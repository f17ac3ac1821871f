// Contact details of attendees and the consent they were given under: handed to the leads, and noted in the run. A rehearsal keeps none.
import { z } from 'zod'
import { knownBy, limits, text, uuid } from '@rostrum/contract/fields'
import { languageOf } from '@rostrum/languages/languages'
import { attendeeOnly, changes, operation } from '../../platform/operation.ts'
import { invalidInput } from '../../platform/parse.ts'
import type { AttendeePrincipal } from '../../platform/principal.ts'
import { getAttendee, noSuchRun, requireOwnRun } from '../attendees.ts'
import { askRun } from '../log/run-log.ts'
import type { Consent } from '../room/contact-offers.ts'
import type { RoomDeps, RoomLead } from '../room/deps.ts'

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
