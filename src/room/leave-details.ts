// Contact details from the form of the room, under the consent that was shown beside it (Spec 2.6). A rehearsal keeps none.
import { z } from 'zod'
import { limits, text, uuid } from '../kernel/fields.ts'
import type { Call } from '../kernel/operation.ts'
import { attendeeOnly, changes, operation } from '../kernel/operation.ts'
import { invalidInput } from '../kernel/parse.ts'
import type { AttendeePrincipal } from '../kernel/principal.ts'
import { askDesk } from './ask-desk.ts'
import { getAttendee, noSuchRun, requireOwnRun } from './attendees.ts'
import type { RoomDeps } from './room-deps.ts'

const input = z.object({
  runId: z.string(),
  id: uuid,
  email: z.string().trim().pipe(z.email().max(254)),
  name: text(limits.name).optional(),
  phone: text(40).optional(),
  company: text(limits.name).optional(),
  notes: text(limits.message).optional(),
  consent: z.literal(true).describe('The person ticked the box beside the consent text.'),
  consentVersion: z.string().max(20).describe('Of the consent text that was shown.').optional(),
})

async function leaveDetails(asked: z.output<typeof input>, { principal, now }: Call<AttendeePrincipal>, deps: RoomDeps) {
  requireOwnRun(principal, asked.runId)
  const { runId, attendeeId } = principal
  const opened = await deps.hub.open(runId)
  if (opened === null) throw noSuchRun()
  try {
    const { run, session, state } = opened.tail
    if (asked.consentVersion !== undefined && asked.consentVersion !== String(session.consentVersion)) {
      throw invalidInput([{ pointer: '#/consentVersion', detail: 'the text has changed since: show it again.' }])
    }
    if (run.kind === 'rehearsal') return { success: true, leadId: deps.ids.uuid(), message: 'Rehearsal: nothing was kept.' }
    const attendee = await getAttendee(deps.store.read, attendeeId)
    const { email, name, phone, company, notes } = asked
    const consent = { text: session.consentText ?? deps.leads.defaultConsentText, version: session.consentVersion }
    const saved = await deps.leads.save({
      sessionId: session.sessionId,
      accountId: session.accountId,
      runId,
      attendee: { id: attendeeId, name: attendee.name, kind: attendee.kind, joinedAt: new Date(attendee.created_at).toISOString() },
      consent,
      details: { email, name, phone, company, notes, ctaClicked: state.ctaOf.get(attendeeId) === 'clicked' },
    })
    await askDesk(deps.desk, runId, { kind: 'lead', id: asked.id.toLowerCase(), attendeeId, leadId: saved.leadId })
    return { success: true, leadId: saved.leadId, message: 'Sent. The host has your details.', consentText: consent.text, at: now }
  } finally {
    opened.release()
  }
}

export const leaveContactDetails = operation({
  name: 'leave_contact_details',
  area: 'room',
  summary: 'Leave contact details in the room',
  access: attendeeOnly,
  effects: changes,
  limit: 'lead',
  errors: ['not_found', 'temporarily_unavailable'],
  input,
  run: leaveDetails,
  http: {
    method: 'POST',
    path: '/api/v1/runs/{runId}/lead',
    output: z.looseObject({ success: z.boolean(), leadId: z.string().optional(), message: z.string().optional() }),
  },
})
