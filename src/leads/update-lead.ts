// What a host keeps of a lead: how far they have come with the person, and a note. What the person gave stays as it was given.
import { z } from 'zod'
import { limits, text, uuid } from '../contract/fields.ts'
import { ServiceError } from '../platform/errors.ts'
import { changes, operation, scoped } from '../platform/operation.ts'
import { filled, followUps, type LeadsDeps, toLeadRecord, wholeLeadRecord } from './lead.ts'

export const updateLead = operation({
  name: 'update_lead',
  area: 'leads',
  summary: 'Note how far you have come with a lead',
  description: 'Members left out stay as they are. No event tells of it, and it goes when the lead is erased.',
  access: scoped('leads:read', 'sessions:write'),
  effects: changes,
  limit: 'api',
  errors: ['not_found'],
  input: z.object({
    sessionId: uuid.describe('Id of the session.'),
    leadId: uuid.describe('Id of the lead.'),
    followUp: z.enum(followUps).optional(),
    hostNote: text(limits.message).nullable().optional().describe('Null takes it away.'),
  }),
  run: async ({ sessionId, leadId, followUp, hostNote }, { principal }, { store }: LeadsDeps) => {
    const row = await store.write((tx) =>
      tx
        .updateTable('leads')
        .set({
          ...(followUp === undefined ? {} : { follow_up: followUp }),
          ...(hostNote === undefined ? {} : { host_note: filled(hostNote ?? undefined) }),
          // Nothing to change is no reason to refuse.
          id: leadId,
        })
        .where('id', '=', leadId)
        .where('session_id', '=', sessionId)
        .where('account_id', '=', principal.accountId)
        .returningAll()
        .executeTakeFirst(),
    )
    if (row === undefined) throw new ServiceError('not_found', 'There is no such lead in this session.')
    return row
  },
  http: {
    method: 'PATCH',
    path: '/api/v1/agent/sessions/{sessionId}/leads/{leadId}',
    output: wholeLeadRecord,
    view: (row) => toLeadRecord(row),
  },
})
