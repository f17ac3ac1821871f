// Erases a lead: the row goes, and so do the details in events that are kept or still waiting to be delivered, and the name that its
// person gave in the rooms where they left them.
import { z } from 'zod'
import { ServiceError } from '../kernel/errors.ts'
import type { Call } from '../kernel/operation.ts'
import { deletes, operation, scoped } from '../kernel/operation.ts'
import type { AccountPrincipal } from '../kernel/principal.ts'
import { held } from '../storage/row-locks.ts'
import { scrubEvent } from '../storage/scrub-event.ts'
import type { LeadsDeps } from './ports.ts'
import { leadDedupeKey } from './save-lead.ts'

const input = z.object({ sessionId: z.uuid().describe('Id of the session.'), leadId: z.uuid().describe('Id of the lead.') })

async function erase({ sessionId, leadId }: z.output<typeof input>, call: Call<AccountPrincipal>, deps: LeadsDeps) {
  const id = leadId.toLowerCase()
  const erased = await deps.store.write(async (tx) => {
    // Runs are locked before what belongs to them.
    const seats = tx.selectFrom('lead_attendees').select('run_id').where('lead_id', '=', id)
    await held(tx, tx.selectFrom('runs').select('id').where('id', 'in', seats).orderBy('id')).execute()
    const row = await tx
      .deleteFrom('leads')
      .where('id', '=', id)
      .where('session_id', '=', sessionId.toLowerCase())
      .where('account_id', '=', call.principal.accountId)
      .returning('id')
      .executeTakeFirst()
    if (row === undefined) return row
    await scrubEvent(tx, leadDedupeKey(id), call.now)
    const left = await tx.deleteFrom('lead_attendees').where('lead_id', '=', id).returningAll().execute()
    for (const { run_id: runId, attendee_id: attendeeId } of left) await deps.eraseName(tx, { runId, attendeeId }, call.now)
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
    'Removes the contact details for good, also from `lead.captured`, kept or waiting to be delivered, and the name that the person gave in the room, from the log of the talk and its other events. What they asked stays, without a name.',
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
