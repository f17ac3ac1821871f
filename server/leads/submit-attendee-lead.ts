// A personal agent submits contact details for the person it acts for (spec 2.6, 4.5 `submit_attendee_lead`). Calling it
// states that the person has consented; what they consented to is the text of the session at that moment.
import { z } from 'zod'
import { uuid } from '@rostrum/contract/fields'
import { anyCredential, operation } from '../platform/operation.ts'
import { notPublished } from '../sessions/session.ts'
import type { LeadsDeps } from './deps.ts'
import { consentTextIn, contactDetails, giverOf, saveLead } from './lead.ts'

const output = z.object({
  success: z.boolean(),
  leadId: z.string().optional(),
  message: z.string().optional(),
  created: z.boolean().optional(),
})

/** Who does not own the session hears the same for every address: nobody finds out who is known to a host. */
const view = ({ leadId, created, isOwner }: { leadId: string; created: boolean; isOwner: boolean }) => {
  if (!isOwner) return { success: true, leadId, message: 'Sent. The host has the details.' }
  return {
    success: true,
    leadId,
    message: created ? 'Sent. The host has the details.' : 'Sent. Your earlier entry is up to date.',
    created,
  }
}

export const submitAttendeeLead = operation({
  name: 'submit_attendee_lead',
  summary: 'Submit the details of an attendee',
  description:
    "Only with the person's consent: the call is the statement that they agreed. A repeat by the same caller for the same address updates its own entry, never that of somebody else.",
  access: anyCredential,
  limit: 'lead',
  errors: ['not_found'],
  input: z.object({
    sessionId: uuid.describe('Id of the published session.'),
    ...contactDetails,
    ctaClicked: z.boolean().describe('Whether the person clicked or opted into the call to action.').optional(),
  }),
  run: async ({ sessionId, ...details }, call, deps: LeadsDeps) =>
    deps.store.write(async (tx) => {
      const session = await tx
        .selectFrom('sessions')
        .select(['id', 'account_id', 'consent_text', 'consent_version', 'language'])
        .where('id', '=', sessionId)
        .where('status', '=', 'published')
        .where('guests', 'is', null)
        .where('entry', '=', 'anyone')
        .executeTakeFirst()
      if (session === undefined) throw await notPublished(tx, call.principal.accountId, sessionId)
      const origin = {
        sessionId: session.id,
        givenBy: giverOf(call.principal),
        source: 'personal_agent' as const,
        consent: { text: session.consent_text ?? consentTextIn(session.language), version: session.consent_version },
        runId: null,
        attendee: null,
        byHost: session.account_id === call.principal.accountId,
      }
      const saved = await saveLead(tx, details, origin, { ...deps, now: call.now })
      return { ...saved, isOwner: session.account_id === call.principal.accountId }
    }),
  http: { method: 'POST', path: '/api/v1/pap/leads', output, view: (result) => view(result) },
  tool: {
    title: "Send an attendee's details",
    description:
      "Sends a person's contact details to the host of a published Rostrum presentation. Use this only when the person you act for has agreed that the host may contact them. A repeat updates your own entry. Published sessions only; find ids with discover_sessions.",
    output,
    view: (result) => view(result),
  },
})
