// Erases a lead: the row goes, and so do the details in events that are kept or still waiting to be delivered.
import { z } from 'zod'
import { ServiceError } from '../kernel/errors.ts'
import type { Call } from '../kernel/operation.ts'
import { deletes, operation, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import { scrubEvent } from '../storage/scrub-event.ts'
import type { LeadsDeps } from './ports.ts'
import { leadDedupeKey } from './save-lead.ts'

const input = z.object({ sessionId: z.uuid().describe('Id of the session.'), leadId: z.uuid().describe('Id of the lead.') })

async function erase({ sessionId, leadId }: z.output<typeof input>, call: Call<AccountPrincipal>, deps: LeadsDeps) {
  const erased = await deps.store.write(async (tx) => {
    const row = await tx
      .deleteFrom('leads')
      .where('id', '=', leadId.toLowerCase())
      .where('session_id', '=', sessionId.toLowerCase())
      .where('account_id', '=', call.principal.accountId)
      .returning('id')
      .executeTakeFirst()
    if (row !== undefined) await scrubEvent(tx, leadDedupeKey(row.id), call.now)
    return row
  })
  if (erased === undefined) throw new ServiceError('not_found', 'There is no such lead in this session.')
  return { id: erased.id, deleted: true }
}

export const deleteLead = operation({
  name: 'delete_lead',
  area: 'leads',
  summary: 'Erase a lead',
  description:
    'Removes the contact details for good, also from `lead.captured`, kept or waiting to be delivered. The name that was given in the room stays in the log of the talk and in its other events, until the session is deleted.',
  access: scoped('leads:read', 'sessions:write'),
  effects: deletes,
  limit: 'api',
  errors: ['not_found'],
  input,
  run: erase,
  http: {
    method: 'DELETE',
    path: '/api/v1/agent/sessions/{sessionId}/leads/{leadId}',
    output: z.object({ id: z.string(), deleted: z.boolean() }),
    view: (result) => result,
  },
})
