// Contact details from the form of the room, under the consent that was shown beside it (Spec 2.6). A rehearsal keeps none.
import { z } from 'zod'
import { knownBy, limits, text, uuid } from '../../contract/fields.ts'
import { attendeeOnly, changes, operation } from '../../platform/operation.ts'
import { invalidInput } from '../../platform/parse.ts'
import { requireOwnRun } from '../attendees.ts'
import { consentNow, keepLead } from '../keep-lead.ts'
import type { RoomDeps } from '../room-deps.ts'

export const leaveContactDetails = operation({
  name: 'leave_contact_details',
  area: 'room',
  summary: 'Leave contact details in the room',
  access: attendeeOnly,
  effects: changes,
  limit: 'lead',
  errors: ['not_found', 'temporarily_unavailable'],
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
    const consent = await consentNow(principal.sessionId, deps)
    if (consentVersion !== undefined && consentVersion !== String(consent.version)) {
      throw invalidInput([{ pointer: '#/consentVersion', detail: 'the text has changed since: show it again.' }])
    }
    const { leadId } = await keepLead(deps, principal, { email, name, phone, company, notes }, { source: 'form', consent, id })
    return { success: true, leadId, message: 'Sent. The host has your details.' }
  },
  http: {
    method: 'POST',
    path: '/api/v1/runs/{runId}/lead',
    output: z.object({ success: z.boolean(), leadId: z.string().optional(), message: z.string().optional() }),
  },
})
